package messages

import (
	"strings"

	"sitemend/crawler/audit"
)

// reportedWords are the words of one language for reported addresses.
type reportedWords struct {
	Labels map[string]string `json:"labels"`
	Advice map[string]string `json:"advice"`
	Texts  map[string]string `json:"texts"`
}

// Why returns a reason of Search Console, given in English or as it was
// exported, in this language where that is known.
func (c *Catalogue) Why(l audit.Label) string {
	if w, ok := languages()[c.lang].Reported.Labels[string(l)]; ok {
		return w
	}
	return c.Label(string(l))
}

// Reported returns the sentence named key about reported addresses, with its
// {placeholders} filled from pairs of name and value.
func (c *Catalogue) Reported(key string, pairs ...string) string {
	return filled(or(languages()[c.lang].Reported.Texts, key), pairs)
}

// Advice says what is to be done about a reported address.
func (c *Catalogue) Advice(r *audit.ReportedRow) string {
	text, pairs := c.AdviceParts(r)
	return filled(text, pairs)
}

// AdviceParts is Advice before its placeholders are filled, and the pairs of
// name and value that fill them: {to} is an address, the others are text.
func (c *Catalogue) AdviceParts(r *audit.ReportedRow) (text string, pairs []string) {
	seen := ""
	if r.Entry.Reported.Crawled != "" {
		seen = c.Reported("seen", "date", r.Entry.Reported.Crawled)
	}
	key, why := string(r.Upshot), c.Unseen(&r.Row)
	if r.To != "" {
		key += "-to"
	}
	if why == "" {
		why = c.Verdict(r.Verdict).Name
	}
	text = or(languages()[c.lang].Reported.Advice, key)
	do, none := c.Do(DecidedOf(r)), "no-sitemap"
	if r.Unread {
		none = "no-sitemap-read"
	}
	return text,
		[]string{"to", r.To, "seen", seen, "do", do, "why", why, "reason", c.Why(r.Entry.Reported.Reason),
			"no", c.Reported(none), "No", c.Reported("N" + none[1:])}
}

// Unseen says in a few words why nothing was seen of a row: a status, a fault,
// the name of a bot protection; "" where something was.
func (c *Catalogue) Unseen(r *audit.Row) string {
	why := r.UnseenBy()
	if why == string(audit.Unsteady) {
		return c.Text("unsteady")
	}
	return c.Fault(audit.Fault(why))
}

// filled fills each {name} of a text that pairs have; what is filled in is not
// looked at again.
func filled(text string, pairs []string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		if !open {
			return b.String()
		}
		value, has := valueOf(pairs, name)
		if !closed || !has {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(value)
		text = after
	}
}

// valueOf returns the value of a name among pairs of both.
func valueOf(pairs []string, name string) (string, bool) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1], true
		}
	}
	return "", false
}
