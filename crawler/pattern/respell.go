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

// bytes returns the members in order.
func (s byteSet) bytes() []byte {
	var all []byte
	for c := range byte(0x80) {
		if s.has(c) {
			all = append(all, c)
		}
	}
	return all
}

// A respelling changes how the bytes of a path or query are written. The zero respelling changes
// nothing.
type respelling struct {
	decode, encode byteSet // escapes that become literal, and literals that become escapes
	hex            int8    // case of the digits of escapes: 1 for upper, -1 for lower
	lower          bool    // new escapes have digits in lower case
	space          int8    // in a query: 1 for + to %20, -1 for %20 to +
	double         int8    // 1 for %25XX to %XX, -1 for %XX to %25XX
	fold           bool    // literal letters become lower case
}

func (r *respelling) none() bool { return *r == respelling{} }

// between adds to r the change from one path or query to another. It returns false, with r
// unchanged, where more than the spelling differs.
func (r *respelling) between(from, to string, query bool) bool {
	n := *r
	i, j := 0, 0
	for i < len(from) && j < len(to) {
		x, k := speltAt(from, i, query)
		y, m := speltAt(to, j, query)
		switch {
		case n.byte(x, y):
		case isDoubled(from[i:]) && y.encoded && sameEscape(from[i+3:i+5], to[j+1:j+3]):
			n.double, k = 1, 5
		case isDoubled(to[j:]) && x.encoded && sameEscape(from[i+1:i+3], to[j+3:j+5]):
			n.double, m = -1, 5
		default:
			return false
		}
		i, j = i+k, j+m
	}
	if i < len(from) || j < len(to) {
		return false
	}
	*r = n
	return true
}

// byte adds the change from x to y; it returns false where they are different bytes.
func (r *respelling) byte(x, y speltByte) bool {
	switch {
	case plusByte(x, y):
		r.encode.add('+')
	case plusByte(y, x):
		r.decode.add('+')
	case x.value != y.value:
		if x.encoded || y.encoded || x.value < 'A' || x.value > 'Z' || x.value+'a'-'A' != y.value {
			return false
		}
		r.fold = true
	case x.plus != y.plus:
		r.space = 1
		if y.plus {
			r.space = -1
		}
	case x.encoded && !y.encoded:
		r.decode.add(x.value)
	case y.encoded && !x.encoded:
		r.encode.add(x.value)
		r.lower = r.lower || y.hex == 2
	case x.hex != y.hex:
		r.hex = 1
		if y.hex == 2 {
			r.hex = -1
		}
	}
	return true
}

// isDoubled reports whether s begins with an escape that is escaped itself.
func isDoubled(s string) bool {
	return len(s) >= 5 && s[:3] == "%25" && address.Unhex(s[3]) >= 0 && address.Unhex(s[4]) >= 0
}

// sameEscape compares the digits of two escapes.
func sameEscape(a, b string) bool {
	return address.Unhex(a[0]) == address.Unhex(b[0]) && address.Unhex(a[1]) == address.Unhex(b[1])
}

// apply returns s in the other spelling.
func (r *respelling) apply(s string, query bool) string {
	if r.none() {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		if r.double > 0 && isDoubled(s[i:]) {
			b = append(b, '%', s[i+3], s[i+4])
			i += 5
			continue
		}
		c, n := speltAt(s, i, query)
		b = r.write(b, c, s[i:i+n])
		i += n
	}
	return string(b)
}

// write appends a byte whose spelling is text.
func (r *respelling) write(b []byte, c speltByte, text string) []byte {
	switch {
	case c.plus && r.encode.has('+'):
		return append(b, "%2B"...)
	case c.plus && r.space > 0:
		return append(b, "%20"...)
	case c.encoded && c.value == ' ' && r.space < 0:
		return append(b, '+')
	case c.encoded && r.decode.has(c.value):
		return append(b, c.value)
	case c.encoded && r.double < 0:
		return append(append(b, "%25"...), text[1:]...)
	case c.encoded && r.hex != 0:
		return append(b, '%', hexCase(text[1], r.hex > 0), hexCase(text[2], r.hex > 0))
	case !c.encoded && !c.plus && r.encode.has(c.value):
		return append(b, '%', hexCase("0123456789abcdef"[c.value>>4], !r.lower),
			hexCase("0123456789abcdef"[c.value&15], !r.lower))
	case r.fold && !c.encoded && c.value >= 'A' && c.value <= 'Z':
		return append(b, c.value+'a'-'A')
	}
	return append(b, text...)
}

func hexCase(c byte, upper bool) byte {
	switch {
	case upper && c >= 'a' && c <= 'f':
		return c - 'a' + 'A'
	case !upper && c >= 'A' && c <= 'F':
		return c - 'A' + 'a'
	}
	return c
}

// key appends a text that distinguishes r from others: it contains the bytes of r only where exact
// is set.
func (r *respelling) key(b []byte, exact bool) []byte {
	if r.none() {
		return b
	}
	b = append(b, signs(r.hex, "^v"), signs(r.space, "_+"), signs(r.double, "1D"))
	if r.fold {
		b = append(b, 'c')
	}
	if r.lower {
		b = append(b, 'l')
	}
	for i, set := range []byteSet{r.decode, r.encode} {
		if set.empty() {
			continue
		}
		b = append(b, "de"[i])
		if exact {
			b = append(b, set.bytes()...)
		}
	}
	return b
}

func signs(n int8, two string) byte {
	switch {
	case n > 0:
		return two[0]
	case n < 0:
		return two[1]
	}
	return '.'
}
