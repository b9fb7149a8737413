package conclude

import (
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// ruleFaults are the faults of rules in the order in which they are listed, errors first.
var ruleFaults = []string{"rule-unread", "rule-loop", "rule-missing", "rule-unreached", "rule-chain", "rule-temporary", "rule-decoded", "rule-conditional"}

// RuleLines says what the rule files of a build come to, a line for each, in the words of w:
// how many rules, and what is wrong with how many. Of a fault that is there once it names the
// line.
func RuleLines(w *messages.Catalogue, b *audit.Build) (lines []string) {
	for i := range b.Files {
		f := &b.Files[i]
		var parts []string
		all := 0
		for _, fault := range ruleFaults {
			n := f.Faults[fault]
			if all += n; n == 0 {
				continue
			}
			text := w.Count(fault, n)
			if n == 1 {
				text += lineOfFault(w, b, f.Name, fault)
			}
			parts = append(parts, text)
		}
		if f.Rules+all == 0 { // a configuration, or headers alone
			continue
		}
		text := w.Text("rules-file", "file", f.Name, "rules", w.Count("n-rules", f.Rules))
		if all > 0 {
			text = w.Text("rules-file-faults", "file", f.Name, "rules", w.Count("n-rules", f.Rules), "faults", w.Count("n-rule-faults", all), "list", strings.Join(parts, " · "))
		}
		lines = append(lines, text)
	}
	if b.Untried > 0 {
		lines = append(lines, w.Count("rules-untried", b.Untried))
	}
	return lines
}

// lineOfFault names the line of the one fault of its kind; "" for that of a whole file.
func lineOfFault(w *messages.Catalogue, b *audit.Build, file, fault string) string {
	for i := range b.Findings {
		if x := &b.Findings[i]; x.File == file && x.Fault == fault && x.Line > 0 {
			return w.Text("rule-on-line", "line", strconv.Itoa(x.Line))
		}
	}
	return ""
}

// Modelled says what answered in place of the network, in the words of w.
func Modelled(w *messages.Catalogue, b *audit.Build) string {
	host := w.Text("host-" + b.Host)
	if b.RecognizedBy == "" {
		return w.Text("modelled", "dir", b.Dir, "host", host, "date", b.Date)
	}
	return w.Text("modelled-by", "dir", b.Dir, "host", host, "date", b.Date, "file", b.RecognizedBy)
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
	rule := say("by-rule", "file", x.By.File, "line", strconv.Itoa(x.By.Line))
	if r, ok := c.result.Build.Rule(x.By); ok {
		rule = say("by-rule-text", "file", x.By.File, "line", strconv.Itoa(x.By.Line), "text", visible(r.Source+" -> "+r.Target))
	}
	if x.Group != audit.Corrected || duplicates(x) {
		rule = say("line", "what", out.Title, "pattern", rule)
	}
	out.Title = rule
}
