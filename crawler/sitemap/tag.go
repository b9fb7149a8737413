package sitemap

import "bytes"

const maxName = 256 // bytes of a name that count

// name returns the name of the last tag.
func (t *tokens) name() []byte { return t.raw()[t.nameFrom:min(t.nameEnd, t.nameFrom+maxName)] }

// bare reports whether the last tag consists of a name only.
func (t *tokens) bare() bool { return t.end-t.start == int64(t.nameEnd)+1 }

// split cuts a name into prefix and local name.
func split(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// tagName returns the name in a tag.
func tagName(tag []byte) string {
	i := 1
	for i < len(tag) && nameByte[tag[i]] {
		i++
	}
	return string(tag[1:i])
}

// An attribute is a name and a value in a tag. The place of the value counts from the start of the
// tag; the value is as written.
type attribute struct {
	name       []byte
	value      []byte // nil where there is no "="
	start, end int
	bare       bool // the value stands without quotes
}

// attributes returns the attributes of the last tag. It accepts values without quotes and names
// without a value, as HTML does.
func (t *tokens) attributes() []attribute {
	if t.parsed {
		return t.attrs
	}
	t.parsed, t.attrs = true, t.attrs[:0]
	tag := t.raw()
	b := bytes.TrimSuffix(tag[:len(tag)-1], []byte("/"))
	for at := t.nameEnd; ; {
		for at < len(b) && (asciiSpace(b[at]) || b[at] == '/') {
			at++
		}
		if at >= len(b) {
			return t.attrs
		}
		t.attrs = append(t.attrs, attribute{})
		at = t.attrs[len(t.attrs)-1].parse(b, at)
	}
}

// parse reads the attribute of b at a place that is not white space, and returns the place behind it.
func (a *attribute) parse(b []byte, at int) (next int) {
	from := at
	for at++; at < len(b) && b[at] != '=' && !asciiSpace(b[at]); at++ {
	}
	a.name, a.start, a.end = b[from:at], at, at
	for at < len(b) && asciiSpace(b[at]) {
		at++
	}
	if at >= len(b) || b[at] != '=' {
		return at
	}
	for at++; at < len(b) && asciiSpace(b[at]); at++ {
	}
	a.bare = at >= len(b) || b[at] != '"' && b[at] != '\''
	if a.bare {
		a.start = at
		for at < len(b) && !asciiSpace(b[at]) {
			at++
		}
	} else {
		a.start = at + 1
		n := bytes.IndexByte(b[at+1:], b[at])
		if at = a.start + n; n < 0 {
			at = len(b)
		}
	}
	a.end, a.value = at, b[a.start:at]
	return min(at+1, len(b))
}

// attribute returns the attribute of the last tag with a name, where it has a value.
func (t *tokens) attribute(name string) (a *attribute, ok bool) {
	list := t.attributes()
	for i := range list {
		if a := &list[i]; string(a.name) == name && a.value != nil {
			return a, true
		}
	}
	return nil, false
}

func asciiSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func hasFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}
