package accesslog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
		if text[i] == mark {
			if v, ok := octet(text[i+1:]); ok {
				dst = append(dst, v)
				i += 2
				continue
			}
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
	v, err := strconv.ParseUint(string(b[:2]), 16, 8)
	return byte(v), err == nil
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
		switch text[i] {
		case 'x':
			if v, ok := octet(text[i+1:]); ok {
				dst = append(dst, v)
				i += 2
				continue
			}
		case 'u':
			if char, n := unit(text[i:]); n > 0 {
				dst = append(dst, char...)
				i += n - 1
				continue
			}
		}
		if at := strings.IndexByte(letters, text[i]); at >= 0 {
			dst = append(dst, octets[at])
		} else {
			dst = append(dst, '\\', text[i])
		}
	}
	return dst
}

// unit reads uXXXX, with the second half of a surrogate pair, and returns its length; 0 where it is
// none. Half a pair becomes U+FFFD.
func unit(b []byte) (text string, n int) {
	for _, n := range []int{11, 5} {
		if len(b) >= n && (n == 5 || b[5] == '\\' && b[6] == 'u') && json.Unmarshal(fmt.Appendf(nil, `"\%s"`, b[:n]), &text) == nil &&
			(n == 5 || utf8.RuneCountInString(text) == 1) {
			return text, n
		}
	}
	return "", 0
}
