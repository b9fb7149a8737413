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
	why := Words(func(c *Catalogue) string { return c.Verdict(r.Verdict).Name })
	if r.Verdict == audit.Unverified {
		why = Words(func(c *Catalogue) string { return c.Fault(answers.Fault(r.UnseenBy())) })
	}
	return Say(key, "to", Code(r.To), "do", Sentence(func(c *Catalogue) string { return c.Do(DecidedOf(r)) }), "why", why,
		"reason", Words(func(c *Catalogue) string { return or(c.Labels, string(r.Entry.Reported.Reason)) }))
}
