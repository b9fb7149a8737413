package accesslog

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// An escape is the way in which a format writes bytes that would break it.
type escape uint8

const (
	escapeNone escape = iota
	// nginx, Apache, lighttpd and Varnish: \" \\ \t \xHH; all of them escape the backslash
	escapeBackslash
	escapeJSON    // RFC 8259, 7, and the \xHH that Apache writes into what looks like JSON
	escapeHash    // HAProxy: #HH
	escapePercent // CloudFront: each value is percent-encoded once more
	escapePlus    // W3C of IIS: a space is +
)

// undo appends text without its escapes to dst, or returns text itself where there are none. lossy
// is set where the text shows that bytes were replaced.
func (e escape) undo(dst, text []byte) (out []byte, lossy bool) {
	switch e {
	case escapeBackslash:
		return unslash(dst, text, false), false
	case escapeJSON:
		out = unjson(dst, text)
		return out, bytes.Contains(out, []byte("\uFFFD"))
	case escapeHash:
		return unhex(dst, text, '#'), false
	case escapePercent:
		return unhex(dst, text, '%'), false
	case escapePlus:
		if bytes.IndexByte(text, '+') < 0 {
			return text, false
		}
		at := len(dst)
		dst = append(dst, text...)
		for i := at; i < len(dst); i++ {
			if dst[i] == '+' {
				dst[i] = ' '
			}
		}
		return dst, false
	}
	return text, false
}

// unhex resolves escapes of mark and two hex digits.
func unhex(dst, text []byte, mark byte) []byte {
	if bytes.IndexByte(text, mark) < 0 {
		return text
	}
	for i := 0; i < len(text); i++ {
		if text[i] == mark && i+2 < len(text) {
			if v, ok := octet(text[i+1], text[i+2]); ok {
				dst = append(dst, v)
				i += 2
				continue
			}
		}
		dst = append(dst, text[i])
	}
	return dst
}

// octet returns the value of two hex digits.
func octet(high, low byte) (byte, bool) {
	h, ok1 := nibble(high)
	l, ok2 := nibble(low)
	return h<<4 | l, ok1 && ok2
}

func nibble(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// short returns the byte that a letter after a backslash stands for; 0 for none.
func short(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case '"', '\\', '/':
		return c
	}
	return 0
}

// unjson resolves the escapes of a JSON string. Bytes that are not UTF-8 stay.
func unjson(dst, text []byte) []byte { return unslash(dst, text, true) }

// unslash resolves the escapes of nginx, Apache, lighttpd and Varnish, or those of JSON. It leaves
// escapes that none of them writes.
func unslash(dst, text []byte, json bool) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			dst = append(dst, text[i])
			continue
		}
		i++
		if json && text[i] == 'u' {
			if r, n := unit(text[i+1:]); n > 0 {
				dst = utf8.AppendRune(dst, r)
				i += n
				continue
			}
		}
		if text[i] == 'x' && i+2 < len(text) {
			if v, ok := octet(text[i+1], text[i+2]); ok {
				dst = append(dst, v)
				i += 2
				continue
			}
		}
		if c := short(text[i]); c != 0 && (json || c != '/') {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '\\', text[i])
	}
	return dst
}

// unit parses what follows \u, including the second half of a surrogate pair, and returns its
// length; 0 where it is malformed.
func unit(text []byte) (rune, int) {
	r, ok := four(text)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(text) >= 10 && text[4] == '\\' && text[5] == 'u' {
		if second, ok := four(text[6:]); ok {
			if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
				return both, 10
			}
		}
	}
	return r, 4 // an unpaired surrogate becomes U+FFFD
}

func four(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	high, ok1 := octet(text[0], text[1])
	low, ok2 := octet(text[2], text[3])
	return rune(high)<<8 | rune(low), ok1 && ok2
}
