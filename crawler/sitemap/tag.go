package sitemap

import "bytes"

// tagName returns the name in a start, end or self-closing tag, and the bytes
// after it without the closing ">" or "/>".
func tagName(tag []byte) (name, rest []byte) {
	b := tag[1 : len(tag)-1]
	if len(b) > 0 && b[0] == '/' {
		b = b[1:]
	} else if len(b) > 0 && b[len(b)-1] == '/' {
		b = b[:len(b)-1]
	}
	for i, c := range b {
		if asciiSpace(c) {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// split cuts a name into prefix and local name.
func split(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// An attribute is a name and a value in a tag. The place of the value counts from the start of the
// tag; the value is as written.
type attribute struct {
	name       []byte
	value      []byte // nil where there is no "="
	start, end int
	bare       bool // the value stands without quotes
}

// attributes calls visit with the attributes of a tag until visit returns false. It accepts values
// without quotes and names without a value, as HTML does.
func attributes(tag []byte, visit func(attribute) bool) {
	name, rest := tagName(tag)
	at := bytes.Index(tag, name) + len(name)
	b := tag[:at+len(rest)]
	for {
		for at < len(b) && (asciiSpace(b[at]) || b[at] == '/') {
			at++
		}
		if at >= len(b) {
			return
		}
		a, next := oneAttribute(b, at)
		if !visit(a) {
			return
		}
		at = next
	}
}

// oneAttribute parses the attribute of b at a place that is not white space.
func oneAttribute(b []byte, at int) (attribute, int) {
	from := at
	for at++; at < len(b) && b[at] != '=' && !asciiSpace(b[at]); at++ {
	}
	a := attribute{name: b[from:at], start: at, end: at}
	for at < len(b) && asciiSpace(b[at]) {
		at++
	}
	if at >= len(b) || b[at] != '=' {
		return a, at
	}
	for at++; at < len(b) && asciiSpace(b[at]); at++ {
	}
	stop := asciiSpace
	a.bare = true
	if at < len(b) && (b[at] == '"' || b[at] == '\'') {
		quote := b[at]
		stop = func(c byte) bool { return c == quote }
		a.bare = false
		at++
	}
	a.start = at
	for at < len(b) && !stop(b[at]) {
		at++
	}
	a.end = at
	a.value = b[a.start:a.end]
	return a, min(at+1, len(b))
}

// find returns the attribute of a tag with a name, where it has a value.
func find(tag []byte, name string) (found attribute, ok bool) {
	attributes(tag, func(a attribute) bool {
		if ok = string(a.name) == name && a.value != nil; ok {
			found = a
		}
		return !ok
	})
	return found, ok
}
