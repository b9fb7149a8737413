package links

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// htmlSpace are the white space characters of HTML.
const htmlSpace = " \t\n\r\f"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// nameOf returns the element name that b begins with, in lower case; nil for one that is longer than
// those of which the reader reads tags.
func nameOf(b []byte) []byte {
	n := 0
	for n < len(b) && b[n] != '>' && b[n] != '/' && b[n] > ' ' {
		if n++; n > len("area") {
			return nil
		}
	}
	if n > 0 && b[0] < 'a' {
		return bytes.ToLower(b[:n])
	}
	return b[:n]
}

// A TagReader reads the attributes of start tags. A Tokenizer cannot be reset, and each allocates a
// buffer of 4 KB; but a copy of an unused one is an unused one with the same buffer.
type TagReader struct {
	from   bytes.Reader
	unread *html.Tokenizer
	z      html.Tokenizer
	values map[string]string
}

// Attributes returns the attributes of a whole start tag, from "<" to ">", with their character
// references resolved. They are valid until the next call.
func (r *TagReader) Attributes(tag []byte) map[string]string {
	if r.unread == nil {
		r.unread, r.values = html.NewTokenizer(&r.from), map[string]string{}
	}
	clear(r.values)
	r.from.Reset(tag)
	r.z = *r.unread
	r.z.Next()
	for _, more := r.z.TagName(); more; {
		var key, value []byte
		key, value, more = r.z.TagAttr()
		if _, twice := r.values[string(key)]; !twice {
			r.values[string(key)] = string(value)
		}
	}
	return r.values
}

// hasWord reports whether a list of words, separated by white space, contains one of want.
func hasWord(list string, want map[string]bool) bool {
	for word := range strings.FieldsSeq(list) {
		if want[strings.ToLower(word)] {
			return true
		}
	}
	return false
}
