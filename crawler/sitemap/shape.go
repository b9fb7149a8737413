package sitemap

import "bytes"

// A shape is the places of the parts of a tag, counted from its "<". Most tags of a sitemap are
// plain: a name, and attributes as name="value".
type shape struct {
	plain      bool // the tag is plain, and what follows is valid
	from, end  int  // of its name
	colon      int  // in the name; 0 where there is none
	count      int
	attributes [maxAttributes]valueAt
}

// A valueAt is the place of the name and the value of an attribute.
type valueAt struct{ name, nameEnd, from, end int }

const maxAttributes = 8 // a tag with more is not plain

// nameByte contains the bytes of names, without the colon.
var nameByte = func() (set [256]bool) {
	for c := range set {
		set[c] = nameStart[c] && c != ':' || c >= '0' && c <= '9' || c == '-' || c == '.'
	}
	return set
}()

// scan returns the length of the tag that b begins with where it is plain and has no attributes;
// else 0.
func (s *shape) scan(b []byte) int {
	i := 1
	if len(b) > 1 && b[1] == '/' {
		i = 2
	}
	s.from, s.colon, s.count = i, 0, 0
	for i < len(b) && nameByte[b[i]] {
		i++
	}
	if i < len(b) && b[i] == ':' {
		s.colon = i
		for i++; i < len(b) && nameByte[b[i]]; i++ {
		}
	}
	s.end = i
	if s.plain = i < len(b) && b[i] == '>'; s.plain {
		return i + 1
	}
	return 0
}

// scanAttributes returns the length of the tag that b begins with, after scan has found its name; 0
// where the tag is not plain or does not end in b. b has no second "<".
func (s *shape) scanAttributes(b []byte) int {
	i := s.end
	for {
		at := i
		for i < len(b) && asciiSpace(b[i]) {
			i++
		}
		if n := s.ending(b[i:]); n > 0 {
			s.plain = true
			return i + n
		}
		if i == at || s.count == maxAttributes {
			return 0
		}
		if i = s.scanAttribute(b, i); i == 0 {
			return 0
		}
	}
}

// ending returns the length of the ">" or "/>" that b begins with; else 0.
func (s *shape) ending(b []byte) int {
	switch {
	case len(b) > 0 && b[0] == '>':
		return 1
	case len(b) > 1 && b[0] == '/' && b[1] == '>' && s.from == 1:
		return 2
	}
	return 0
}

// scanAttribute returns the place after the attribute that begins at i in b; 0 where it is not
// plain.
func (s *shape) scanAttribute(b []byte, i int) int {
	a := &s.attributes[s.count]
	a.name = i
	for i < len(b) && (nameByte[b[i]] || b[i] == ':') {
		i++
	}
	a.nameEnd = i
	if i == a.name || i+2 >= len(b) || b[i] != '=' || b[i+1] != '"' {
		return 0
	}
	a.from = i + 2
	n := bytes.IndexByte(b[a.from:], '"')
	if n < 0 {
		return 0
	}
	a.end = a.from + n
	s.count++
	return a.end + 1
}

// name returns the name of the last tag.
func (t *tokens) name() []byte {
	if s := &t.shape; s.plain {
		return t.raw()[s.from:s.end]
	}
	name, _ := tagName(t.raw())
	return name
}

// names returns the parts of the name of the last tag.
func (t *tokens) names() (prefix, local []byte) {
	s := &t.shape
	if !s.plain {
		return split(t.name())
	}
	tag := t.raw()
	if s.colon == 0 {
		return nil, tag[s.from:s.end]
	}
	return tag[s.from:s.colon], tag[s.colon+1 : s.end]
}

// bare reports whether the last tag is known to consist of a name only.
func (t *tokens) bare() bool { return t.shape.plain && t.shape.count == 0 }

// attribute returns the attribute of the last tag with a name, where it has a value.
func (t *tokens) attribute(name string) (attribute, bool) {
	tag, s := t.raw(), &t.shape
	if !s.plain {
		return find(tag, name)
	}
	for i := range s.attributes[:s.count] {
		a := &s.attributes[i]
		if string(tag[a.name:a.nameEnd]) == name {
			return attribute{tag[a.name:a.nameEnd], tag[a.from:a.end], a.from, a.end, false}, true
		}
	}
	return attribute{}, false
}
