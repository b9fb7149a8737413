package messages

import "sitemend/crawler/audit"

// Advice says what is to be done about a reported address.
func Advice(r *audit.ReportedRow) Sentence {
	key := "advice-" + string(r.Upshot)
	if r.To != "" {
		key += "-to"
	} else if r.Verdict == audit.OK && r.Upshot == audit.UpshotNothing {
		key = "two"
	}
	why := Words(func(c *Catalogue) string { return c.Verdict(r.Verdict).What })
	if r.Verdict == audit.Unverified {
		why = Words(func(c *Catalogue) string { return c.Fault(r.UnseenBy()) })
	}
	decided := Decision{Verdict: r.Verdict, Action: r.Verdict.Facts().Fix} // or what would be
	if r.Kept {
		decided = Decision{r.Verdict, audit.Keep, r.Stop}
	}
	do := Sentence(func(c *Catalogue) string { return c.Do(decided) })
	return Say(key, "to", Code(r.To), "do", do, "two", do, "why", why, "one", why,
		"reason", Words(func(c *Catalogue) string { return or(c.Labels, string(r.Entry.Reported.Reason)) }))
}
