package report

import "sitemend/report/internal/plain"

// Visible returns s as it may be shown on a terminal: control characters, bytes
// that are not UTF-8, bidirectional controls and Unicode line ends are written
// out, as \x1b or \u202e. All other text stays as it is.
func Visible(s string) string { return visible(s) }

// visible returns s with everything that could steer a terminal or mislead a
// reader written out: control characters (C0, DEL, C1), bytes that are not
// UTF-8, bidirectional controls and Unicode line ends become \x1b or \u202e.
// All other text stays as it is.
func visible(s string) string { return form.Of(s) }

var form = plain.Form{Hidden: hidden, Byte: `\x%02x`, ASCII: `\x%02x`, Rune: `\u%04x`}

// hidden reports whether r is not to reach a terminal or a cell as it is.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F:
		return true
	case r < 0x61C:
		return false
	}
	return bidi(r) || r == 0x2028 || r == 0x2029 || r == 0xFFFE || r == 0xFFFF // the last two are no characters, and XML cannot hold them
}

// bidi reports whether r changes the direction of the text around it (Unicode
// UAX #9, explicit formatting characters and marks).
func bidi(r rune) bool {
	return r == 0x61C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
