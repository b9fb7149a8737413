package links

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// htmlSpace are the white space characters of HTML.
const htmlSpace = " \t\n\r\f"

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// endsName reports whether the name of an element ends before c.
func endsName(c byte) bool { return c == '>' || c == '/' || isSpace(c) }

// maxName is the length of the longest element name that nameOf knows.
const maxName = len("article")

// nameOf returns the element name that b begins with, in lower case; "" where the reader does not
// use that element.
func nameOf(b []byte) string {
	if len(b) > 1 && b[0]|0x20 == 'a' && endsName(b[1]) { // the most frequent one
		return "a"
	}
	var lower [maxName]byte
	n := 0
	for ; n < len(b) && !endsName(b[n]); n++ {
		if n == maxName {
			return ""
		}
		lower[n] = b[n]
		if 'A' <= b[n] && b[n] <= 'Z' {
			lower[n] |= 0x20
		}
	}
	switch string(lower[:n]) {
	case "a":
		return "a"
	case "area":
		return "area"
	case "link":
		return "link"
	case "base":
		return "base"
	case "form":
		return "form"
	case "svg":
		return "svg"
	case "math":
		return "math"
	case "nav":
		return "nav"
	case "header":
		return "header"
	case "footer":
		return "footer"
	case "main":
		return "main"
	case "aside":
		return "aside"
	case "article":
		return "article"
	case "section":
		return "section"
	case "div":
		return "div"
	case "ul":
		return "ul"
	}
	return ""
}

// An AttributeReader goes through the attributes of a start tag, as HTML tokenizes them (standard,
// 13.2.5.32 to 13.2.5.40). It copies nothing.
type AttributeReader struct {
	tag []byte
	at  int
}

// AttributesOf returns a reader of a whole start tag, from "<" to ">".
func AttributesOf(tag []byte) AttributeReader {
	at := 1
	for at < len(tag) && !isSpace(tag[at]) && tag[at] != '/' && tag[at] != '>' {
		at++
	}
	return AttributeReader{tag, at}
}

// Next returns the next attribute; ok is false at the end. The value is as written, with character
// references.
func (r *AttributeReader) Next() (key, value []byte, ok bool) {
	b := r.tag
	for r.at < len(b) && (isSpace(b[r.at]) || b[r.at] == '/') {
		r.at++
	}
	if r.at >= len(b) || b[r.at] == '>' {
		return nil, nil, false
	}
	start := r.at
	for r.at < len(b) && !isSpace(b[r.at]) && b[r.at] != '/' && b[r.at] != '>' && (b[r.at] != '=' || r.at == start) {
		r.at++
	}
	key = b[start:r.at]
	r.space()
	if r.at >= len(b) || b[r.at] != '=' {
		return key, nil, true
	}
	r.at++
	r.space()
	return key, r.value(), true
}

func (r *AttributeReader) space() {
	for r.at < len(r.tag) && isSpace(r.tag[r.at]) {
		r.at++
	}
}

// value returns the attribute value that begins here.
func (r *AttributeReader) value() []byte {
	b := r.tag
	if r.at < len(b) && (b[r.at] == '"' || b[r.at] == '\'') {
		start := r.at + 1
		n := bytes.IndexByte(b[start:], b[r.at])
		if n < 0 {
			n = len(b) - start
		}
		r.at = min(len(b), start+n+1)
		return b[start : start+n]
	}
	start := r.at
	for r.at < len(b) && !isSpace(b[r.at]) && b[r.at] != '>' {
		r.at++
	}
	return b[start:r.at]
}

// References resolves character references in values, one value at a time. The zero value is ready
// to use. An html.Tokenizer cannot be reset, and each allocates a buffer of 4 KB; but a copy of an
// unused tokenizer is an unused one with the same buffer.
type References struct {
	from         strings.Reader
	unread, html html.Tokenizer
	begun        bool
}

// Resolved returns a value with its character references resolved, as HTML does in attributes:
// "&copy=1" is not one. Other bytes are kept, NUL included.
func (r *References) Resolved(value []byte) string {
	if bytes.IndexByte(value, '&') < 0 {
		return string(value)
	}
	text, mark := string(value), zeroMark(value)
	if mark > 0 {
		text = strings.ReplaceAll(text, "\x00", string([]byte{mark}))
	}
	if !r.begun {
		r.unread, r.begun = *html.NewTokenizer(&r.from), true
	}
	r.from.Reset(`<a b="` + strings.ReplaceAll(text, `"`, "&quot;") + `">`)
	r.html = r.unread
	r.html.Next()
	_, b, _ := r.html.TagAttr()
	if mark > 0 {
		b = bytes.ReplaceAll(b, []byte{mark}, []byte{0})
	}
	return string(b)
}

// zeroMark returns a byte above ASCII that does not occur in b, to stand for its NUL bytes, which a
// tokenizer drops; 0 where b has no NUL, or has every byte.
func zeroMark(b []byte) byte {
	if bytes.IndexByte(b, 0) < 0 {
		return 0
	}
	for mark := byte(0xFF); mark >= 0x80; mark-- {
		if bytes.IndexByte(b, mark) < 0 {
			return mark
		}
	}
	return 0
}

// hasWord reports whether a list of words, separated by white space, contains a word for which is
// returns true.
func hasWord(list string, is func(word string) bool) bool {
	for word := range strings.FieldsSeq(list) {
		if is(strings.ToLower(word)) {
			return true
		}
	}
	return false
}
