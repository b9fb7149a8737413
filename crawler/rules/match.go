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

// captured are the values of placeholders, by the same index as their names.
type captured struct{ names, values []string }

// A pattern is a source with placeholders. It is compiled when first needed: of 100,000 rules most
// never are.
type pattern struct {
	expr   string   // without anchors
	names  []string // of the groups; "" for one without
	prefix string   // the beginning of what it matches
	broken string   // why it cannot be evaluated here; "" for no reason

	once sync.Once
	re   *regexp.Regexp
}

// anything is the expression of what ends most patterns: they are compared without being compiled.
const anything = "(?:/(.*))?"

// match returns the groups of a path; nil where the pattern does not match it. Most do not, and
// differ at the beginning; a wildcard includes the slash before it.
func (p *pattern) match(path string) []string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(p.prefix, "/"))
	if p.broken != "" || !ok {
		return nil
	}
	tail, below := strings.CutPrefix(rest, "/")
	if len(p.names) == 1 && strings.HasSuffix(p.expr, anything) && p.prefix != "" && (below || rest == "") && !strings.Contains(rest, "\n") {
		return []string{path, tail}
	}
	p.once.Do(func() { p.re, _ = regexp.Compile("^(?:" + p.expr + ")$") }) // nil where it is too large
	if p.re == nil {
		return nil
	}
	return p.re.FindStringSubmatch(path)
}

// A Matcher finds the rule of a set that answers a request. It looks up literal rules in a table,
// however many there are, and tries the others in order, but only those that begin with the same
// segment. It is safe for concurrent use.
type Matcher struct {
	*dialect
	rules    []Rule
	patterns map[int32]*pattern // of the rules that are not literal
	literal  []uint64           // of each literal rule half of the hash of what it is filed under, and its number; sorted
	begins   []int32            // where in literal each part of the hashes begins, of a few rules
	asks     bool               // a literal rule requires a value of a parameter
	first    map[string][]int32 // other rules whose first segment is literal
	open     []int32            // the rest
}

// Matcher returns the interpreter of the set, which must not be changed afterwards.
func (s *Set) Matcher() *Matcher {
	m := &Matcher{dialect: dialects[s.Format], rules: s.Rules, patterns: map[int32]*pattern{}, first: map[string][]int32{}}
	m.literal = make([]uint64, 0, len(s.Rules))
	filed := map[uint64]int{} // how many rules with parameters are filed under a hash
	for i := range s.Rules {
		literal, p := m.compile(&s.Rules[i])
		n := int32(i)
		if p == nil {
			key := m.key(literal)
			at, fewest := half(key), math.MaxInt
			for _, want := range s.Rules[i].needs.query {
				if under := want.under(key); !strings.HasPrefix(want.value, ":") && filed[under] < fewest {
					at, fewest, m.asks = under, filed[under], true
				}
			}
			if fewest < math.MaxInt {
				filed[at]++
			}
			if m.last { // so that the last one is the first in literal
				n = ^n
			}
			m.literal = append(m.literal, at|uint64(uint32(n)))
			continue
		}
		m.patterns[n] = p
		if strings.Count(p.prefix, "/") > 1 {
			seg := firstSegment(p.prefix)
			m.first[seg] = append(m.first[seg], n)
		} else {
			m.open = append(m.open, n)
		}
	}
	slices.Sort(m.literal)
	m.begins = make([]int32, 1+len(m.literal)/16) // hardly one is of no rule, and begins at the first
	for at, hash := range slices.Backward(m.literal) {
		m.begins[m.part(hash)] = int32(at)
	}
	return m
}

// part returns the number of the part of a hash in begins.
func (m *Matcher) part(hash uint64) int { return int(hash >> 32 * uint64(len(m.begins)) >> 32) }

// half returns half of the hash of a text; its other half is zeros.
func half(text string) uint64 { return xxhash.Sum64String(text) >> 32 << 32 }

