package write

import (
	"slices"
	"strings"

	"sitemend/crawler/rules"
)

// octetPath returns the path as it is, without the query.
func octetPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// decodedPath returns the path with its escapes resolved, without the query.
func decodedPath(target string) string {
	path, _ := rules.DecodePath(octetPath(target))
	return path
}

// slashless returns decodedPath without the slash at its end.
func slashless(target string) string {
	path := decodedPath(target)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

// caseless returns slashless in lower case.
func caseless(target string) string { return strings.ToLower(slashless(target)) }

// caselessForm returns the same text for all spellings of a target that differ in case, escapes and
// the slash at the end of the path only.
func caselessForm(target string) string {
	_, query, has := strings.Cut(target, "?")
	if has {
		query, _ = rules.DecodePath(query)
		query = "?" + strings.ToLower(query)
	}
	return caseless(target) + query
}

// gitlabKey returns what GitLab Pages compares.
func gitlabKey(target string) string { return rules.GitLabKey(decodedPath(target)) }

// wordpressKey returns what the plugin Redirection compares: the target decoded twice, + as a
// space, the parameters in any order.
func wordpressKey(target string) string {
	path, query, _ := strings.Cut(target, "?")
	plain := func(s string) string {
		s, _ = rules.DecodePath(s)
		s, _ = rules.DecodePath(s)
		return strings.ToLower(strings.ReplaceAll(s, "+", " "))
	}
	path = plain(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	parts := strings.Split(query, "&")
	slices.Sort(parts)
	return path + "?" + plain(strings.Join(parts, "&"))
}

// lighttpdKey returns what lighttpd compares by default (url-normalize). Parentheses in the query
// are treated like their escapes, because versions differ.
func lighttpdKey(target string) string {
	path, query, has := strings.Cut(lighttpdForm(target), "?")
	if has {
		path += "?" + strings.NewReplacer("%28", "(", "%29", ")").Replace(query)
	}
	return path
}

// lighttpdForm returns a target in the form in which lighttpd 1.4.69 compares it by default:
// unreserved characters literal, hex digits in upper case, and what must not stand in an address
// escaped; in the path %2F becomes a slash, and dots and double slashes are resolved.
func lighttpdForm(target string) string {
	path, query, has := strings.Cut(target, "?")
	path = lighttpdPart(path, true)
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	path = rules.BrowserPath(path)
	if has {
		path += "?" + lighttpdPart(query, false)
	}
	return path
}

func lighttpdPart(s string, path bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		octet, escaped := rules.Escape(s, i)
		switch {
		case escaped && (unreserved(octet) || path && octet == '/'):
			b.WriteByte(octet)
		case escaped:
			b.WriteString(strings.ToUpper(s[i : i+3]))
		case c == '%' || c >= 0x7f || strings.IndexByte("\"<>[\\]^`{|}", c) >= 0:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		default:
			b.WriteByte(c)
		}
		if escaped {
			i += 2
		}
	}
	return b.String()
}

// unreserved reports whether c needs no escape anywhere (RFC 3986, 2.3).
func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~", c) >= 0
}
