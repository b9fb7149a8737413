package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sitemend/report/messages"
)

// members is a JSON object: a key, its value and so on, in this order. A key with a ? at its end is left
// out where there is nothing to say. Unlike what encoding/json writes, no text in it can steer a
// terminal or turn the reading order, and < > & stand as they are.
type members []any

// append appends the object as JSON.
func (m members) append(b []byte) []byte {
	b = append(b, '{')
	for i := 0; i < len(m); i += 2 {
		key, optional := strings.CutSuffix(m[i].(string), "?")
		before := len(b)
		if b[before-1] != '{' {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, key), ':')
		from := len(b)
		b = appendJSON(b, m[i+1])
		if optional && slices.Contains([]string{`""`, "0", "{}", "[]", "false"}, string(b[from:])) {
			b = b[:before]
		}
	}
	return append(b, '}')
}

// appendJSON appends a value as JSON: [] for a nil slice, a map in the order of its keys.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case members:
		return v.append(b)
	case string:
		return appendQuoted(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return appendQuoted(b, r.String())
	case reflect.Slice:
		b = append(b, '[')
		for i := range r.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, r.Index(i).Interface())
		}
		return append(b, ']')
	case reflect.Map:
		keys, m := r.MapKeys(), members{}
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		for _, k := range keys {
			m = append(m, k.String(), r.MapIndex(k).Interface())
		}
		return m.append(b)
	}
	return fmt.Append(b, v) // a boolean or a number
}

// appendQuoted appends s as a JSON string (RFC 8259 section 7). Bytes that are not UTF-8 become
// U+FFFD.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case messages.Steers(r):
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
