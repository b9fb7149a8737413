package messages

import (
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// Advice says what is to be done about a reported address.
func Advice(r *audit.ReportedRow) Sentence {
	key := "advice-" + string(r.Upshot)
	if r.To != "" {
		key += "-to"
	}
	why := Words(func(c *Catalogue) string { return c.Verdict(r.Verdict).What })
	switch {
	case r.Verdict == audit.OK && r.Upshot == audit.UpshotNothing:
		return Sentence(func(c *Catalogue) string { return c.Text("two", "one", why, "two", c.Verdict(audit.OK).Do) })
	case r.Verdict == audit.Unverified:
		why = Words(func(c *Catalogue) string { return c.Fault(answers.Fault(r.UnseenBy())) })
	case r.Upshot != audit.UpshotNothing:
		why = Words(func(c *Catalogue) string { return c.Verdict(r.Verdict).Name })
	}
	return Say(key, "to", Code(r.To), "do", Sentence(func(c *Catalogue) string { return c.Do(DecidedOf(r)) }), "why", why,
		"reason", Words(func(c *Catalogue) string { return or(c.Labels, string(r.Entry.Reported.Reason)) }))
}
