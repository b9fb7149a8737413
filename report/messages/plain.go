package messages

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s as valid UTF-8 without hidden characters: bytes that are not UTF-8 become \xe9,
// and invisible characters and those that change the reading direction (controls, bidirectional
// marks, zero-width and line separators, see Unicode UAX #9 and UTS #39) become \u202e. The text of
// a site is shown, and has no effect.
func Visible(s string) string { return escape(s, hidden) }

// Tame is Visible for a terminal and for tables: what could steer one, turn the reading order of what
// stands around, or break a line is escaped, and all other text stays as it is.
func Tame(s string) string { return escape(s, Steers) }

// escape writes out bytes that are not UTF-8, and what is hidden. Printable ASCII stays as it is, as
// nearly all that is written.
func escape(s string, hidden func(rune) bool) string {
	at := 0
	for at < len(s) && ' ' <= s[at] && s[at] <= '~' {
		at++
	}
	if !strings.ContainsFunc(s[at:], func(r rune) bool { return r < ' ' || r > '~' && (r == utf8.RuneError || hidden(r)) }) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for rest := s[at:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case size == 1 && (r == utf8.RuneError || hidden(r)):
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return b.String()
}

// hidden reports whether r is invisible: controls, format characters (bidirectional ones among
// them), line separators, private and unassigned code points. A space other than U+0020 is hidden
// too.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || unicode.Is(unicode.Variation_Selector, r)
}

// Steers reports whether r is not to reach a terminal or a cell as it is: a control, what changes the
// direction of the text around it (Unicode UAX #9), a line end, or no character, which XML cannot hold.
func Steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 || r == 0xFFFE || r == 0xFFFF
}

// Spaced returns the words of a list with a space between them.
func Spaced[S ~string](list []S) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(s)
	}
	return strings.Join(parts, " ")
}

// Printable returns s with everything but printable ASCII as \xHH.
func Printable(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			fmt.Fprintf(&b, `\x%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Middle shortens s to at most n characters by leaving out its middle, so that the host and the last
// segment of an address stay readable.
func Middle(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	rs := []rune(s)
	tail := n * 2 / 5
	return string(rs[:n-tail-1]) + "…" + string(rs[len(rs)-tail:])
}
