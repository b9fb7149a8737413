package accesslog

import "bytes"

// maxDepth limits the nesting of objects, far above that of any log.
const maxDepth = 24

// ignored is the scope of all other objects.
var ignored scope

// members reads the object or list that begins at b[i], whose own name is key, and returns where it
// ends; -1 where it is neither. The first value of a list stands for the list.
func (p *parser) members(b []byte, i int, s *scope, key []byte, depth int) int {
	end := b[i] + 2 // the bracket that closes
	i = space(b, i+1)
	for first := true; depth > 0 && i < len(b); first = false {
		if b[i] == end && first {
			return i + 1
		}
		switch {
		case end == '}':
			key, i = jsonString(b, i)
			if i = space(b, i); i < 0 || i >= len(b) || b[i] != ':' {
				return -1
			}
			i = space(b, i+1)
		case !first:
			key = nil
		}
		if i = space(b, p.value(b, i, s, key, depth)); i < 0 || i >= len(b) {
			return -1
		}
		if b[i] == end {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = space(b, i+1)
	}
	return -1
}

// value reads the value at b[i], keeps it where its name means something, and returns where it
// ends; -1 where there is none.
func (p *parser) value(b []byte, i int, s *scope, key []byte, depth int) int {
	if i >= len(b) {
		return -1
	}
	var text []byte
	from := i
	switch b[i] {
	case '{':
		inside := s.inside[string(key)]
		if inside == nil {
			inside = &ignored
		}
		return p.members(b, i, inside, nil, depth-1)
	case '[':
		return p.members(b, i, s, key, depth-1)
	case '"':
		if text, i = jsonString(b, i); i < 0 {
			return -1
		}
	default:
		for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
			i++
		}
		if text = b[from:i]; len(text) == 0 {
			return -1
		}
		if string(text) == "null" {
			return i
		}
	}
	if m := p.meaning(s, key); m != (meaning{}) {
		p.set(m, p.plain('\\', text))
	}
	return i
}

// recalled is what a name meant at its place in the line before: nearly all lines of a log have the
// same names in the same order.
type recalled struct {
	scope   *scope
	name    []byte
	meaning meaning
}

// meaning returns what a name means in a scope; nothing where it is no name.
func (p *parser) meaning(s *scope, key []byte) meaning {
	r := &p.recalled[p.place%len(p.recalled)]
	p.place++
	if r.scope != s || string(r.name) != string(key) {
		*r = recalled{s, append(r.name[:0], key...), s.names[string(key)]}
	}
	return r.meaning
}

// space returns the end of the white space at b[i]; i itself where it is no place.
func space(b []byte, i int) int {
	for i >= 0 && i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// jsonString returns the text between the quote at b[i] and the one that ends the string, and where
// that ends; -1 where there is none.
func jsonString(b []byte, i int) (text []byte, next int) {
	if i < 0 || i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	for from := i + 1; ; {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return nil, -1
		}
		from += n + 1
		if b[from-2] != '\\' || !escaped(b[i+1:], from-i-2) {
			return b[i+1 : from-1], from
		}
	}
}

// escaped reports whether a backslash that is not escaped itself stands before b[i].
func escaped(b []byte, i int) bool {
	n := 0
	for i-n > 0 && b[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}
