package crawler

import (
	"fmt"

	"sitemend/crawler/audit"
)

// A sentence is what a fault of a sitemap says in English, with its name and
// what is filled in for translations.
type sentence struct {
	text string
	key  string
	args []string
}

// fault is s as a fault of a sitemap, with where it is named.
func (s sentence) fault(sm *audit.Sitemap, from source, name, severity string) audit.SitemapFault {
	f := audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Text: s.text, Key: s.key, Args: s.args}
	if in, at := from.named(); in != "" {
		f.Text += fmt.Sprintf(" (%s line %d names it)", in, at)
		f.NamedIn, f.NamedAt = in, at
	}
	return f
}
