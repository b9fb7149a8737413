package serve

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
)

// A matcher reports whether an address contains the query: as listed, in wire form or as people
// read it, ignoring letter case and escapes.
type matcher struct {
	wire   string // wire form of the query, where that is a whole address
	folded []byte
	text   string // the query in lower case, for text in other charsets
}

func newMatcher(query string) *matcher {
	m := &matcher{folded: bytes.Clone(fold(nil, query)), text: strings.ToLower(query)}
	if a, err := address.Parse(query); err == nil {
		m.wire = a.String()
	}
	return m
}

// match reports whether one loc matches; buf is reused between calls.
func (m *matcher) match(loc string, buf *[]byte) bool {
	*buf = fold((*buf)[:0], loc)
	if bytes.Contains(*buf, m.folded) {
		return true
	}
	foreign := !utf8.Valid(*buf)
	if !foreign && isASCII(loc) && !strings.Contains(loc, "xn--") {
		return false
	}
	// The escapes are of another charset, or the host is no ASCII: both forms.
	a, err := address.Parse(loc)
	if err != nil {
		return false
	}
	w := a.String()
	return w == m.wire || strings.Contains(strings.ToLower(w), m.text) || strings.Contains(strings.ToLower(address.Readable(w).Text), m.text)
}

// whole reports whether the address is the query itself.
func (m *matcher) whole(wire string) bool { return wire == m.wire }

// fold appends s to b with its escapes as bytes and ASCII letters in lower case,
// so that %E3, %e3 and the letter itself are the same.
func fold(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if hi, lo := address.Unhex(s[i+1]), address.Unhex(s[i+2]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				i += 2
			}
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
