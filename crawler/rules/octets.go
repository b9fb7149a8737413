package rules

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// DecodePath resolves the escapes of a path once; false where a % begins none.
func DecodePath(path string) (string, bool) {
	if strings.IndexByte(path, '%') < 0 { // most have none, and this is the quickest way to know
		return path, true
	}
	text, err := url.PathUnescape(path)
	if err == nil {
		return text, true
	}
	return escape.ReplaceAllStringFunc(path, func(e string) string {
		n, _ := strconv.ParseUint(e[1:], 16, 8)
		return string([]byte{byte(n)})
	}), false
}

// Lenient is DecodePath where anything else stays.
func Lenient(path string) string {
	text, _ := DecodePath(path)
	return text
}

// plain reports whether a byte stands literally wherever a path is written.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '-' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '_' || c == '~'
}

// escaped escapes the bytes of s that may not stand in it, besides the plain ones.
func escaped(s string, may func(c byte) bool) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	last := 0
	for i := range len(s) {
		if c := s[i]; !plain(c) && !may(c) {
			b.WriteString(s[last:i])
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			last = i + 1
		}
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// encoded escapes the bytes that must not stand in an address (control characters, spaces and those
// beyond ASCII), and those in set.
func encoded(s, set string) string {
	return escaped(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte(set, c) < 0 })
}

// EncodePath encodes a decoded path as nginx and net/http do: what must not stand in a path is
// escaped, the rest is literal.
func EncodePath(path string) string { return encoded(path, "\"%<>?#\\^`{|}") }

// EncodeComponents encodes each segment of a decoded path as JavaScript's encodeURIComponent does:
// A-Z a-z 0-9 - _ . ! ~ * ' ( ) stay literal.
func EncodeComponents(path string) string {
	return escaped(path, func(c byte) bool { return strings.IndexByte("!*'()", c) >= 0 })
}

// DecodeSegments resolves the escapes of each segment of a path, as JavaScript's decodeURIComponent
// does: a segment that is not UTF-8, or contains a % that begins no escape, stays as it is.
// Adjacent slashes, encoded ones as well, become one.
func DecodeSegments(path string) string {
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		if d, ok := DecodePath(seg); ok && utf8.ValidString(d) {
			segs[i] = d
		}
	}
	return merged(strings.Join(segs, "/"))
}

var dot = strings.NewReplacer("%2e", ".", "%2E", ".")

// BrowserPath returns a path as JavaScript's URL does (URL Standard): backslashes become slashes,
// dot segments are resolved, escaped ones as well, and what must not stand in a path is escaped.
func BrowserPath(path string) string {
	path = encoded(strings.ReplaceAll(path, `\`, "/"), "\"<>`{}^")
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	segs := strings.Split(path, "/")
	out := segs[:0:0]
	for i, seg := range segs {
		switch plain := dot.Replace(seg); {
		case plain == ".." && len(out) > 1:
			out = out[:len(out)-1]
		case plain != "." && plain != "..":
			out = append(out, seg)
			continue
		}
		if i == len(segs)-1 {
			out = append(out, "")
		}
	}
	return strings.Join(out, "/")
}

// browserTarget returns a target, relative or absolute, as JavaScript's URL does.
func browserTarget(target string) string {
	path, query, fragment := splitTarget(target)
	origin := ""
	if i := strings.Index(path, "://"); i > 0 {
		host, after, _ := strings.Cut(path[i+3:], "/")
		origin, path = path[:i+3]+strings.ToLower(host), "/"+after
	}
	return origin + BrowserPath(path) + encoded(query, "\"<>") + encoded(fragment, "\"<>`")
}

// splitTarget splits a target into what precedes its query, its query with the ? and its fragment
// with the #.
func splitTarget(target string) (path, query, fragment string) {
	path = target
	if i := strings.IndexByte(path, '#'); i >= 0 {
		path, fragment = path[:i], path[i:]
	}
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path, query = path[:i], path[i:]
	}
	return path, query, fragment
}

// withQuery adds the query of the request to a target that has none of its own, before its
// fragment.
func withQuery(target string, s subject) string {
	path, query, fragment := splitTarget(target)
	if query == "" && s.query != "" {
		query = "?" + s.query
	}
	return path + query + fragment
}

// merged replaces several adjacent slashes by one.
func merged(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// bare returns a path without the slash at its end.
func bare(path string) string { return cmp.Or(strings.TrimSuffix(path, "/"), "/") }
