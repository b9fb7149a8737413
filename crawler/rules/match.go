package rules

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// MaxAddress is the length in bytes beyond which no address is requested, so that no longer source
// can match. A target that its placeholders make longer is never built: Location is its beginning
// then, of a few bytes more than MaxAddress.
const MaxAddress = 8000

// A Request is a request to a host.
type Request struct {
	Scheme string // "http" or "https"
	Host   string // in lower case, without a port
	Target string // path and query, byte for byte; begins with /
	// Work, unless it is nil, grows by how many patterns may have to be compared.
	Work *int
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

// subject is a request in the form that a dialect compares.
type subject struct {
	Request
	path  string // in its form
	raw   string // the path as sent
	query string // without ?
}

// notEvaluated is the Unmodelled of a rule whose regular expression is not valid in Go (RE2).
const notEvaluated = "a regular expression that is not evaluated here"

// captured are the values of placeholders, by their names.
type captured []param

// A pattern is a source with placeholders. It is compiled when first needed: of 100,000 rules most
// never are.
type pattern struct {
	source string   // one that is compared by segment; "" for others, which have an expression
	expr   string   // without anchors
	names  []string // of the groups; "" for one without
	prefix string   // the beginning of what it matches
	broken string   // why it cannot be evaluated here; "" for no reason

	once sync.Once
	re   *regexp.Regexp
}

// match adds the values of a path; false where the pattern does not match it. Most do not, and
// differ at the beginning; a wildcard includes the slash before it.
func (p *pattern) match(path string, c captured) (captured, bool) {
	if p.broken != "" || !strings.HasPrefix(path, strings.TrimSuffix(p.prefix, "/")) {
		return c, false
	}
	if p.source != "" {
		return bySegment(p.source, path, c)
	}
	p.once.Do(func() { p.re, _ = regexp.Compile("^(?:" + p.expr + ")$") }) // nil where it is too large
	var groups []string
	if p.re != nil {
		groups = p.re.FindStringSubmatch(path)
	}
	for i := 1; i < len(groups); i++ {
		c = append(c, param{p.names[i-1], groups[i]})
	}
	return c, groups != nil
}

// bySegment is match for a source of Netlify whose segments are literal or names, but for a * at its
// end.
func bySegment(source, path string, c captured) (captured, bool) {
	segments, star := strings.CutSuffix(source, "/*")
	for segments != "" {
		seg, value := firstSegment(segments), firstSegment(path)
		if len(seg) > 1 && seg[0] == ':' && value != "" {
			c = append(c, param{seg[1:], value})
		} else if path == "" || value != seg {
			return c, false
		}
		segments, path = segments[1+len(seg):], path[1+len(value):]
	}
	tail, below := strings.CutPrefix(path, "/")
	if star {
		c = append(c, param{"splat", tail})
	}
	return c, path == "" || below && (tail == "" || star && !strings.Contains(tail, "\n"))
}

// A Matcher finds the rule of a set that answers a request. Each rule is filed under something that
// a request must have. Those that a request has are compared in their order, up to the one that
// answers. It is safe for concurrent use.
type Matcher struct {
	*dialect
	rules    []Rule
	patterns map[int32]*pattern // of the rules that have an expression
	filed    []uint64           // of each rule half of the hash of what it is filed under, and its turn; sorted
	open     []uint64           // those in filed whose first segment is not literal
	asks     bool               // a literal rule requires a parameter
}

// Matcher returns the interpreter of the set, which must not be changed afterwards.
func (s *Set) Matcher() *Matcher {
	m := &Matcher{dialect: dialects[s.Format], rules: s.Rules, patterns: map[int32]*pattern{}, filed: make([]uint64, 0, len(s.Rules))}
	anywhere, asking := half("*"), map[uint64]int{} // how many rules with parameters are filed under a hash
	for i := range s.Rules {
		literal, p := m.compile(s.Rules[i].Source())
		n, at := int32(i), anywhere
		if p == nil {
			key := half(m.key(literal))
			at = key
			for _, want := range s.Rules[i].query {
				if under := want.under(key); at == key || asking[under] < asking[at] {
					at = under
				}
			}
			if at != key {
				asking[at]++
			}
		} else if strings.Count(p.prefix, "/") > 1 {
			at = half(firstSegment(p.prefix))
		}
		if p != nil && p.source == "" {
			m.patterns[n] = p
		}
		m.filed = append(m.filed, at|uint64(n^m.last))
	}
	m.asks = len(asking) > 0
	slices.Sort(m.filed)
	m.open = m.under(anywhere)
	return m
}

// under returns the rules in filed that are filed under a hash.
func (m *Matcher) under(hash uint64) []uint64 {
	from, _ := slices.BinarySearch(m.filed, hash)
	n, _ := slices.BinarySearch(m.filed[from:], hash|math.MaxUint32)
	return m.filed[from : from+n]
}

// half returns half of the hash of a text; its other half is zeros.
func half(text string) uint64 { return xxhash.Sum64String(text) >> 32 << 32 }

// under returns half of the hash of what a rule is filed under that requires a parameter, besides
// a path with the hash key. Many rules may have one path, and nothing but the number of a product
// tells them apart.
func (p param) under(key uint64) uint64 {
	if strings.HasPrefix(p.value, ":") {
		return key ^ half(p.name)
	}
	return key ^ half(p.name+"="+Lenient(p.value))
}

// subject returns a request in the form of the dialect; false where the host refuses it.
func (d *dialect) subject(q Request) (s subject, ok bool) {
	s.Request = q
	target, _, _ := strings.Cut(q.Target, "#")
	s.raw, s.query, _ = strings.Cut(target, "?")
	s.path, ok = s.raw, true
	if d.form != nil {
		s.path, ok = d.form(s.raw)
	}
	return s, ok
}

// firstSegment returns the text between the first slash and the second.
func firstSegment(path string) string {
	seg, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return seg
}

// Match returns the effect of the first rule that matches a request; false where none does.
func (m *Matcher) Match(q Request) (Match, bool) {
	s, ok := m.subject(q)
	if !ok || len(m.rules) == 0 {
		return Match{}, false
	}
	key := m.key(s.path)
	at := half(key)
	var room [4][]uint64
	segment := m.under(half(firstSegment(s.path)))
	if q.Work != nil {
		*q.Work += len(segment) + len(m.open)
	}
	lists := append(room[:0], m.under(at), segment, m.open)
	if m.asks && s.query != "" {
		for part := range strings.SplitSeq(s.query, "&") {
			name, value, _ := strings.Cut(part, "=")
			lists = append(lists, m.under(param{name, ":"}.under(at)), m.under(param{name, value}.under(at)))
		}
		lists = slices.DeleteFunc(lists, func(list []uint64) bool { return len(list) == 0 })
	}
	for {
		next := -1
		for i, list := range lists {
			if len(list) > 0 && (next < 0 || uint32(list[0]) < uint32(lists[next][0])) {
				next = i
			}
		}
		if next < 0 {
			return Match{}, false
		}
		n := int32(lists[next][0]) ^ m.last
		lists[next] = lists[next][1:]
		r, p := &m.rules[n], m.patterns[n]
		if p == nil {
			var literal string
			if literal, p = m.compile(r.Source()); p == nil && m.key(literal) != key {
				continue // another path has the same half of a hash
			}
		}
		if found, ok := m.try(r, p, s); ok {
			return found, true
		}
	}
}

// try compares one rule with a request.
func (d *dialect) try(r *Rule, p *pattern, s subject) (Match, bool) {
	c, ok := r.applies(s)
	if !ok {
		return Match{}, false
	}
	if p != nil {
		if p.broken != "" && strings.HasPrefix(s.path, p.prefix) {
			return Match{Rule: r, Unmodelled: p.broken}, true
		}
		if c, ok = p.match(s.path, c); !ok {
			return Match{}, false
		}
	}
	found := Match{Rule: r, Status: int(r.Status), Unmodelled: strings.Join(r.Conditions, " ")}
	target := r.Target()
	if d.token != nil && strings.ContainsAny(target, ":$") {
		target = expand(target, d.token, func(token string) string { return d.value(token, c) })
	}
	switch target = target[:min(len(target), MaxAddress+1)]; {
	case len(target) <= MaxAddress:
		found.Location, found.Rewrite = d.finish(r, target, s, p != nil)
		found.Location = found.Location[:min(len(found.Location), MaxAddress+1)]
	case r.Redirects():
		found.Location = target
	default:
		found.Unmodelled = "the file at a URL of more than 8,000 bytes"
	}
	return found, true
}

// applies reports whether a request has what the rule needs besides its path, with the values of
// placeholders in the query.
func (r *Rule) applies(s subject) (c captured, ok bool) {
	if r.matchCase && r.Source() != s.raw || r.host != "" && r.host != s.Host || r.scheme != "" && r.scheme != s.Scheme {
		return c, false
	}
	for _, want := range r.query {
		got, ok := queryValue(s.query, want.name)
		name, isName := strings.CutPrefix(want.value, ":")
		if !ok || !isName && Lenient(got) != Lenient(want.value) {
			return c, false
		}
		if isName {
			c = append(c, param{name, got})
		}
	}
	return c, true
}

// queryValue returns the first value of a name in a query, as it was sent.
func queryValue(query, name string) (string, bool) {
	for part := range strings.SplitSeq(query, "&") {
		if n, v, _ := strings.Cut(part, "="); n == name && part != "" {
			return v, true
		}
	}
	return "", false
}

// expand replaces each token of a target by its value. It stops beyond MaxAddress: a rule that
// takes its splat four times makes a megabyte of ten redirects.
func expand(target string, token *regexp.Regexp, value func(token string) string) string {
	var b strings.Builder
	b.Grow(min(2*len(target), MaxAddress))
	put := func(s string) { b.WriteString(s[:min(len(s), max(0, MaxAddress+1-b.Len()))]) }
	for len(target) > 0 && b.Len() <= MaxAddress {
		at := token.FindStringIndex(target[:min(len(target), 2*MaxAddress)])
		if at == nil {
			put(target)
			break
		}
		put(target[:at[0]])
		put(value(target[at[0]:at[1]]))
		target = target[at[1]:]
	}
	return b.String()
}
