package audit

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/pattern"
)

// maxRuled bounds the rules of a build that are counted while rows are seen.
const maxRuled = 100_000

// ruled counts the findings that rules of a build answered on their way, to see which rules
// are a cause: those of as many rows as a rule of redirects needs, the most of them. The zero
// ruled is ready.
type ruled struct {
	seen   map[RuleAt]int
	chosen map[RuleAt]bool
}

// see takes note of a row with a finding.
func (c *ruled) see(r *Row) {
	at := r.Trail.firstRule()
	if at == (RuleAt{}) {
		return
	}
	if c.seen == nil {
		c.seen = map[RuleAt]int{}
	}
	if n := c.seen[at]; n > 0 || len(c.seen) < maxRuled {
		c.seen[at] = n + 1
	}
}

// choose ends the seeing.
func (c *ruled) choose() {
	var all []RuleAt
	for at, n := range c.seen {
		if n >= pattern.MinMembers {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b RuleAt) int {
		return cmp.Or(c.seen[b]-c.seen[a], strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	c.chosen = map[RuleAt]bool{}
	for _, at := range all[:min(len(all), maxRules)] {
		c.chosen[at] = true
	}
	c.seen = nil
}

// of returns the rule that is the cause of a row's finding; zero for none.
func (c *ruled) of(r *Row) RuleAt {
	if len(c.chosen) == 0 {
		return RuleAt{}
	}
	if at := r.Trail.firstRule(); c.chosen[at] {
		return at
	}
	return RuleAt{}
}

// firstRule is the first rule of a build that answered on the way; zero for none.
func (t *Trail) firstRule() RuleAt {
	for i := range t.Steps {
		if at := t.Steps[i].Hop.Rule; at != (RuleAt{}) {
			return at
		}
	}
	return RuleAt{}
}
