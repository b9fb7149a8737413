package rules

import (
	"regexp"
	"strings"
	"sync"
)

// A Request is a request to a host.
type Request struct {
	Scheme string // "http" or "https"
	Host   string // in lower case, without a port
	Target string // path and query, byte for byte; begins with /
}

// A Match is the effect of the first matching rule on a request.
type Match struct {
	Rule   *Rule
	Status int
	// Location is the target of a redirect, as the host writes it.
	Location string
	// Rewrite is the path that is served in place of the requested one, where the rule is no
	// redirect.
	Rewrite string
	// Unmodelled says on what else the rule depends, which is unknown here; "" where it always
	// applies.
	Unmodelled string
}

// A Matcher finds the rule of a set that answers a request. It looks up literal rules in a table,
// however many there are, and tries the others in order, but only those that begin with the same
// segment. It is safe for concurrent use.
type Matcher struct {
	dialect dialect
	rules   []compiled
	exact   map[string][]int32 // the literal rules of a key, in order
	first   map[string][]int32 // other rules whose first segment is literal
	open    []int32            // the rest
}

// A dialect is how a format compares, and what its rules answer.
type dialect interface {
	// subject returns what rules are compared with; false where the host refuses the request before
	// its rules.
	subject(q Request) (subject, bool)
	// compile returns the key of a literal rule, or the pattern of another one.
	compile(r *Rule) (key string, p *pattern)
	// answer returns the effect of a rule on a request that it matches.
	answer(r *Rule, p *pattern, s *subject, groups []string) (Match, bool)
}

// subject is a request in the form that a dialect compares.
type subject struct {
	Request
	key   string // for looking up literal rules
	path  string // for comparing patterns
	query string // without ?
}

// notEvaluated is the Unmodelled of a rule whose regular expression is not valid in Go (RE2).
const notEvaluated = "a regular expression that is not evaluated here"

// compiled is a rule with its pattern; nil for a literal rule.
type compiled struct {
	rule    *Rule
	pattern *pattern
}

// A pattern is a source with placeholders. It is compiled when first needed: of 100,000 rules most
// never are.
type pattern struct {
	expr   string   // without anchors
	names  []string // of the groups; "" for one without
	prefix string   // the beginning of what it matches
	broken string   // why it cannot be evaluated here; "" for no reason

	once   sync.Once
	re     *regexp.Regexp
	failed bool // it is no valid regular expression here; known after the first attempt
}

func (p *pattern) match(path string) []string {
	// Most rules do not apply; a wildcard includes the slash before it.
	if !strings.HasPrefix(path, strings.TrimSuffix(p.prefix, "/")) {
		return nil
	}
	p.once.Do(func() {
		var err error
		p.re, err = regexp.Compile("^(?:" + p.expr + ")$")
		p.failed = err != nil
	})
	if p.failed {
		return nil
	}
	return p.re.FindStringSubmatch(path)
}

// group returns the value of a placeholder; false where there is none. Of two with the same name
// the first counts, as for Netlify.
func (p *pattern) group(name string, groups []string) (string, bool) {
	for i, n := range p.names {
		if n == name && i+1 < len(groups) {
			return groups[i+1], true
		}
	}
	return "", false
}

// Matcher returns the interpreter of the set, which must not be changed afterwards.
func (s *Set) Matcher() *Matcher {
	m := &Matcher{
		dialect: dialects[s.Format],
		rules:   make([]compiled, len(s.Rules)),
		exact:   make(map[string][]int32, len(s.Rules)),
		first:   map[string][]int32{},
	}
	for i := range s.Rules {
		r := &s.Rules[i]
		key, p := m.dialect.compile(r)
		m.rules[i] = compiled{r, p}
		switch n := int32(i); {
		case p == nil:
			m.exact[key] = append(m.exact[key], n)
		case strings.Count(p.prefix, "/") > 1:
			seg := firstSegment(p.prefix)
			m.first[seg] = append(m.first[seg], n)
		default:
			m.open = append(m.open, n)
		}
	}
	return m
}

