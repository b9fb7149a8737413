package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// An AlsoList is one of the lists.
type AlsoList struct {
	Headline messages.Sentence   // how many there are
	Parts    []messages.Sentence // what becomes of them
	Open     int                 // that are not fine
}

// AlsoOf concludes what becomes of the addresses that sitemaps name beside what they list.
func AlsoOf(result *audit.Result) (lists []AlsoList) {
	for i := range result.Also {
		sum := &result.Also[i]
		s, l := SharesOf(sum.Counts.Total), AlsoList{Headline: messages.Say("also-"+string(sum.List), "n", sum.Counts.Entries)}
		l.Open = s.Fix + s.Decide + s.Unseen
		replaced := sum.Counts.Total(audit.Corrected)
		for _, x := range []struct {
			n    int
			said messages.Sentence
		}{{s.Clean, messages.Say("n-clean", "n", s.Clean)}, {s.Fix, messages.Say("n-fixable", "n", s.Fix, "a", replaced, "b", s.Fix-replaced)},
			{s.Decide, messages.Say("n-decide", "n", s.Decide)}, {s.Unseen + s.LeftOut, messages.Say("n-unknown", "n", s.Unseen+s.LeftOut)}} {
			if x.n > 0 {
				l.Parts = append(l.Parts, x.said)
			}
		}
		lists = append(lists, l)
	}
	return lists
}

// AlsoOpen reports whether an address of a group is worth a line: it is edited, needs a decision,
// or could not be checked.
func AlsoOpen(g audit.Group) bool {
	return g == audit.Corrected || g == audit.TakenOut || g == audit.NeedsDecision || g == audit.NotChecked
}
