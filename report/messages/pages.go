package messages

import (
	"maps"
	"sync"
)

// Texts are the texts of pages by language and key: headings, buttons,
// sentences around numbers. In a text, `code` stands between backticks, {name} is
// filled in, and {n:entry|entries} is the first word for 1 and the second for any
// other number.
type Texts map[string]map[string]string

// Of returns the text of key in lang: in English where lang has none, key where there is none.
func (t Texts) Of(lang, key string) string {
	if text, ok := t[lang][key]; ok {
		return text
	}
	return or(t["en"], key)
}

var pageTexts = sync.OnceValue(func() Texts {
	all := Texts{}
	for lang, l := range languages() {
		all[lang] = l.Page
	}
	return all
})

var serveTexts = sync.OnceValue(func() Texts {
	all := Texts{}
	for lang, l := range languages() {
		all[lang] = map[string]string{}
		maps.Copy(all[lang], l.Page)
		maps.Copy(all[lang], l.Serve)
	}
	return all
})

// Page returns the texts of the report, which are read-only.
func Page() Texts { return pageTexts() }

// Serve returns the texts of the pages that sitemend serve adds, and those of the
// report. They are read-only.
func Serve() Texts { return serveTexts() }
