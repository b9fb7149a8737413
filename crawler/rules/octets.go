package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
)

const upperHex = "0123456789ABCDEF"

// escapeOctet appends a byte as %XX.
func escapeOctet(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

// escape returns the byte of an escape that begins at i; false for none.
func escape(s string, i int) (byte, bool) {
	if i+2 < len(s) && s[i] == '%' {
		if hi, lo := address.Unhex(s[i+1]), address.Unhex(s[i+2]); hi >= 0 && lo >= 0 {
			return byte(hi<<4 | lo), true
		}
	}
	return 0, false
}

// decoded resolves the escapes of s once; anything else stays.
func decoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c, ok := escape(s, i); ok {
			b.WriteByte(c)
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// badEscape reports whether s contains a % that begins no escape.
func badEscape(s string) bool {
	for i := range len(s) {
		if s[i] == '%' {
			if _, ok := escape(s, i); !ok {
				return true
			}
		}
	}
	return false
}

// encoded escapes the bytes that must not stand in an address (control characters, spaces and those
// beyond ASCII), and those in set.
func encoded(s, set string) string {
	clean := true
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(set, c) >= 0 {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(set, c) >= 0 {
			escapeOctet(&b, c)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// whatwgSet is what else is escaped in the path of a URL (URL Standard, path percent-encode set).
const whatwgSet = "\"<>`{}^"

// whatwgPath returns a path as JavaScript's URL does: backslashes become slashes, dot segments are
// resolved, escaped ones as well, and what must not stand in a path is escaped.
func whatwgPath(path string) string {
	path = encoded(strings.ReplaceAll(path, `\`, "/"), whatwgSet)
	if !mayHaveDots(path) {
		return path
	}
	segs := strings.Split(path, "/")
	out := segs[:0:0]
	for i, seg := range segs {
		last := i == len(segs)-1
		switch dots(seg) {
		case 1:
			if last {
				out = append(out, "")
			}
		case 2:
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, seg)
		}
	}
	return strings.Join(out, "/")
}

// mayHaveDots reports whether a segment of a path begins like a dot segment. Most paths have dots
// in their last segment only.
func mayHaveDots(path string) bool {
	for rest, more := path, true; more; _, rest, more = strings.Cut(rest, "/") {
		if strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "%2") {
			return true
		}
	}
	return false
}

// dots returns 1 for ".", 2 for "..", escaped or not, else 0.
func dots(seg string) int {
	if len(seg) > len("%2e%2e") {
		return 0
	}
	switch strings.ReplaceAll(strings.ToLower(seg), "%2e", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
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

// whatwgTarget returns a relative or absolute target as JavaScript's URL does.
func whatwgTarget(target string) string {
	path, query, fragment := splitTarget(target)
	origin := ""
	if i := strings.Index(path, "://"); i > 0 {
		rest := path[i+3:]
		host, after, _ := strings.Cut(rest, "/")
		origin, path = path[:i+3]+strings.ToLower(host), "/"+after
	}
	return origin + whatwgPath(path) + encoded(query, "\"<>") + encoded(fragment, "\"<>`")
}

// lower converts ASCII letters to lower case.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}

// quoted returns a text as a regular expression.
func quoted(s string) string { return regexp.QuoteMeta(s) }

// DecodePath resolves the escapes of a path once; false where a % begins none.
func DecodePath(path string) (string, bool) { return decoded(path), !badEscape(path) }

// EncodePath encodes a decoded path as nginx and net/http do: what must not stand in a path is
// escaped, the rest is literal.
func EncodePath(path string) string { return encoded(path, "\"%<>?#\\^`{|}") }

// BrowserPath returns a path as JavaScript's URL does (URL Standard): backslashes become slashes,
// dot segments are resolved, what must not stand in a path is escaped.
func BrowserPath(path string) string { return whatwgPath(path) }

// EncodeComponents encodes each segment of a decoded path as JavaScript's encodeURIComponent does:
// A-Z a-z 0-9 - _ . ! ~ * ' ( ) stay literal.
func EncodeComponents(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("/-_.!~*'()", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		escapeOctet(&b, c)
	}
	return b.String()
}

// DecodeSegments resolves the escapes of each segment of a path, as JavaScript's decodeURIComponent
// does: a segment that is not UTF-8, or contains a % that begins no escape, stays as it is.
// Adjacent slashes, encoded ones as well, become one.
func DecodeSegments(path string) string {
	segs := strings.Split(path, "/")
	for i, seg := range segs {
		if d := decoded(seg); !badEscape(seg) && utf8.ValidString(d) {
			segs[i] = d
		}
	}
	return merged(strings.Join(segs, "/"))
}

// Escape returns the byte of an escape that begins at s[i]; false where none does.
func Escape(s string, i int) (byte, bool) { return escape(s, i) }

// BrowserTarget returns a target, relative or absolute, as JavaScript's URL does.
func BrowserTarget(target string) string { return whatwgTarget(target) }
