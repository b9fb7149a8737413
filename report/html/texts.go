package html

import (
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// say is a text of the report.
func say(key string, pairs ...any) page.Phrase { return page.Say(messages.Page(), key, pairs...) }

func whoText(who string) page.Phrase {
	return page.Marked(func(c *messages.Catalogue) string { return c.Who(who) })
}

// sitemapFaultText is the name and the sentence of a sitemap's fault. They quote
// the site.
func sitemapFaultText(f audit.SitemapFault) (name, text page.Phrase) {
	in := func(which func(name, text string) string) page.Phrase {
		return page.AsIs(func(c *messages.Catalogue) string { return which(c.SitemapFault(f)) })
	}
	return in(func(name, _ string) string { return name }), in(func(_, text string) string { return text })
}

// countOf is "908 moved": a number with the word for a part of a group, a
// verdict or "merged".
func countOf(part string, n int) page.Phrase {
	word := page.Marked(func(c *messages.Catalogue) string {
		if part == "merged" {
			return oneOrMany(n, c.Action(audit.Merge).One, c.Action(audit.Merge).Many)
		}
		f := c.Verdict(audit.Verdict(part))
		return oneOrMany(n, f.One, f.Many)
	})
	return say("count-of", "n", n, "what", word)
}

func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
