package messages

import "sitemend/crawler/audit"

// adviceAs are advices in the words of another: all are of one URL in two encodings.
var adviceAs = map[audit.Advice]audit.Advice{audit.AdviceSeedHere: audit.AdviceSeed, audit.AdviceOtherAnswer: audit.AdviceSeed}

// Advice says what is to be done about a reported address.
func (c *Catalogue) Advice(r *audit.ReportedRow) string {
	text, pairs := c.AdviceParts(r)
	return fill(text, pairs)
}

// AdviceParts is Advice before its placeholders are filled, and the pairs of
// name and value that fill them: {to} is an address, the others are text.
func (c *Catalogue) AdviceParts(r *audit.ReportedRow) (text string, pairs []string) {
	key := r.Advice
	if as, ok := adviceAs[key]; ok {
		key = as
	}
	return or(languages()[c.lang].Advices, string(key)),
		[]string{"to", r.To, "do", c.Do(DecidedOf(r)), "why", c.Unseen(&r.Row), "reason", c.Label(string(r.Entry.Reported.Reason))}
}

// Unseen says in a few words why nothing was seen of a row: a status, a fault,
// the name of a bot protection; "" where something was.
func (c *Catalogue) Unseen(r *audit.Row) string { return c.Fault(audit.Fault(r.UnseenBy())) }
