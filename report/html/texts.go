package html

import (
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// say is a text of the report.
func say(key string, pairs ...any) page.Phrase { return page.Say(messages.Page(), key, pairs...) }

// sitemapFaultText is the name and the sentence of a sitemap's fault. They quote
// the site.
func sitemapFaultText(f audit.SitemapFault) (name, text page.Phrase) {
	in := func(which func(name, text string) string) page.Phrase {
		return page.AsIs(func(c *messages.Catalogue) string { return which(c.SitemapFault(f)) })
	}
	return in(func(name, _ string) string { return name }), in(func(_, text string) string { return text })
}
