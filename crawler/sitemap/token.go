package sitemap

import "bytes"

// A token is a kind of token of XML.
type token uint8

const (
	tokEnd   token = iota // the end of the text
	tokText               // text; if it begins with "<", it looks like markup but is not
	tokCDATA              // a whole CDATA section
	tokOpen               // a start tag
	tokEmpty              // a self-closing tag
	tokClose              // an end tag
	tokOther              // a comment, processing instruction or DOCTYPE
)

// tokens splits a text into tokens that follow one another without a gap. It checks only what it
// needs to find their ends; a "<" that begins no complete token is text.
type tokens struct {
	window
	start, end int64 // of the last token
	nameFrom   int   // of a tag: where its name begins and ends, counted from its "<"
	nameEnd    int
	expected   []byte      // the name of the innermost element, whose end tag is the likely one
	attrs      []attribute // of a tag, once they were asked for
	parsed     bool
	intro      []byte // the beginning of a tokOther, up to 512 bytes
	first      [512]byte
	cut        bool // the text ended within a comment, a CDATA section or a processing instruction
}

// raw returns the bytes of the last token, valid until next; nil where some have left the window,
// which happens to long ones outside of elements.
func (t *tokens) raw() []byte {
	if t.start < t.off {
		return nil
	}
	return t.bytes(Span{t.start, t.end})
}

// next moves to the next token.
func (t *tokens) next() token {
	t.start, t.end = t.here(), t.here()
	if !t.need(1) {
		return tokEnd
	}
	if t.buf[t.pos] != '<' {
		return t.text(0)
	}
	t.need(9)
	switch b := t.buf[t.pos:]; {
	case len(b) < 2:
		return t.text(1)
	case nameStart[b[1]]:
		return t.tag(tokOpen)
	case b[1] == '/':
		if n := len(t.expected) + len("</>"); len(b) >= n && b[n-1] == '>' && bytes.Equal(b[2:n-1], t.expected) {
			t.nameFrom, t.nameEnd = 2, n-1
			return t.take(tokClose, n)
		}
		return t.tag(tokClose)
	case b[1] == '?':
		return t.skip(2, "?>", tokOther)
	case bytes.HasPrefix(b, []byte("<!--")):
		return t.skip(4, "-->", tokOther)
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return t.skip(9, "]]>", tokCDATA)
	case hasFold(b, "<!DOCTYPE"):
		return t.skip(9, ">", tokOther)
	}
	return t.text(1)
}

// take ends the token n bytes behind the place that is reached.
func (t *tokens) take(kind token, n int) token {
	t.pos += n
	t.end = t.here()
	return kind
}

// text reads to the next "<" at or after from.
func (t *tokens) text(from int) token {
	for {
		if i := bytes.IndexByte(t.buf[t.pos+from:], '<'); i >= 0 {
			return t.take(tokText, from+i)
		}
		from = len(t.buf) - t.pos
		if !t.more() {
			return t.take(tokText, from)
		}
	}
}

// nameStart contains the bytes that an element's name may begin with; all from 0x80 on are
// accepted.
var nameStart = func() (set [256]bool) {
	for c := range set {
		set[c] = c >= 0x80 || c == '_' || c == ':' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return set
}()

// nameByte contains the bytes of names.
var nameByte = func() (set [256]bool) {
	for c := range set {
		set[c] = nameStart[c] || c >= '0' && c <= '9' || c == '-' || c == '.'
	}
	return set
}()

// tag reads a tag. A tag with a "<" in it counts as text.
func (t *tokens) tag(kind token) token {
	for {
		b := t.buf[t.pos:]
		n := t.tagLength(b)
		switch {
		case n > 0 && kind == tokOpen && b[n-2] == '/':
			return t.take(tokEmpty, n)
		case n > 0:
			return t.take(kind, n)
		case n < 0 || !t.grow():
			return t.text(1)
		}
	}
}

// tagLength returns the length of the tag that b begins with; 0 where it does not end in b, and -1
// where a "<" stands in it.
func (t *tokens) tagLength(b []byte) int {
	t.parsed, t.nameFrom = false, 1
	if b[1] == '/' {
		t.nameFrom = 2
	}
	i := t.nameFrom
	for i < len(b) && nameByte[b[i]] {
		i++
	}
	end, searched := 0, false // what is returned where b ends within the tag
	for t.nameEnd = i; i < len(b); i++ {
		switch c := b[i]; c {
		case '>':
			return i + 1
		case '<':
			return -1
		case '"', '\'':
			if !searched {
				searched = true
				if next := bytes.IndexByte(b[i:], '<'); next >= 0 {
					b, end = b[:i+next], -1
				}
			}
			n := bytes.IndexByte(b[i+1:], c)
			if n < 0 {
				return end
			}
			i += n + 1
		}
	}
	return end
}

// skip reads to the end mark of a token, that of a DOCTYPE with brackets being behind these. A token
// without one extends to the end of the text.
func (t *tokens) skip(from int, mark string, kind token) token {
	t.need(len(t.first))
	t.intro = t.first[:copy(t.first[:], t.buf[t.pos:])]
	if i := bytes.IndexAny(t.intro, "[>"); mark == ">" && i >= 0 && t.intro[i] == '[' {
		mark = "]>"
	}
	end := []byte(mark)
	t.pos += from
	for {
		b := t.buf[t.pos:]
		if i := bytes.Index(b, end); i >= 0 {
			return t.take(kind, i+len(end))
		}
		t.pos += max(len(b)-len(end)+1, 0)
		if !t.more() {
			t.intro, t.cut = nil, true
			return t.take(tokOther, len(t.buf)-t.pos)
		}
	}
}

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
	name, value []byte
	start, end  int
}

// attributes returns the attributes of the last tag. One without a value, or without quotes around it,
// has no value: XML knows no such (XML 1.0, 3.1).
func (t *tokens) attributes() []attribute {
	if t.parsed {
		return t.attrs
	}
	t.parsed, t.attrs = true, t.attrs[:0]
	tag := t.raw()
	b, at := bytes.TrimSuffix(tag[:len(tag)-1], []byte("/")), t.nameEnd
	skip := func(while func(c byte) bool) []byte {
		from := at
		for at < len(b) && while(b[at]) {
			at++
		}
		return b[from:at]
	}
	for {
		if skip(asciiSpace); at >= len(b) {
			return t.attrs
		}
		a := attribute{name: skip(func(c byte) bool { return c != '=' && !asciiSpace(c) })}
		if skip(asciiSpace); at < len(b) && b[at] == '=' {
			at++
			skip(asciiSpace)
			if n := quoted(b[at:]); n >= 0 {
				a.start, a.end = at+1, at+1+n
				a.value = b[a.start:a.end]
				at = a.end + 1
			} else {
				skip(func(c byte) bool { return !asciiSpace(c) })
			}
		}
		t.attrs = append(t.attrs, a)
	}
}

// quoted returns the length of the text between the quotes that b begins with; -1 for none.
func quoted(b []byte) int {
	if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return -1
	}
	return bytes.IndexByte(b[1:], b[0])
}

// attribute returns the attribute of the last tag with a name.
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
