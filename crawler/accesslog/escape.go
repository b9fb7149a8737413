package accesslog

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An escape is the octet with which a format writes bytes that would break it; 0 for none:
//
//	\ of nginx, Apache, lighttpd and Varnish (\" \\ \t \xHH), and of JSON (RFC 8259, 7)
//	# of HAProxy: #HH
//	% of CloudFront: each value is percent-encoded once more
//	+ of W3C in IIS: a space is +, in the user agent; in an address it may be a plus
type escape byte

// plain returns text without its escapes. It is valid until the next line.
func (p *parser) plain(e escape, text []byte) []byte {
	if bytes.IndexByte(text, byte(e)) < 0 || e == 0 {
		return text
	}
	from := len(p.space)
	if e == '\\' {
		p.space = unslash(p.space, text)
	} else {
		p.space = unhex(p.space, text, byte(e))
	}
	return p.space[from:]
}

// unhex resolves escapes of a mark and two hex digits.
func unhex(dst, text []byte, mark byte) []byte {
	for i := 0; i < len(text); i++ {
		if v, ok := octet(text[i+1:]); ok && text[i] == mark {
			dst = append(dst, v)
			i += 2
			continue
		}
		dst = append(dst, text[i])
	}
	return dst
}

// hashed reports whether text is one of HAProxy: it has a # and writes nothing else so than HAProxy
// does.
func hashed(text []byte) bool {
	i := bytes.IndexByte(text, '#')
	if i < 0 {
		return false
	}
	for ; i < len(text); i++ {
		if text[i] != '#' {
			continue
		}
		v, ok := octet(text[i+1:])
		if !ok || v >= ' ' && v < 0x7f && strings.IndexByte(`"#{|}`, v) < 0 {
			return false
		}
	}
	return true
}

// octet returns the value of the two hex digits that b begins with.
func octet[T string | []byte](b T) (byte, bool) {
	if len(b) < 2 {
		return 0, false
	}
	h, ok1 := nibble(b[0])
	l, ok2 := nibble(b[1])
	return h<<4 | l, ok1 && ok2
}

func nibble(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// unslash resolves escapes with a backslash. It leaves those that nobody writes, and bytes that are
// not UTF-8.
func unslash(dst, text []byte) []byte {
	const letters, octets = `tnrbvf"\/`, "\t\n\r\b\v\f\"\\/"
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			dst = append(dst, text[i])
			continue
		}
		i++
		if v, ok := octet(text[i+1:]); ok && text[i] == 'x' {
			dst = append(dst, v)
			i += 2
		} else if r, n := unit(text[i:]); n > 0 {
			dst = utf8.AppendRune(dst, r)
			i += n - 1
		} else if at := strings.IndexByte(letters, text[i]); at >= 0 {
			dst = append(dst, octets[at])
		} else {
			dst = append(dst, '\\', text[i])
		}
	}
	return dst
}

// unit parses uXXXX, with the second half of a surrogate pair, and returns its length; 0 where it
// is none. Half a pair becomes U+FFFD.
func unit(b []byte) (rune, int) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, 0
	}
	high, ok1 := octet(b[1:])
	low, ok2 := octet(b[3:])
	if !ok1 || !ok2 {
		return 0, 0
	}
	r := rune(high)<<8 | rune(low)
	if utf16.IsSurrogate(r) && len(b) > 10 && b[5] == '\\' {
		if second, n := unit(b[6:]); n == 5 {
			if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
				return both, 11
			}
		}
	}
	return r, 5
}
