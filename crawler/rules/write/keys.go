package write

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/rules"
)

// octetPath returns the path as it is, without the query.
func octetPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// decodedPath returns the path with its escapes resolved, without the query.
func decodedPath(target string) string { return rules.Lenient(octetPath(target)) }

// slashless returns decodedPath without the slash at its end.
func slashless(target string) string {
	return cmp.Or(strings.TrimSuffix(decodedPath(target), "/"), "/")
}

// wordpressKey returns what the plugin Redirection compares: the target decoded twice, + as a
// space, the parameters in any order.
func wordpressKey(target string) string {
	path, query, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(target, "+", " ")), "?")
	parts := strings.Split(query, "&")
	slices.Sort(parts)
	return slashless(rules.Lenient(path)) + "?" + rules.Lenient(rules.Lenient(strings.Join(parts, "&")))
}

// lighttpdForm returns a target in the form in which lighttpd 1.4.69 compares it by default:
// unreserved characters literal, hex digits in upper case, brackets escaped, and %2F a slash in the
// path.
func lighttpdForm(target string) string {
	path := octetPath(target)
	wire := address.RFC3986.Spell(address.Wire("http://host" + encodedSlash.ReplaceAllString(path, "/") + target[len(path):]))
	return bracketless.Replace(wire.Target())
}

var bracketless, parentheses = strings.NewReplacer("[", "%5B", "]", "%5D"), strings.NewReplacer("%28", "(", "%29", ")")

// lighttpdKey is lighttpdForm, but parentheses in the query are treated like their escapes, because
// versions differ.
func lighttpdKey(target string) string {
	path, query, _ := strings.Cut(lighttpdForm(target), "?")
	return path + "?" + parentheses.Replace(query)
}

// lighttpdRegexp returns the regular expression of a source without backslashes. Expressions that
// are equal when case is ignored would be refused: an empty group makes them different.
func lighttpdRegexp(p *Plan, i int) string {
	source := special.ReplaceAllString(lighttpdForm(p.Pairs[i].Source), "[$0]") + "$"
	n := p.seen[strings.ToLower(source)]
	p.seen[strings.ToLower(source)]++
	return source + strings.Repeat("(?:)", n)
}

// source returns Format.from for sources that a function escapes.
func source(escape func(string) string) func(*Plan, int) string {
	return func(p *Plan, i int) string { return escape(p.Pairs[i].Source) }
}

// target returns Format.to for targets in which texts are replaced.
func target(oldNew ...string) func(*Plan, int) string {
	r := strings.NewReplacer(oldNew...)
	return func(p *Plan, i int) string { return r.Replace(p.Pairs[i].Target) }
}

// wireForm reports whether a text may be a part of an address in wire form, where some characters are
// escapes only. No format has to quote what stands in one.
func wireForm(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c)
	})
}

// climbs reports whether a decoded path has dot segments: the rule of /a/%2e%2e/b could be that of
// /b.
func climbs(path string) bool { return strings.Contains(path, "/.") && dots.MatchString(path) }

var (
	dots         = regexp.MustCompile(`/\.\.?(/|$)`)
	encodedSlash = regexp.MustCompile(`%2[fF]`)
	special      = regexp.MustCompile(`[.+*?$()|[{]`) // to a regular expression, besides the backslash
	// unclear is what formats that decode a path may compare or write otherwise.
	unclear = regexp.MustCompile("[\\x00-\\x1f\\x7f\"\\\\]")
)

// refuses returns why the format cannot contain a pair; "" where it can.
func (f *Format) refuses(p *Plan, x *Pair) Note {
	path, whole := rules.DecodePath(octetPath(x.Source))
	if f.key != nil {
		_, whole = rules.DecodePath(x.Source)
	}
	to, _, _ := strings.Cut(octetPath(x.Target), "#")
	switch {
	case !wireForm(x.Source) || x.Source[0] != '/' || strings.Contains(x.Source, "#") || !whole ||
		strings.IndexByte(path, 0) >= 0 || climbs(path):
		return SourceLiteral
	case !wireForm(x.Target) || strings.HasPrefix(x.Target, "//") || climbs(rules.Lenient(to)) ||
		f.target != nil && f.target.MatchString(x.Target):
		return TargetLiteral
	case !f.query && octetPath(x.Source) != x.Source:
		return SourceQuery
	case f.text > 0 && max(len(x.Source), len(x.Target)) > f.text, f.Line > 0 && len(x.Source)+len(" ")+len(x.Target) > f.Line,
		f.part > 0 && slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return len(part) > f.part }):
		return Limit
	case f.PerHost && strings.Contains(p.Host, ":"):
		return SourceLiteral
	case f.key == nil:
		return ""
	case encodedSlash.MatchString(x.Source) && f.key(encodedSlash.ReplaceAllString(x.Source, "/")) == f.key(x.Source):
		return Spelling
	}
	plain := path
	if f.plain != nil {
		plain = f.plain(x.Source)
	}
	switch {
	case f.shadowed != nil && f.shadowed.MatchString(plain):
		return Shadowed
	case strings.Contains(path, "//") || unclear.MatchString(plain) || f.source != nil && f.source.MatchString(plain):
		return SourceLiteral
	}
	return ""
}
