package page

import (
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// VerdictName is the name of v.
func VerdictName(v audit.Verdict) messages.Sentence {
	return func(c *messages.Catalogue) string { return c.Verdict(v).Name }
}

// WhyText is why a fix was decided.
func WhyText(why audit.Why) messages.Sentence {
	return messages.Words(func(c *messages.Catalogue) string { return c.FixWhy(why) })
}

// NoteText is n as a sentence.
func NoteText(n audit.Note) messages.Sentence {
	return func(c *messages.Catalogue) string { return c.Remark(n).What }
}
