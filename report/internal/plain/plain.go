// Package plain has what all outputs need for the text of rows: it escapes characters of a site's
// text that are invisible or change its direction, and joins words.
package plain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Form says which characters are escaped, and how: with formats of package fmt for a byte that is
// not UTF-8, an ASCII character and any other.
type Form struct {
	Hidden            func(rune) bool
	Byte, ASCII, Rune string
}

// Of returns s as valid UTF-8 without hidden characters. Printable ASCII stays as it is.
func (f *Form) Of(s string) string {
	if printable(s) {
		return s
	}
	at := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || f.Hidden(r) })
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for rest := s[at:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, f.Byte, rest[0])
		case !f.Hidden(r):
			b.WriteString(rest[:size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, f.ASCII, r)
		default:
			fmt.Fprintf(&b, f.Rune, r)
		}
		rest = rest[size:]
	}
	return b.String()
}

// printable reports whether s is printable ASCII, as nearly all that is written is.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-0x20 > 0x5E {
			return false
		}
	}
	return true
}

// Join returns the words of a list with a space between them.
func Join[S ~string](list []S) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return string(list[0])
	}
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(s)
	}
	return strings.Join(parts, " ")
}

// Printable returns s with everything but printable ASCII as \xHH.
func Printable(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c > '~' }) < 0 {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			fmt.Fprintf(&b, `\x%02X`, s[i])
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
