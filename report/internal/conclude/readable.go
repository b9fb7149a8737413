package conclude

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"sitemend/report/internal/plain"
)

// readable is a part of an address with its escapes of letters as text: those of UTF-8
// beyond ASCII that draw something and are read from left to right. All else stays escaped:
// what %28 is and what "(" is must be seen, and what is hidden or turns the reading order
// must not be obeyed. A part in another charset stays as it is: some of its octets may look like UTF-8.
func readable(part string) string {
	at := strings.IndexByte(part, '%')
	if text, _ := url.PathUnescape(part); at < 0 || !utf8.ValidString(text) {
		return part
	}
	var b strings.Builder
	b.WriteString(part[:at])
	for part = part[at:]; part != ""; {
		r, n := escapedRune(part)
		if n == 0 || !draws(r) {
			n = max(n, 1)
			b.WriteString(part[:n])
		} else {
			b.WriteRune(r)
		}
		part = part[n:]
	}
	return b.String()
}

// escapedRune is the character beyond ASCII whose escapes s begins with, and how many bytes
// these take; 0 where it begins with none.
func escapedRune(s string) (rune, int) {
	var octets [utf8.UTFMax]byte
	for n := range octets {
		at := 3 * n
		if at+3 > len(s) || s[at] != '%' {
			return 0, 0
		}
		high, low := strings.IndexByte(hexDigits, s[at+1]|0x20), strings.IndexByte(hexDigits, s[at+2]|0x20)
		if high < 0 || low < 0 || n == 0 && high < 8 {
			return 0, 0
		}
		octets[n] = byte(high<<4 | low)
		if r, size := utf8.DecodeRune(octets[:n+1]); size == n+1 && r != utf8.RuneError {
			return r, at + 3
		}
	}
	return 0, 0
}

// draws reports whether a character stands for itself, whatever is beside it.
func draws(r rune) bool {
	p, _ := bidi.LookupRune(r)
	class := p.Class()
	return plain.Visible(string(r)) == string(r) && norm.NFC.PropertiesString(string(r)).CCC() == 0 && class != bidi.R && class != bidi.AL && class != bidi.AN
}

const hexDigits = "0123456789abcdef"

// looksSame reports whether two different parts are one text, but for how it is escaped and
// composed.
func looksSame(a, b string) bool {
	x, errA := url.PathUnescape(a)
	y, errB := url.PathUnescape(b)
	return a != b && errA == nil && errB == nil && norm.NFC.String(x) == norm.NFC.String(y)
}
