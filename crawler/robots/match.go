package robots

import (
	"bytes"
	"sort"
	"strings"
)

// A ruleset is the rules that apply to one token, best first: the first rule that matches decides.
type ruleset struct{ rules []compiled }

// compiled is a rule with its pattern split at the wildcards.
type compiled struct {
	rule
	prefix   string   // up to the first *
	parts    []string // between and after the *s; nil without a *
	anchored bool     // the pattern ends in $
}

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

// decide returns the rule that decides about path; nil for none.
func (rs *ruleset) decide(path string) *rule {
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

// upperHex converts the hex digits of escapes to upper case.
func upperHex(s string) string {
	var b []byte
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '%' || !isHex(s[i+1]) || !isHex(s[i+2]) {
			continue
		}
		if s[i+1] >= 'a' || s[i+2] >= 'a' {
			if b == nil {
				b = []byte(s)
			}
			copy(b[i+1:], bytes.ToUpper(b[i+1:i+3]))
		}
		i += 2
	}
	if b == nil {
		return s
	}
	return string(b)
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
