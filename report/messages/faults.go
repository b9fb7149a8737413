package messages

import (
	"strconv"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// faultWords are the words of one language for faults of sitemaps.
type faultWords struct {
	Names  map[string]string `json:"names"`  // by Search Console's English name; English needs none
	Things map[string]string `json:"things"` // arguments that are words, not data
	Named  string            `json:"named"`  // after a text: what names the sitemap, and on which line
	// Texts are the sentences by SitemapFault.Key, with {1}, {2} for Args.
	Texts map[string]string `json:"texts"`
}

// SitemapFault returns the name of a fault, as Search Console has it in this
// language, and its sentence. A fault that is in no catalogue is said by its key.
func (c *Catalogue) SitemapFault(f audit.SitemapFault) (name, text string) {
	return or(c.SitemapFaults.Names, f.Name), c.SitemapFaults.say(f, c.Fault)
}

// StableFault returns the sentence of a fault as scripts read it: in English.
func StableFault(f audit.SitemapFault) string {
	return languages()["en"].SitemapFaults.say(f, func(code string) string { return answers.Fault(code).Words() })
}

// say fills the arguments of a fault into its sentence: words in this language, data as it is.
func (w *faultWords) say(f audit.SitemapFault, fault func(code string) string) string {
	var pairs []any
	for i, a := range f.Args {
		pairs = append(pairs, strconv.Itoa(i+1), fault(or(w.Things, a)))
	}
	text := fill(or(w.Texts, f.Key), pairs...)
	if f.NamedIn != "" {
		text += fill(w.Named, "1", f.NamedIn, "2", strconv.Itoa(f.NamedAt))
	}
	return text
}
