package address

import (
	"strings"
)

// A Choice is one byte of a path or query that has another common spelling, with which the address
// means the same to most servers.
type Choice struct {
	Pos   int    // index in the wire form
	Query bool   // it is in the query, not in the path
	Char  string // the character: "(", " "
	Spelt string // as written: "%28"
	Other string // the other spelling: "("
	Why   Reason // Reserved, Unreserved, Unencoded or Space
}

// choosable are the bytes that some programs write literally and others as %XX, in a path and in a
// query: the reserved ones (RFC 3986, 2.2) that delimit nothing there, "~" (unsafe in RFC 1738) and
// the brackets. In a query "&", "=", "+" and ";" are delimiters: encoded they make a different
// query.
const (
	choosablePath  = "!$&'()*+,;=:@~[]"
	choosableQuery = "!$'()*,:@/?~[]"
)

// Choices returns the bytes of path and query that have another common spelling, in order: reserved
// ones and "~", literal or %XX; other unreserved ones written as %XX; brackets; a bare "%"; and a
// space of the query as "+" or %20. It leaves out literal letters, digits, "-", "." and "_", which
// no program encodes, and the case of hex digits, which SpellHex changes.
func Choices(a Address) []Choice {
	list := choices(nil, a.Path(), int(a.auth), false)
	if q, has := a.Query(); has {
		list = choices(list, q, int(a.path)+1, true)
	}
	return list
}

// choices adds those of a path or query that begins at index pos of the wire form.
func choices(list []Choice, s string, pos int, query bool) []Choice {
	dots := dotBytes(s, query)
	open := 0
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		other, why := t.otherwise(query, open)
		if other != "" && !dots[i] {
			list = append(list, Choice{Pos: pos + i, Query: query, Char: t.means(query),
				Spelt: s[i : i+int(t.len)], Other: other, Why: why})
		}
		open = stillOpen(open, t)
		i += int(t.len)
	}
	return list
}

// dotBytes returns the bytes of a path's segments that decode to a dot segment: literal, they would
// lead to another path.
func dotBytes(path string, query bool) map[int]bool {
	in := map[int]bool{}
	for i := 0; !query && i < len(path); {
		end := strings.IndexByte(path[i:], '/')
		if end < 0 {
			end = len(path) - i
		}
		if dotSegment(path[i:i+end]) > 0 {
			for k := range end {
				in[i+k] = true
			}
		}
		i += end + 1
	}
	return in
}

func (t token) means(query bool) string {
	if query && t.kind == raw && t.value == '+' {
		return " "
	}
	return string(rune(t.value))
}

// otherwise returns the other spelling of a token; "" for none. open is the result of stillOpen for
// the tokens before it: a digit that is decoded there would become part of an escape.
func (t token) otherwise(query bool, open int) (other string, why Reason) {
	set := choosablePath
	if query {
		set = choosableQuery
	}
	c := t.value
	chosen := strings.IndexByte(set, c) >= 0
	switch {
	case t.kind == bare:
		return "%25", Unencoded
	case query && t.kind == raw && c == '+':
		return "%20", Space
	case query && t.kind == escaped && c == ' ':
		return "+", Space
	case c >= 0x80:
		return "", ""
	case t.kind == escaped && strings.IndexByte(unreserved, c) >= 0 && (open == 0 || !isHex(c)):
		return string(rune(c)), Unreserved
	case !chosen:
		return "", ""
	case t.kind == escaped:
		return string(rune(c)), reasonOf(c)
	}
	return "%" + string([]byte{upperHex[c>>4], upperHex[c&15]}), reasonOf(c)
}

func reasonOf(c byte) Reason {
	switch c {
	case '~':
		return Unreserved
	case '[', ']':
		return Unencoded
	}
	return Reserved
}

// Choose returns a with each of the choices in its other spelling. The choices must be from
// Choices(a), in their order.
func Choose(a Address, choices []Choice) Address {
	if len(choices) == 0 {
		return a
	}
	var b strings.Builder
	path, at := int(a.path), 0
	for _, c := range choices {
		b.WriteString(a.wire[at:c.Pos])
		b.WriteString(c.Other)
		at = c.Pos + len(c.Spelt)
		if !c.Query {
			path += len(c.Other) - len(c.Spelt)
		}
	}
	b.WriteString(a.wire[at:])
	return Address{wire: b.String(), host: a.host, auth: a.auth, path: int32(path)}
}

// SpellHex returns a with the hex digits of all escapes in upper or in lower
// case.
func SpellHex(a Address, upper bool) Address {
	b := []byte(a.wire)
	for i := int(a.auth); i < len(b); {
		t := tokenAt(a.wire, i)
		if t.kind == escaped {
			for k := i + 1; k < i+3; k++ {
				b[k] = hexDigit(b[k], upper)
			}
		}
		i += int(t.len)
	}
	if string(b) == a.wire {
		return a
	}
	a.wire = string(b)
	return a
}

func hexDigit(c byte, upper bool) byte {
	digits := "0123456789abcdef"
	if upper {
		digits = upperHex
	}
	return digits[unhex[c]]
}
