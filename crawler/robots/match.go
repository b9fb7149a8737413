package robots

import (
	"sort"
	"strings"
)

// A ruleset is the rules that apply to one token, best first: the first rule that matches decides.
type ruleset struct {
	rules []compiled
	// by has, for each second byte of a path, the indexes of the rules that may match; nil where
	// there are too few rules to make that faster.
	by *[256][]int32
}

// compiled is a rule with its pattern split at the wildcards.
type compiled struct {
	rule
	prefix   string   // up to the first *
	parts    []string // between and after the *s; nil without a *
	anchored bool     // the pattern ends in $
}

// manyRules is the number of rules from which on a ruleset has an index.
const manyRules = 24

func compile(groups []*group) *ruleset {
	rs := &ruleset{}
	for _, g := range groups {
		for _, r := range g.rules {
			rs.add(r)
			if alt, ok := indexAlias(r); ok {
				rs.add(alt)
			}
		}
	}
	sort.SliceStable(rs.rules, func(i, j int) bool {
		return better(rs.rules[i].rule, rs.rules[j].rule)
	})
	if len(rs.rules) >= manyRules {
		rs.index()
	}
	return rs
}

func (rs *ruleset) add(r rule) {
	if r.pattern != "" { // an empty pattern decides nothing
		rs.rules = append(rs.rules, compileRule(r))
	}
}

// better orders rules by precedence: longer pattern, then allow, then the earlier line.
func better(a, b rule) bool {
	if len(a.pattern) != len(b.pattern) {
		return len(a.pattern) > len(b.pattern)
	}
	if a.allow != b.allow {
		return a.allow
	}
	return a.line < b.line
}

// indexAlias returns the rule that Google derives from "Allow: /x/index.html": it allows /x/, too.
func indexAlias(r rule) (rule, bool) {
	slash := strings.LastIndexByte(r.pattern, '/')
	if !r.allow || slash < 0 || !strings.HasPrefix(r.pattern[slash:], "/index.htm") {
		return rule{}, false
	}
	r.pattern = r.pattern[:slash+1] + "$"
	return r, true
}

func compileRule(r rule) compiled {
	c := compiled{rule: r}
	p, anchored := strings.CutSuffix(r.pattern, "$")
	c.anchored = anchored
	parts := strings.Split(p, "*")
	c.prefix = parts[0]
	if len(parts) > 1 {
		c.parts = parts[1:]
	}
	return c
}

// index sorts the rules into buckets by the second byte of the paths that they
// can match, keeping their order.
func (rs *ruleset) index() {
	rs.by = new([256][]int32)
	for i := range rs.rules {
		p := rs.rules[i].prefix
		if len(p) > 1 {
			rs.by[p[1]] = append(rs.by[p[1]], int32(i))
			continue
		}
		for b := range rs.by {
			rs.by[b] = append(rs.by[b], int32(i))
		}
	}
}

// decide returns the rule that decides about path; nil for none.
func (rs *ruleset) decide(path string) *rule {
	if rs.by != nil && len(path) > 1 {
		for _, i := range rs.by[path[1]] {
			if c := &rs.rules[i]; c.matches(path) {
				return &c.rule
			}
		}
		return nil
	}
	for i := range rs.rules {
		if c := &rs.rules[i]; c.matches(path) {
			return &c.rule
		}
	}
	return nil
}

// matches reports whether the pattern matches from the start of path. "*" is any
// run of bytes, "$" the end of path, and only at the end of the pattern (RFC
// 9309 2.2.3).
func (c *compiled) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, c.prefix)
	if !ok {
		return false
	}
	if c.parts == nil {
		return !c.anchored || rest == ""
	}
	last := len(c.parts) - 1
	for _, part := range c.parts[:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if c.anchored {
		return strings.HasSuffix(rest, c.parts[last])
	}
	return strings.Contains(rest, c.parts[last])
}

// pathOf returns the part of a URL that patterns are matched against: path, parameters and query,
// from "/" (google/robotstxt, GetPathParamsQuery).
func pathOf(url string) string {
	url = strings.TrimPrefix(url, "//")
	start := 0
	if i := strings.Index(url, "://"); i >= 0 && !strings.ContainsAny(url[:i], "/?;") {
		start = i + 3
	}
	i := strings.IndexAny(url[start:], "/?;")
	hash := strings.IndexByte(url, '#')
	if i < 0 || hash >= 0 && hash < start+i {
		return "/"
	}
	end := len(url)
	if hash >= 0 {
		end = hash
	}
	path := url[start+i : end]
	if path[0] != '/' {
		return "/" + path
	}
	return path
}

// upperHex converts the hex digits of escapes to upper case. Most paths have no lower-case ones and
// are returned as they are.
func upperHex(s string) string {
	i := lowerEscape(s, 0)
	if i < 0 {
		return s
	}
	b := []byte(s)
	for ; i >= 0; i = lowerEscape(s, i+3) {
		b[i+1], b[i+2] = upper(b[i+1]), upper(b[i+2])
	}
	return string(b)
}

// lowerEscape returns the index of the first escape from i on with a lower-case digit; -1 for none.
func lowerEscape(s string, i int) int {
	for i < len(s) {
		j := strings.IndexByte(s[i:], '%')
		if j < 0 || i+j+2 >= len(s) {
			return -1
		}
		i += j
		if !isHex(s[i+1]) || !isHex(s[i+2]) {
			i++
			continue
		}
		if s[i+1] >= 'a' || s[i+2] >= 'a' {
			return i
		}
		i += 3
	}
	return -1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func upper(c byte) byte {
	if c >= 'a' {
		return c - 0x20
	}
	return c
}
