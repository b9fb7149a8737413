package report

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object while it is built. It is quicker than encoding/json,
// keeps the order of keys, and escapes what a terminal could take for an order;
// what it writes is valid JSON for any bytes.
type object []byte

// key begins a member.
func (o *object) key(name string) {
	if n := len(*o); n > 0 && (*o)[n-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(*o, '"')
	*o = append(*o, name...)
	*o = append(*o, '"', ':')
}

// text adds a member with a string.
func (o *object) text(name, s string) {
	o.key(name)
	*o = appendQuoted(*o, s)
}

// textIf adds a member with a string that is not empty.
func (o *object) textIf(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

// number adds a member with an integer.
func (o *object) number(name string, n int) {
	o.key(name)
	*o = strconv.AppendInt(*o, int64(n), 10)
}

// truth adds a member with a boolean.
func (o *object) truth(name string, is bool) {
	o.key(name)
	*o = strconv.AppendBool(*o, is)
}

// base64 adds a member with the bytes of s in standard base64.
func (o *object) base64(name, s string) {
	o.key(name)
	*o = append(*o, '"')
	*o = base64.StdEncoding.AppendEncode(*o, []byte(s))
	*o = append(*o, '"')
}

// list adds a member with an array of strings; [] for none.
func list[S ~string](o *object, name string, values []S) {
	o.key(name)
	*o = append(*o, '[')
	for i, v := range values {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = appendQuoted(*o, string(v))
	}
	*o = append(*o, ']')
}

// begin begins a member with an object, and end ends it.
func (o *object) begin(name string) {
	o.key(name)
	*o = append(*o, '{')
}

func (o *object) end() { *o = append(*o, '}') }

// array adds a member with an array of objects, whose members fill adds.
func array[T any](o *object, name string, values []T, fill func(*object, *T)) {
	o.key(name)
	*o = append(*o, '[')
	for i := range values {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		fill(o, &values[i])
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

const hexDigits = "0123456789abcdef"

// itself are the bytes that stand for themselves in a JSON string.
var itself = func() (t [256]bool) {
	for c := 0x20; c < 0x7F; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// appendQuoted appends s as a JSON string (RFC 8259 section 7). Bytes that are
// not UTF-8 become U+FFFD. Control characters, bidirectional controls, U+2028
// and U+2029 are escaped; < > & are not.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		if itself[s[i]] {
			i++
			continue
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		bad := r == utf8.RuneError && size == 1
		if r != '"' && r != '\\' && !bad && (r == utf8.RuneError || !hidden(r)) {
			i += size
			continue
		}
		b = append(b, s[from:i]...)
		switch {
		case bad:
			b = append(b, "\uFFFD"...)
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		default:
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		}
		i += size
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
