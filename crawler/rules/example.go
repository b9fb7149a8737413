package rules

import (
	"regexp"
	"slices"
	"strings"
)

// tails are texts for a wildcard in an example: nothing, and paths of several lengths.
var tails = []string{"", "sitemend-example", "sitemend-example/", "sitemend-example/of/a/path"}

// nameTaken is the text for a placeholder in an example.
const nameTaken = "sitemend-example"

var (
	wildSegment = regexp.MustCompile(`:[A-Za-z_]\w*(\([^()]*\))?[*+]|\(\.[*+]\)|\*`)
	nameSegment = regexp.MustCompile(`:[A-Za-z_]\w*(\([^()]*\))?\??`)
)

// Examples returns requests, with the scheme and host in lower case, that a rule of the set
// is written for: one where its source is literal, else a few of different length. For an absolute
// source they use its own host. open reports whether the source has placeholders: then each
// example matches the rule by itself, and where none could be made there are none. The example of a
// literal source may not match: the host may never compare that spelling.
func (s *Set) Examples(r *Rule, scheme, host string) (examples []Request, open bool) {
	q := Request{Scheme: scheme, Host: host}
	if scheme, host := r.Host(); host != "" {
		q.Scheme, q.Host = scheme, host
	}
	d := dialects[s.Format]
	literal, p := d.compile(r.Source())
	if p == nil {
		if s.Format != Vercel { // there escapes are resolved
			literal, _, _ = splitTarget(pathOf(r.Source()))
		}
		q.Target = BrowserPath(literal) + r.exampleQuery()
		return []Request{q}, false
	}
	path := nameSegment.ReplaceAllLiteralString(wildSegment.ReplaceAllLiteralString(pathOf(r.Source()), "*"), nameTaken)
	path, query := strings.ReplaceAll(path, `\`, ""), r.exampleQuery()
	for _, tail := range tails {
		q.Target = BrowserPath(strings.ReplaceAll(path, "*", tail)) + query
		if asked, valid := d.subject(q); valid && !slices.Contains(examples, q) {
			c, applies := r.applies(asked)
			if _, matches := p.match(asked.path, c); applies && matches {
				examples = append(examples, q)
			}
		}
	}
	return examples, true
}

// exampleQuery returns a query that the rule requires, with its ?; "" for none.
func (r *Rule) exampleQuery() string {
	if r.query == nil {
		return ""
	}
	var parts []string
	for _, p := range r.query {
		value := p.value
		if strings.HasPrefix(value, ":") {
			value = nameTaken
		}
		parts = append(parts, p.name+"="+value)
	}
	return "?" + strings.Join(parts, "&")
}
