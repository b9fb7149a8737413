package messages

import (
	"maps"
	"sync"
)

// Pairs are the texts of pages by key, each in the languages of Langs: headings, buttons,
// sentences around numbers. In a text, `code` stands between backticks, {name} is
// filled in, and {n:entry|entries} is the first word for 1 and the second for any
// other number.
type Pairs map[string][]string

var pagePairs = sync.OnceValue(func() Pairs {
	return pairsOf(func(l *language) map[string]string { return l.Page })
})

var servePairs = sync.OnceValue(func() Pairs {
	all := maps.Clone(pagePairs())
	maps.Copy(all, pairsOf(func(l *language) map[string]string { return l.Serve }))
	return all
})

// pairsOf puts the languages of each text beside each other. What a language has no words
// for is in English.
func pairsOf(part func(*language) map[string]string) Pairs {
	all := Pairs{}
	for key, english := range part(languages()["en"]) {
		for _, lang := range Langs() {
			text, ok := part(languages()[lang])[key]
			if !ok {
				text = english
			}
			all[key] = append(all[key], text)
		}
	}
	return all
}

// Page returns the texts of the report, which are read-only.
func Page() Pairs { return pagePairs() }

// Serve returns the texts of the pages that sitemend serve adds, and those of the
// report. They are read-only.
func Serve() Pairs { return servePairs() }