// under returns half of the hash of what a rule is filed under that requires a parameter. Many
// rules may have one path, and nothing but the number of a product tells them apart.
func (p param) under(key string) uint64 { return half(key + "?" + p.name + "=" + lenient(p.value)) }

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

// Tries returns how many patterns may have to be compared with a request.
func (m *Matcher) Tries(q Request) int {
	if len(m.first) == 0 {
		return len(m.open)
	}
	s, _ := m.subject(q)
	return len(m.open) + len(m.first[firstSegment(s.path)])
}

// Match returns the effect of the first rule that matches a request; false where none does.
func (m *Matcher) Match(q Request) (Match, bool) {
	s, ok := m.subject(q)
	if !ok || len(m.rules) == 0 {
		return Match{}, false
	}
	var room [4]int32
	lists := [3][]int32{m.literals(s, room[:0]), m.first[firstSegment(s.path)], m.open}
	for {
		next := -1
		for i, list := range lists {
			if len(list) > 0 && (next < 0 || list[0] < lists[next][0]) {
				next = i
			}
		}
		if next < 0 {
			return Match{}, false
		}
		n := lists[next][0]
		lists[next] = lists[next][1:]
		if found, ok := m.try(&m.rules[n], m.patterns[n], s); ok {
			return found, true
		}
	}
}

// literals adds the literal rules for a request to rules, in the order in which they count.
func (m *Matcher) literals(s subject, rules []int32) []int32 {
	key := m.key(s.path)
	rules = m.filed(half(key), key, rules)
	if !m.asks || s.query == "" {
		return rules
	}
	for part := range strings.SplitSeq(s.query, "&") {
		name, value, _ := strings.Cut(part, "=")
		rules = m.filed(param{name, value}.under(key), key, rules)
	}
	slices.Sort(rules)
	return rules
}

// filed adds the literal rules with a key that are filed under a hash to rules, up to one that
// needs no more.
func (m *Matcher) filed(under uint64, key string, rules []int32) []int32 {
	at := int(m.begins[m.part(under)])
	for at < len(m.literal) && m.literal[at] < under {
		at++
	}
	for ; at < len(m.literal) && m.literal[at]>>32 == under>>32; at++ {
		n := int32(uint32(m.literal[at]))
		n = max(n, ^n)
		r := &m.rules[n]
		if source, _ := m.compile(r); m.key(source) != key {
			continue
		}
		if rules = append(rules, n); r.needs.query == nil && r.needs.host == "" && !r.needs.matchCase {
			break
		}
	}
	return rules
}

// try compares one rule with a request.
func (m *Matcher) try(r *Rule, p *pattern, s subject) (Match, bool) {
	c, ok := r.applies(s)
	if !ok {
		return Match{}, false
	}
	if p != nil {
		if p.broken != "" && strings.HasPrefix(s.path, p.prefix) {
			return Match{Rule: r, Unmodelled: p.broken}, true
		}
		groups := p.match(s.path)
		if groups == nil {
			return Match{}, false
		}
		c.names, c.values = append(c.names, p.names...), append(c.values, groups[1:]...)
	}
	found := Match{Rule: r, Status: int(r.Status), Unmodelled: strings.Join(r.Conditions(), " ")}
	target := r.Target[:min(len(r.Target), MaxAddress+1)]
	if m.token != nil && strings.ContainsAny(target, ":$") {
		target = expand(r.Target, m.token, func(token string) string { return m.value(token, c) })
	}
	switch {
	case len(target) <= MaxAddress:
		found.Location, found.Rewrite = m.finish(r, target, s, p != nil)
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
	if n := r.needs; n.matchCase && r.Source != s.raw || n.host != "" && n.host != s.Host || n.scheme != "" && n.scheme != s.Scheme {
		return c, false
	}
	for _, want := range r.needs.query {
		got, ok := queryValue(s.query, want.name)
		name, isName := strings.CutPrefix(want.value, ":")
		if !ok || !isName && lenient(got) != lenient(want.value) {
			return c, false
		}
		if isName {
			c.names, c.values = append(c.names, name), append(c.values, got)
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
