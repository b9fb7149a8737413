package fetch

import (
	"bytes"
	"io"
	"strings"
)

// A markup splits a page into texts and tags as HTML's tokenizer does (standard, 13.2.5), and copies
// nothing. It holds one piece at a time.
type markup struct {
	r    io.Reader
	err  error  // of r
	buf  []byte // not yet split from at on
	at   int
	name string // of the tag that was returned last; "" for an element that is not one of elements
	raw  bool   // its content is text, and comes next
}

// A piece says what a markup returned.
type piece uint8

const (
	noPiece   piece = iota // a comment, or text that was left out
	textPiece              // whole, up to the next tag
	startTag               // from "<" to ">"
	endTag
	pageEnd
)

// markupSize is how many bytes are read at once.
const markupSize = 16 << 10

// begin begins with a page whose first bytes are head, and the others in r.
func (m *markup) begin(head []byte, r io.Reader, err error) {
	*m = markup{r: r, err: err, buf: append(m.buf[:0], head...)}
}

// next returns the next piece; its bytes are valid until the next call. Text outside of special
// elements is left out where that is not wanted, and so are tags of other elements.
func (m *markup) next(texts, tags bool) (piece, []byte) {
	for {
		b := m.buf[m.at:]
		if !texts && !m.raw {
			if i := bytes.IndexByte(b, '<'); i > 0 {
				m.at += i
				b = b[i:]
			}
		}
		kind, n := m.split(b, texts)
		switch {
		case n >= 0:
			m.at += n
			if kind == textPiece || kind != noPiece && (tags || m.name != "") {
				return kind, b[:n]
			}
		case m.err != nil:
			return pageEnd, nil
		default:
			m.more()
		}
	}
}

// more reads on, at least as many bytes as are held, so that what is held for long is not searched
// too often.
func (m *markup) more() {
	m.buf = append(m.buf[:0], m.buf[m.at:]...)
	m.at = 0
	for want := max(1, len(m.buf)); want > 0 && m.err == nil; {
		if cap(m.buf)-len(m.buf) < markupSize/2 {
			m.buf = append(make([]byte, 0, 2*cap(m.buf)+markupSize), m.buf...)
		}
		var n int
		n, m.err = m.r.Read(m.buf[len(m.buf):cap(m.buf)])
		m.buf = m.buf[:len(m.buf)+n]
		want -= n
	}
}

// split returns the length of the piece that b begins with; below 0 where its end was not read.
func (m *markup) split(b []byte, wanted bool) (piece, int) {
	if m.raw {
		n := rawEnd(b, m.name)
		switch {
		case n < 0 && m.err == nil:
			return noPiece, -1
		case n < 0:
			n = len(b)
		}
		if m.raw = false; n > 0 {
			return textPiece, n
		}
	}
	n, found := textEnd(b)
	switch {
	case n > 0 && !wanted:
		return noPiece, n
	case n > 0 && (found || m.err != nil):
		return textPiece, n
	case n > 0 || len(b) < len("<!--"):
		return noPiece, -1
	}
	switch c := b[1]; {
	case isLetter(c):
		m.name = elements.find(b[1:nameEnd(b, 1)])
		n = tagEnd(b, 2)
		m.raw = n > 0 && m.name != "" && rawElements[m.name]
		return startTag, n
	case c == '/' && isLetter(b[2]):
		m.name = elements.find(b[2:nameEnd(b, 2)])
		return endTag, tagEnd(b, 3)
	case c == '!' && b[2] == '-' && b[3] == '-':
		return noPiece, commentEnd(b)
	}
	if n = bytes.IndexByte(b, '>'); n > 0 {
		n++
	}
	return noPiece, n
}

// textEnd returns the length of the text that b begins with, and whether something follows it.
func textEnd(b []byte) (n int, found bool) {
	for {
		i := bytes.IndexByte(b[n:], '<')
		if i < 0 {
			return len(b), false
		}
		if n += i; n+1 == len(b) {
			return n, false
		}
		if c := b[n+1]; isLetter(c) || c == '/' || c == '!' || c == '?' {
			return n, true
		}
		n++
	}
}

