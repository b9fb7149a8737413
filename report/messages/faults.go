package messages

import (
	"strconv"
	"strings"

	"sitemend/crawler/audit"
)

// faultWords are the words of one language for faults of sitemaps. English has
// none: a fault says itself in English.
type faultWords struct {
	Names  map[string]string `json:"names"`  // by Search Console's English name
	Things map[string]string `json:"things"` // arguments that are words, not data
	Named  string            `json:"named"`  // after a text: what names the sitemap, and on which line
	Texts  map[string]string `json:"texts"`  // by SitemapFault.Key, with {1}, {2} for Args
}

// SitemapFault returns the name of a fault, as Search Console has it in this
// language, and its sentence. What has no words in the language, as a fault that
// an older version stored, is in English.
func (c *Catalogue) SitemapFault(f audit.SitemapFault) (name, text string) {
	t := languages()[c.lang].SitemapFaults
	name = or(t.Names, f.Name)
	text, ok := t.Texts[f.Key]
	if !ok {
		return name, f.Text
	}
	text = c.fillFault(text, t.Things, f.Args)
	if f.NamedIn != "" {
		text += c.fillFault(t.Named, nil, []string{f.NamedIn, strconv.Itoa(f.NamedAt)})
	}
	return name, text
}

// fillFault fills in the arguments: words in this language, data as it is.
func (c *Catalogue) fillFault(text string, things map[string]string, args []string) string {
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		if word, ok := things[a]; ok {
			a = word
		} else if word, ok := c.Faults[a]; ok {
			a = word
		}
		pairs = append(pairs, "{"+strconv.Itoa(i+1)+"}", a)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
