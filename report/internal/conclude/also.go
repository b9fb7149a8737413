package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// AlsoLines conclude what becomes of the addresses that sitemaps name beside what they list, a line for
// each list.
func AlsoLines(result *audit.Result) (lines []messages.Sentence) {
	for i := range result.Also {
		sum := &result.Also[i]
		var parts []messages.Sentence
		fix := "n-fixable"
		if sum.List == audit.AlsoAlternates && result.Writes() { // images and videos are not edited
			fix = "n-fixed"
		}
		for _, x := range segments(SharesOf(sum.Counts.Total), fix, sum.Counts.Total(audit.Corrected)) {
			parts = append(parts, x.Label)
		}
		lines = append(lines, messages.Say("line", "what", messages.Say("also-"+string(sum.List), "n", sum.Counts.Entries), "pattern", messages.Join(" · ", parts...)))
	}
	return lines
}

// AlsoOpen are the groups of addresses that are worth a line: they are edited, need a decision, or could
// not be checked.
var AlsoOpen = []audit.Group{audit.Corrected, audit.TakenOut, audit.NeedsDecision, audit.NotChecked}
