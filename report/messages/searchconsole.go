package messages

import "sitemend/crawler/audit"

// Advice says what is to be done about a reported address.
func (c *Catalogue) Advice(r *audit.ReportedRow) string {
	text, pairs := c.AdviceParts(r)
	return fill(text, pairs)
}

// AdviceParts is Advice before its placeholders are filled, and the pairs of
// name and value that fill them: {to} is an address, the others are text.
func (c *Catalogue) AdviceParts(r *audit.ReportedRow) (text string, pairs []string) {
	key, why := string(r.Upshot), c.Unseen(&r.Row)
	if r.To != "" {
		key += "-to"
	}
	if r.Verdict != audit.Unverified {
		why = c.Verdict(r.Verdict).Name
	}
	return or(languages()[c.lang].Advices, key),
		[]string{"to", r.To, "do", c.Do(DecidedOf(r)), "why", why, "reason", c.Label(string(r.Entry.Reported.Reason))}
}

// Unseen says in a few words why nothing was seen of a row: a status, a fault,
// the name of a bot protection; "" where something was.
func (c *Catalogue) Unseen(r *audit.Row) string { return c.Fault(audit.Fault(r.UnseenBy())) }