// rawElements are the elements whose content is text.
var rawElements = map[string]bool{"iframe": true, "noembed": true, "noframes": true, "noscript": true, "plaintext": true,
	"script": true, "style": true, "textarea": true, "title": true, "xmp": true}

// names are names by their first letter.
type names [26][]string

func namesOf(list string) (known names) {
	for name := range strings.FieldsSeq(list) {
		known[name[0]-'a'] = append(known[name[0]-'a'], name)
	}
	return known
}

// find returns the name that b is in any case; "" where it is none of these.
func (known *names) find(b []byte) string {
	if len(b) > 0 && isLetter(b[0]) {
		for _, name := range known[b[0]|0x20-'a'] {
			if len(name) == len(b) && bytes.EqualFold(b, []byte(name)) {
				return name
			}
		}
	}
	return ""
}

// The elements that are treated specially, and the attributes that are read.
var (
	elements = namesOf(`html head title base link meta script style noscript template basefont bgsound noframes body h1
		textarea iframe frame noembed xmp plaintext img svg picture video audio canvas object embed input button select`)
	attributeNames = namesOf(`async content defer href hreflang http-equiv lang media name onload rel shadowrootmode src type`)
)

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

const htmlSpace = " \t\n\f\r"

func isHTMLSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// tagEnd returns where a tag ends, where at is behind the first letter of its name; below 0 where it
// has no end.
func tagEnd(b []byte, at int) int {
	at = nameEnd(b, at)
	for key := b; key != nil; {
		key, _, at = attribute(b, at)
	}
	return at
}

// nameEnd returns where the name of a tag ends that has begun before at.
func nameEnd(b []byte, at int) int {
	for at < len(b) && !isHTMLSpace(b[at]) && b[at] != '/' && b[at] != '>' {
		at++
	}
	return at
}

// attribute returns the next attribute of a tag, and where to go on (HTML standard, 13.2.5.32 to
// 13.2.5.40). The key is nil at the end of the tag, where next is behind it, or below 0 where b ends
// before.
func attribute(b []byte, at int) (key, value []byte, next int) {
	for at = skipSpace(b, at); at < len(b) && b[at] == '/'; at = skipSpace(b, at+1) {
	}
	if at < len(b) && b[at] == '>' {
		return nil, nil, at + 1
	}
	from := at
	for at < len(b) && !isHTMLSpace(b[at]) && b[at] != '/' && b[at] != '>' && (b[at] != '=' || at == from) {
		at++
	}
	key = b[from:at]
	if at = skipSpace(b, at); at < len(b) && b[at] != '=' {
		return key, nil, at
	}
	if at = skipSpace(b, at+1); at >= len(b) {
		return nil, nil, -1
	}
	if quote := b[at]; quote == '"' || quote == '\'' {
		n := bytes.IndexByte(b[at+1:], quote)
		if n < 0 {
			return nil, nil, -1
		}
		return key, b[at+1 : at+1+n], at + n + 2
	}
	for from = at; at < len(b) && !isHTMLSpace(b[at]) && b[at] != '>'; {
		at++
	}
	return key, b[from:at], at
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && isHTMLSpace(b[at]) {
		at++
	}
	return at
}

// commentEnd returns where a comment ends; below 0 where it has no end (HTML standard, 13.2.5.43 to
// 13.2.5.51).
func commentEnd(b []byte) int {
	const open = len("<!--")
	for at := open; ; at++ {
		n := bytes.IndexByte(b[at:], '>')
		if n < 0 {
			return -1
		}
		at += n
		if text := b[open:at]; len(text) == 0 || len(text) == 1 && text[0] == '-' || bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!")) {
			return at + 1
		}
	}
}

// rawEnd returns where the content of an element ends that is text: at its end tag; below 0 where it
// has none.
func rawEnd(b []byte, name string) int {
	for at := 0; ; at += 2 {
		n := bytes.Index(b[at:], []byte("</"))
		if n < 0 {
			return -1
		}
		at += n
		if end := nameEnd(b, at+2); end < len(b) && bytes.EqualFold(b[at+2:end], []byte(name)) {
			return at
		}
	}
}
