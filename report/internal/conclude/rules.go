package conclude

import (
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// ruleFaults are the faults of rules in the order in which they are listed, errors first.
var ruleFaults = []string{"rule-unread", "rule-loop", "rule-missing", "rule-unreached", "rule-chain", "rule-temporary", "rule-decoded", "rule-conditional"}

// RuleLines says what the rule files of a build come to, a line for each, in the words of w: how many rules,
// and what is wrong with how many.
func RuleLines(w *messages.Catalogue, b *audit.Build) (lines []string) {
	for i := range b.Files {
		f := &b.Files[i]
		parts := []string{f.Name + ": " + w.Count("n-rules", f.Rules)}
		for _, fault := range ruleFaults {
			if n := f.Faults[fault]; n > 0 {
				parts = append(parts, w.Text("fault-"+fault)+": "+messages.Number(n))
			}
		}
		if f.Rules > 0 || len(parts) > 1 { // else a configuration, or headers alone
			lines = append(lines, strings.Join(parts, " · "))
		}
	}
	return lines
}

// Modelled says what answered in place of the network, in the words of w.
func Modelled(w *messages.Catalogue, b *audit.Build) string {
	return w.Text("modelled", "dir", b.Dir, "host", b.Host, "date", b.Date)
}

// Assumed says what of the answers is in no file of the build, in the words of w; "" for a
// build whose origin has a port, where nothing is.
func Assumed(w *messages.Catalogue, b *audit.Build) string {
	if strings.Count(b.Origin, ":") > 1 {
		return ""
	}
	return w.Text("assumed", "origin", b.Origin)
}

// byRule says which rule of a build is behind a cause.
func (c *concluding) byRule(x *audit.Cause, out *Cause) {
	if x.By == (audit.RuleAt{}) {
		return
	}
	at := x.By.File + ":" + strconv.Itoa(x.By.Line)
	if r, ok := c.result.Build.Rule(x.By); ok {
		at += " " + r.Source + " -> " + r.Target
	}
	rule := verbatim(at)
	if x.Group != audit.Corrected || duplicates(x) {
		rule = say("line", "what", out.Title, "pattern", rule)
	}
	out.Title = rule
}
