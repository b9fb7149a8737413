package address

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// InUTF8 returns a with the text of path and query converted to UTF-8, where it is in a legacy
// charset, and the name of that charset. All other bytes keep their spelling. It returns a and ""
// where there is no such text or it cannot be decoded.
func InUTF8(a Address) (Address, string) {
	pieces := cutReadable(a.Target())
	c, _ := chooseCharset(pieces, a.Host())
	if c.enc == nil {
		return a, ""
	}
	lower := hexIsLower(a)
	b, path := []byte(a.Origin()), 0
	for _, p := range pieces {
		if path == 0 && p.src == "?" {
			path = len(b)
		}
		var ok bool
		if b, ok = p.appendUTF8(b, c, lower); !ok {
			return a, ""
		}
	}
	if path == 0 {
		path = len(b)
	}
	return written(b, int(a.auth), path), c.name
}

// appendUTF8 appends the piece in UTF-8.
func (p readablePiece) appendUTF8(b []byte, c charset, lower bool) ([]byte, bool) {
	if p.isUTF8() {
		return append(b, p.src...), true
	}
	if p.shifts() {
		if c.name != "iso-2022-jp" { // others are in a second charset: this one is unknown
			return b, false
		}
		text, ok := c.decode(p.bytes)
		return appendEscapes(b, text, lower), ok
	}
	for i := 0; i < len(p.bytes); {
		n := c.size(p.bytes[i:])
		if n == 1 && p.bytes[i] < 0x80 {
			b = append(b, p.src[p.at[i]:p.at[i+1]]...)
		} else {
			text, ok := c.decode(p.bytes[i : i+n])
			if !ok {
				return b, false
			}
			b = appendEscapes(b, text, lower)
		}
		i += n
	}
	return b, true
}

// appendEscapes appends all but letters and digits as %XX.
func appendEscapes(b, text []byte, lower bool) []byte {
	for _, c := range text {
		if strings.IndexByte(alphabet+"0123456789", c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hexDigit(upperHex[c>>4], !lower), hexDigit(upperHex[c&15], !lower))
	}
	return b
}

// hexIsLower reports whether lower case suits new escapes better: some of a's are in lower case and
// none is in upper case.
func hexIsLower(a Address) bool {
	return SpellHex(a, false) == a && SpellHex(a, true) != a
}

// InForm returns a with the UTF-8 text of path and query composed (Unicode normal form C) or
// decomposed (D). All other bytes keep their spelling, and so does a path or query that is not
// UTF-8.
func InForm(a Address, composed bool) Address {
	form, lower := norm.NFD, hexIsLower(a)
	if composed {
		form = norm.NFC
	}
	b := appendForm([]byte(a.Origin()), a.Path(), form, lower)
	path := len(b)
	if q, has := a.Query(); has {
		b = appendForm(append(b, '?'), q, form, lower)
	}
	if string(b) == a.wire {
		return a
	}
	return written(b, int(a.auth), path)
}

// appendForm appends s in a normal form, one character with its marks at a time.
func appendForm(b []byte, s string, form norm.Form, lower bool) []byte {
	p := newReadablePiece(s)
	if !utf8.Valid(p.bytes) {
		return append(b, s...)
	}
	for i := 0; i < len(p.bytes); {
		n := form.NextBoundary(p.bytes[i:], true)
		char := p.bytes[i : i+n]
		switch normal := form.Bytes(char); {
		case bytes.Equal(normal, char), !isText(char):
			b = append(b, p.src[p.at[i]:p.at[i+n]]...)
		default:
			b = appendEscapes(b, normal, lower)
		}
		i += n
	}
	return b
}

// isText reports whether a character with its marks does not begin with a delimiter: "=" and a
// stroke through it would become one character.
func isText(char []byte) bool {
	return char[0] >= 0x80 || slices.Contains([]byte(alphabet+"0123456789"), char[0])
}
