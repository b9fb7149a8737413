package pattern

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// A speltByte is one byte of a path or query and the way it is written there.
type speltByte struct {
	value   byte // a space for a "+" in a query
	encoded bool
	plus    bool  // the space is written "+"
	hex     uint8 // letters of the escape: 1 upper case, 2 some lower, 0 no letters
}

// speltAt returns the byte at index i of a path or query, and its length in the text.
func speltAt(s string, i int, query bool) (speltByte, int) {
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
		b.hex = 2
	case s[i+1] >= 'A' || s[i+2] >= 'A':
		b.hex = 1
	}
	return b, 3
}

// Bytes that some programs write literally and others as %XX, where they delimit nothing (RFC 3986,
// 2.2 and 3.3; "~" was unsafe in RFC 1738).
const (
	choicePath  = "!$&'()*+,;=:@~[]"
	choiceQuery = "!$'()*,;:@/?~[]"
)

// choice returns the thing that b has a spelling of, and the side that it is on; ok is false for
// bytes that all programs spell alike.
func (b speltByte) choice(query bool) (what thing, side int, ok bool) {
	set := choicePath
	if query {
		set = choiceQuery
	}
	switch {
	case query && b.value == ' ':
		return theSpace, b.spaceSide(), true
	case strings.IndexByte(set, b.value) < 0:
		return 0, 0, false
	case b.encoded:
		return thing(b.value), sideB, true
	}
	return thing(b.value), sideA, true
}

func (b speltByte) spaceSide() int {
	if b.plus {
		return sideA
	}
	return sideB
}

// component returns the path (0) or the query (1) of an address.
func component(a address.Address, c int) string {
	if c == 0 {
		return a.Path()
	}
	q, _ := a.Query()
	return q
}

// A change is one thing that two spellings of an address spell differently, with the side of the
// second one.
type change struct {
	query bool
	what  thing
	side  int
}

// maxChanges limits the changes of one pair: two spellings of an address differ in a few things
// only.
const maxChanges = 32

// changes collects the differences between two spellings of one address.
type changes struct {
	list [maxChanges]change
	n    int
}

// things returns how many distinct things changed, whatever their sides.
func (c *changes) things() int {
	n := 0
	for i, x := range c.list[:c.n] {
		alike := func(o change) bool { return o.what == x.what && o.query == x.query }
		if !slices.ContainsFunc(c.list[:i], alike) {
			n++
		}
	}
	return n
}

func (c *changes) add(x change) {
	if c.n < maxChanges && !slices.Contains(c.list[:c.n], x) {
		c.list[c.n] = x
		c.n++
	}
}

// find adds the differences between a component of two spellings. Where their bytes differ, it
// compares them in the charset only, not in other ways (a Unicode form, an escape that is escaped
// itself).
func (c *changes) find(from, to string, query, charset bool) {
	if from == to {
		return
	}
	before := c.n
	i, j := 0, 0
	for i < len(from) && j < len(to) {
		x, n := speltAt(from, i, query)
		y, m := speltAt(to, j, query)
		if x.value != y.value && !plusByte(x, y) && !plusByte(y, x) {
			break
		}
		c.compare(x, y, query)
		i, j = i+n, j+m
	}
	if i == len(from) && j == len(to) {
		return
	}
	c.n = before
	if charset {
		c.add(change{query: query, what: theCharset})
	}
}

// compare adds the difference between two spellings of one byte.
func (c *changes) compare(x, y speltByte, query bool) {
	switch {
	case plusByte(x, y):
		c.add(change{query, '+', sideB})
	case plusByte(y, x):
		c.add(change{query, '+', sideA})
	case x.plus != y.plus:
		c.add(change{query, theSpace, y.spaceSide()})
	case x.encoded != y.encoded && x.value < 0x80:
		side := sideA
		if y.encoded {
			side = sideB
		}
		c.add(change{query, thing(x.value), side})
	case x.hex != y.hex && x.hex > 0 && y.hex > 0:
		c.add(change{query, theHex, int(y.hex) - 1})
	}
}

// plusByte reports whether x is a "+" of a query and y the escape of one: to a server that
// redirects from one to the other, "+" is not a space.
func plusByte(x, y speltByte) bool { return x.plus && y.encoded && y.value == '+' }
