package conclude

import "sitemend/crawler/audit"

// An AlsoList is one of the lists.
type AlsoList struct {
	Headline Sentence   // how many there are
	Parts    []Sentence // what becomes of them
	Open     int        // that are not fine
}

// AlsoOf concludes what becomes of the addresses that sitemaps name beside what they list.
func AlsoOf(result *audit.Result) (lists []AlsoList) {
	for i := range result.Also {
		sum := &result.Also[i]
		s, l := SharesOf(sum.Counts.Total), AlsoList{Headline: say("also-"+string(sum.List), "n", sum.Counts.Entries)}
		l.Open = s.Fix + s.Decide + s.Unseen
		replaced := sum.Counts.Total(audit.Corrected)
		for _, x := range []struct {
			n    int
			said Sentence
		}{{s.Clean, say("n-clean", "n", s.Clean)}, {s.Fix, say("n-fixable", "n", s.Fix, "a", replaced, "b", s.Fix-replaced)},
			{s.Decide, say("n-decide", "n", s.Decide)}, {s.Unseen + s.LeftOut, say("n-unknown", "n", s.Unseen+s.LeftOut)}} {
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
