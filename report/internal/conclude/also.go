package conclude

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// An AlsoList is one of the lists.
type AlsoList struct {
	Headline Sentence // how many there are
	Parts    Sentence // what becomes of them
	Open     int      // that are not fine
}

// AlsoOf concludes what becomes of the addresses that sitemaps name beside what they list.
func AlsoOf(result *audit.Result) (lists []AlsoList) {
	for i := range result.Also {
		sum := &result.Also[i]
		l := AlsoList{Headline: say("named-lead-"+string(sum.List), "n", sum.Counts.Entries)}
		var parts []Sentence
		for _, g := range audit.Groups() {
			n := sum.Counts.Total(g)
			if AlsoOpen(g) {
				l.Open += n
			}
			if n > 0 {
				parts = append(parts, say("named-part", "n", n, "what", word(func(c *messages.Catalogue) string { return c.Group(g) })))
			}
		}
		l.Parts = join("r-dot", parts...)
		lists = append(lists, l)
	}
	return lists
}

// AlsoOpen reports whether an address of a group is worth a line: it is edited, needs a decision,
// or could not be checked.
func AlsoOpen(g audit.Group) bool {
	return g == audit.Corrected || g == audit.TakenOut || g == audit.NeedsDecision || g == audit.NotChecked
}

// AlsoWhat names the verdict of an address.
func AlsoWhat(r *audit.Row) Sentence {
	return say("as-it-is", "text", word(func(c *messages.Catalogue) string { return c.Verdict(r.Verdict).Name }))
}

// AlsoWhy says why what is done is done.
func AlsoWhy(r *audit.Row) Sentence {
	return say("as-it-is", "text", word(func(c *messages.Catalogue) string { return c.FixWhy(r.Fix.Why) }))
}

// AlsoBy says how many entries name an address.
func AlsoBy(r *audit.Row) Sentence { return say("named-by", "n", r.Entry.Also.Of) }
