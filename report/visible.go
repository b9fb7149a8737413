package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible returns s as it may be shown on a terminal: control characters, bytes
// that are not UTF-8, bidirectional controls and Unicode line ends are written
// out, as \x1b or \u202e. All other text stays as it is.
func Visible(s string) string { return visible(s) }

// visible returns s with everything that could steer a terminal or mislead a
// reader written out: control characters (C0, DEL, C1), bytes that are not
// UTF-8, bidirectional controls and Unicode line ends become \x1b or \u202e.
// All other text stays as it is.
func visible(s string) string {
	if isPlain(s) {
		return s
	}
	at := strings.IndexFunc(s, hidden)
	if at < 0 {
		return s // the common case: U+FFFD, the sign for bad bytes, counts as hidden
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for rest := s[at:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1, r < 0x80 && hidden(r):
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		case r != utf8.RuneError && hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// isPlain tells whether s is printable ASCII, as nearly all that is written is.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-0x20 > 0x5E {
			return false
		}
	}
	return true
}

// hidden tells whether r is not to reach a terminal or a cell as it is.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F, r == utf8.RuneError:
		return true
	case r < 0x61C:
		return false
	}
	return bidi(r) || r == 0x2028 || r == 0x2029 || r == 0xFFFE || r == 0xFFFF // the last two are no characters, and XML cannot hold them
}

// bidi tells whether r changes the direction of the text around it (Unicode
// UAX #9, explicit formatting characters and marks).
func bidi(r rune) bool {
	return r == 0x61C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
