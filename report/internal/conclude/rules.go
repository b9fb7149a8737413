package conclude

import (
	"strings"

	"sitemend/crawler/answers"
	"sitemend/report/messages"
)

// ruleFaults are the faults of rules in the order in which they are listed, errors first.
var ruleFaults = []string{"rule-unread", "rule-loop", "rule-missing", "rule-unreached", "rule-chain", "rule-temporary", "rule-decoded", "rule-conditional"}

// RuleLines says what the rule files of a build come to, a sentence for each: how many rules, and what is
// wrong with how many; then what of the answers is in no file, but of an origin with a port, where nothing is.
func RuleLines(b *answers.Build) (lines []messages.Sentence) {
	for i := range b.Files {
		f := &b.Files[i]
		parts := []messages.Sentence{messages.Say("line", "what", f.Name, "pattern", messages.Say("n-rules", "n", f.Rules))}
		for _, fault := range ruleFaults {
			if n := f.Faults[fault]; n > 0 {
				parts = append(parts, messages.Say("line", "what", messages.Say("fault-"+fault), "pattern", n))
			}
		}
		if f.Rules > 0 || len(parts) > 1 { // else a configuration, or headers alone
			lines = append(lines, messages.Join(" · ", parts...))
		}
	}
	if strings.Count(b.Origin, ":") == 1 {
		lines = append(lines, messages.Say("assumed", "origin", b.Origin))
	}
	return lines
}

// Modelled says what answered in place of the network.
func Modelled(b *answers.Build) messages.Sentence {
	return messages.Say("modelled", "dir", b.Dir, "host", b.Host, "date", b.Date)
}
