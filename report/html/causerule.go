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

// A causeRules is the rule of a cause's first example.
type causeRules struct {
	Mine   page.Phrase // for the server that was recognised; nil where none was
	Others []page.Phrase
	All    page.Phrase // the command that writes all of them
}

// newCauseRules is the rule of a cause in formats of servers, that of the recognised one first; nil
// where `sitemend rules` writes none for it: it takes what redirects twice or more, or to another
// spelling, and may be written. command is the one that writes them, without a format.
func newCauseRules(result *audit.Result, c *audit.Cause, command string) *causeRules {
	if c.Stop != "" || len(c.Examples) == 0 || len(c.Finals) == 0 {
		return nil
	}
	from, err := address.Parse(c.Examples[0])
	if err != nil {
		return nil
	}
	to := address.Wire(c.Finals[0])
	switch {
	case c.Verdict == audit.SpellingConflict:
		from, to = to, from // the other spelling is to lead to the listed one
	case c.Group != audit.Corrected || c.LeastHops == 0:
		return nil
	case c.LeastHops < 2 && !address.OnlyEncoding(c.Reasons):
		return nil
	}
	server := result.Info.Servers[from.HostPort()]
	mine := page.RuleFormats[server]
	v := &causeRules{}
	if rule := oneRule(mine, from, to); rule != "" {
		v.Mine = say("cause-rule-mine", "server", server, "format", mine, "rule", page.Visible(rule))
		v.All = say("cause-rules-mine", "command", page.Code(page.Visible(command+" --for "+mine)))
	}
	for _, name := range ruleFormats {
		if rule := oneRule(name, from, to); rule != "" && (name != mine || v.Mine == nil) {
			v.Others = append(v.Others, say("cause-rule", "format", name, "rule", page.Visible(rule)))
		}
	}
	switch {
	case v.Mine == nil && v.Others == nil:
		return nil
	case v.Mine == nil:
		v.All = say("cause-rules", "command", page.Code(page.Visible(command+" --for FORMAT")))
	}
	return v
}

// oneRule is the rule that leads one address to another in a format, in one line; "" where
// the format cannot say it.
func oneRule(name string, from, to address.Address) string {
	format := write.ByName(name)
	if format == nil || !format.Text() || from.IsZero() || to.IsZero() || from.HostPort() == to.HostPort() && from.Target() == to.Target() {
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