// Tries returns how many patterns may have to be compared with a request; 0 for a nil Matcher.
func (m *Matcher) Tries(q Request) int {
	if m == nil {
		return 0
	}
	s, _ := m.dialect.subject(q)
	return len(m.open) + len(m.first[firstSegment(s.path)])
}

var dialects = map[Format]dialect{
	CloudflarePages: cloudflare{},
	CloudflareBulk:  cloudflareBulk{},
	Netlify:         netlify{},
	NetlifyTOML:     netlify{},
	Vercel:          vercel{},
	VercelBulk:      vercelBulk{},
	GitLabPages:     gitlab{},
	Shopify:         shopify{},
	WordPress:       wordpress{},
}

// firstSegment returns the text between the first slash and the second.
func firstSegment(path string) string {
	if path == "" {
		return ""
	}
	seg, _, _ := strings.Cut(path[1:], "/")
	return seg
}

// Match returns the effect of the first rule that matches a request; false where none does.
func (m *Matcher) Match(q Request) (Match, bool) {
	s, ok := m.dialect.subject(q)
	if !ok {
		return Match{}, false
	}
	a, b, c := m.exact[s.key], m.first[firstSegment(s.path)], m.open
	for len(a)+len(b)+len(c) > 0 {
		list := &a
		for _, other := range []*[]int32{&b, &c} {
			if len(*list) == 0 || len(*other) > 0 && (*other)[0] < (*list)[0] {
				list = other
			}
		}
		at := &m.rules[(*list)[0]]
		*list = (*list)[1:]
		if found, ok := m.try(at, &s); ok {
			return found, true
		}
	}
	return Match{}, false
}

// try compares one rule with a request.
func (m *Matcher) try(c *compiled, s *subject) (Match, bool) {
	var groups []string
	switch {
	case c.pattern != nil && c.pattern.broken != "":
		if !strings.HasPrefix(s.path, c.pattern.prefix) {
			return Match{}, false
		}
		return Match{Rule: c.rule, Unmodelled: c.pattern.broken}, true
	case c.pattern != nil:
		groups = c.pattern.match(s.path)
		switch {
		case groups == nil && c.pattern.failed && c.rule.regexp:
			return Match{Rule: c.rule, Unmodelled: notEvaluated}, true
		case groups == nil:
			return Match{}, false
		}
	}
	if !c.rule.ofHost(&s.Request) {
		return Match{}, false
	}
	found, ok := m.dialect.answer(c.rule, c.pattern, s, groups)
	if !ok {
		return Match{}, false
	}
	found.Rule, found.Status = c.rule, c.rule.Status
	found.Location = found.Location[:min(len(found.Location), MaxAddress+1)]
	if len(c.rule.Conditions) > 0 {
		found.Unmodelled = strings.Join(c.rule.Conditions, " ")
	}
	return found, true
}

// split splits a request target into path and query, without a fragment.
func split(q Request) subject {
	s := subject{Request: q}
	target, _, _ := strings.Cut(q.Target, "#")
	s.path, s.query, _ = strings.Cut(target, "?")
	s.key = s.path
	return s
}

// withQuery adds the query of the request to a target that has none of its own, before its
// fragment.
func withQuery(target string, s *subject) string {
	if s.query == "" || strings.Contains(target, "?") {
		return target
	}
	before, fragment, has := strings.Cut(target, "#")
	before += "?" + s.query
	if has {
		before += "#" + fragment
	}
	return before
}

// ofHost reports whether an absolute source names the host of a request.
func (r *Rule) ofHost(q *Request) bool {
	below := r.flags.subdomains && strings.HasSuffix(q.Host, "."+r.host)
	return (r.host == "" || r.host == q.Host || below) && (r.scheme == "" || r.scheme == q.Scheme)
}
