package html

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/rules/write"
	"sitemend/report/internal/page"
)

// ruleFormats are the formats of which a cause shows its rule: those that tell spellings
// apart, as servers of one's own have them.
var ruleFormats = []string{"nginx", "apache", "caddy"}

// causeRules are the rule of a cause's first example in formats of servers, and the command that
// writes all of them; nil where `sitemend rules` writes none for it: it takes what redirects
// twice or more, or to another spelling, and may be written.
func causeRules(c *audit.Cause) (out []page.Phrase) {
	if c.Stop != "" || len(c.Examples) == 0 || len(c.Finals) == 0 {
		return nil
	}
	from, to := address.Wire(c.Examples[0]), address.Wire(c.Finals[0])
	switch {
	case c.Verdict == audit.SpellingConflict:
		from, to = to, from // the other spelling is to lead to the listed one
	case c.Group != audit.Corrected || c.LeastHops == 0:
		return nil
	case c.LeastHops < 2 && !address.OnlyEncoding(c.Reasons):
		return nil
	}
	for _, name := range ruleFormats {
		if rule := oneRule(name, from, to); rule != "" {
			out = append(out, say("cause-rule", "format", name, "rule", page.Visible(rule)))
		}
	}
	if out == nil {
		return nil
	}
	return append(out, say("cause-rules"))
}

// oneRule is the rule that leads one address to another in a format, in one line; "" where
// the format cannot say it.
func oneRule(name string, from, to address.Address) string {
	format := write.ByName(name)
	if format == nil || from.IsZero() || to.IsZero() || from.HostPort() == to.HostPort() && from.Target() == to.Target() {
		return ""
	}
	target := to.String()
	if from.Origin() == to.Origin() {
		target = to.Target()
	}
	plan := format.Plan([]write.Pair{{Source: from.Target(), Target: target}}, write.Options{Host: from.HostPort(), Status: 301})
	var b strings.Builder
	if len(plan.Pairs) != 1 || plan.Write(&b) != nil {
		return ""
	}
	lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), func(l string) bool {
		return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#")
	})
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, target) })
	if at < 0 {
		return ""
	}
	return strings.TrimSpace(lines[at])
}
