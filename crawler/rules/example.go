package rules

import (
	"regexp"
	"strings"
)

// Host returns the scheme and host of an absolute source; "" where the source is a path.
func (r *Rule) Host() (scheme, host string) { return r.scheme, r.host }

// tails are texts for a wildcard in an example: nothing, and paths of several lengths.
var tails = []string{"", "sitemend-example", "sitemend-example/", "sitemend-example/of/a/path"}

// nameTaken is the text for a placeholder in an example.
const nameTaken = "sitemend-example"

var (
	wildSegment = regexp.MustCompile(`:[A-Za-z_]\w*(\([^()]*\))?[*+]|\(\.[*+]\)|\*`)
	nameSegment = regexp.MustCompile(`:[A-Za-z_]\w*(\([^()]*\))?\??`)
)

// Examples returns requests, with the scheme and host in lower case, that a rule of the set is
// written for: one where its source is literal, else a few of different length. For an absolute
// source they use its own host. pattern reports whether the source has placeholders: then each
// example matches the rule by itself, and where none could be made there are none. The example of a
// literal source may not match: the host may never compare that spelling.
func (s *Set) Examples(r *Rule, scheme, host string) (examples []Request, pattern bool) {
	q := Request{Scheme: scheme, Host: host}
	if r.host != "" {
		q.Host = r.host
	}
	if r.scheme != "" {
		q.Scheme = r.scheme
	}
	d := dialects[s.Format]
	key, p := d.compile(r)
	if p == nil {
		q.Target = whatwgPath(literalPath(s.Format, r, key)) + exampleQuery(r)
		return []Request{q}, false
	}
	alone := (&Set{Format: s.Format, Rules: []Rule{*r}}).Matcher()
	seen := map[string]bool{}
	for _, tail := range tails {
		path := wildSegment.ReplaceAllLiteralString(r.path(), tail)
		path = nameSegment.ReplaceAllLiteralString(path, nameTaken)
		q.Target = whatwgPath(strings.ReplaceAll(path, `\`, "")) + exampleQuery(r)
		if seen[q.Target] {
			continue
		}
		seen[q.Target] = true
		if found, ok := alone.Match(q); ok && (found.Unmodelled == "" || len(r.Conditions) > 0) {
			examples = append(examples, q)
		}
	}
	return examples, true
}

// literalPath returns the path that a literal source names.
func literalPath(f Format, r *Rule, key string) string {
	switch f {
	case Vercel: // the key has its escapes resolved
		return key
	case CloudflareBulk:
		return r.bulkPath()
	}
	path, _, _ := splitTarget(r.path())
	return path
}

// exampleQuery returns a query that the rule requires, with its ?; "" for none.
func exampleQuery(r *Rule) string {
	parts := make([]string, len(r.query))
	for i, p := range r.query {
		value := p.value
		if strings.HasPrefix(value, ":") {
			value = nameTaken
		}
		parts[i] = p.name + "=" + value
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}
