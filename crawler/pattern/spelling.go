package pattern

import "sitemend/crawler/address"

// byteSet is a set of ASCII bytes, the only ones that a wire form may write in two ways.
type byteSet [2]uint64

func (s *byteSet) add(c byte)     { s[c>>6&1] |= 1 << (c & 63) }
func (s byteSet) has(c byte) bool { return c < 0x80 && s[c>>6]&(1<<(c&63)) != 0 }
func (s byteSet) empty() bool     { return s == byteSet{} }

func (s *byteSet) union(o byteSet) {
	s[0] |= o[0]
	s[1] |= o[1]
}

// A spelling is a change of how the bytes of a path or query are written. The zero spelling changes
// nothing.
type spelling struct {
	decode, encode byteSet // escapes that become literal, and literals that become escapes
	hex            int8    // case of the digits of escapes: 1 for upper, -1 for lower
	space          int8    // in a query: 1 for + to %20, -1 for %20 to +
	double         int8    // 1 for %25XX to %XX, -1 for %XX to %25XX
	fold           bool    // literal letters become lower case
}

// A speltByte is one byte of a path or query and the way it is written there.
type speltByte struct {
	value   byte // a space for a "+" in a query
	encoded bool
	plus    bool // the space is written "+"
	hex     int8 // letters of the escape: 1 upper case, -1 some lower, 0 no letters
}

// byteAt returns the byte at index i of a path or query, and its length in the text.
func byteAt(s string, i int, query bool) (speltByte, int) {
	c := s[i]
	switch {
	case query && c == '+':
		return speltByte{value: ' ', plus: true}, 1
	case c != '%' || i+2 >= len(s):
		return speltByte{value: c}, 1
	}
	hi, lo := address.Unhex(s[i+1]), address.Unhex(s[i+2])
	if hi < 0 || lo < 0 {
		return speltByte{value: c}, 1
	}
	b := speltByte{value: byte(hi<<4 | lo), encoded: true}
	switch {
	case s[i+1] >= 'a' || s[i+2] >= 'a':
		b.hex = -1
	case s[i+1] >= 'A' || s[i+2] >= 'A':
		b.hex = 1
	}
	return b, 3
}

// between adds to s the change from one path or query to another. It returns false, with s
// unchanged, where more than the spelling differs.
func (s *spelling) between(from, to string, query bool) bool {
	if from == to {
		return true
	}
	n := *s
	i, j := 0, 0
	for i < len(from) && j < len(to) {
		x, k := byteAt(from, i, query)
		y, m := byteAt(to, j, query)
		switch {
		case n.byte(x, y):
		case y.encoded && isDoubled(from[i:]) && sameEscape(from[i+3:], to[j+1:]):
			n.double, k = 1, 5
		case x.encoded && isDoubled(to[j:]) && sameEscape(from[i+1:], to[j+3:]):
			n.double, m = -1, 5
		default:
			return false
		}
		i, j = i+k, j+m
	}
	if i < len(from) || j < len(to) {
		return false
	}
	*s = n
	return true
}

// byte adds the change from x to y; it returns false where they are different bytes.
func (s *spelling) byte(x, y speltByte) bool {
	switch {
	case isPlus(x, y):
		s.encode.add('+')
	case isPlus(y, x):
		s.decode.add('+')
	case x.value != y.value:
		if x.encoded || y.encoded || !isUpper(x.value) || x.value|0x20 != y.value {
			return false
		}
		s.fold = true
	case x.plus != y.plus:
		s.space = 1
		if y.plus {
			s.space = -1
		}
	case x.encoded && !y.encoded:
		s.decode.add(x.value)
	case y.encoded && !x.encoded:
		s.encode.add(x.value)
	case x.hex != y.hex:
		s.hex = y.hex
	}
	return true
}

// isPlus reports whether x is a "+" of a query and y the escape of one: to a server that redirects
// from one to the other, "+" is not a space.
func isPlus(x, y speltByte) bool { return x.plus && y.encoded && y.value == '+' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// isDoubled reports whether s begins with an escape that is escaped itself.
func isDoubled(s string) bool {
	return len(s) >= 5 && s[:3] == "%25" && address.Unhex(s[3]) >= 0 && address.Unhex(s[4]) >= 0
}

// sameEscape compares the digits of two escapes.
func sameEscape(a, b string) bool {
	return address.Unhex(a[0]) == address.Unhex(b[0]) && address.Unhex(a[1]) == address.Unhex(b[1])
}

// holds reports whether all of a path or query is written as s leaves it: what changed in a part
// only is no rule.
func (s *spelling) holds(text string, query bool) bool {
	if *s == (spelling{}) {
		return true
	}
	for i := 0; i < len(text); {
		c, n := byteAt(text, i, query)
		switch {
		case c.plus:
			if s.space > 0 || s.encode.has('+') {
				return false
			}
		case c.encoded:
			space := c.value == ' ' && s.space < 0
			if space || s.decode.has(c.value) || c.hex*s.hex < 0 || s.double > 0 && isDoubled(text[i:]) {
				return false
			}
		case s.encode.has(c.value) || s.fold && isUpper(c.value):
			return false
		}
		i += n
	}
	return true
}

// union adds the changes of o.
func (s *spelling) union(o *spelling) {
	s.decode.union(o.decode)
	s.encode.union(o.encode)
	if o.hex != 0 {
		s.hex = o.hex
	}
	if o.double != 0 {
		s.double = o.double
	}
	s.space += o.space // of a query only
	s.fold = s.fold || o.fold
}

// key appends a text that distinguishes s from others, whichever bytes it is about.
func (s *spelling) key(b []byte) []byte {
	if *s == (spelling{}) {
		return b
	}
	b = append(b, sign(s.hex), sign(s.space), sign(s.double))
	for i, is := range [3]bool{s.fold, !s.decode.empty(), !s.encode.empty()} {
		if is {
			b = append(b, "cde"[i])
		}
	}
	return append(b, ' ')
}

func sign(n int8) byte { return "-.+"[n+1] }
