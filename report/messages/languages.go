package messages

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// files are the languages that there are: what stands in ja.json is Japanese.
//
//go:embed *.json
var files embed.FS

var languages = sync.OnceValue(func() map[string]*Catalogue {
	all := map[string]*Catalogue{}
	names, _ := files.ReadDir(".") // a test keeps the embedded files whole
	for _, f := range names {
		c := &Catalogue{lang: strings.TrimSuffix(f.Name(), ".json")}
		if b, err := files.ReadFile(f.Name()); err != nil || json.Unmarshal(b, c) != nil {
			continue
		}
		named(c.Verdicts)
		named(c.Notes)
		c.share()
		all[c.lang] = c
	}
	return all
})

// Langs returns the languages there are words in, English first.
func Langs() []string {
	langs := []string{"en"}
	for lang := range languages() {
		if lang != "en" {
			langs = append(langs, lang)
		}
	}
	slices.Sort(langs[1:])
	return langs
}

// Next returns the language that a reader of lang is offered: the one after it.
func Next(lang string) string {
	all := Langs()
	return all[(slices.Index(all, lang)+1)%len(all)]
}

// Of returns the catalogue of lang: a language tag or a locale of the
// environment ("ja", "ja-JP", "ja_JP.UTF-8"). Only the language counts; a
// language without words gives English.
func Of(lang string) *Catalogue {
	base := strings.FieldsFunc(strings.ToLower(lang)+"-", func(r rune) bool { return strings.ContainsRune("-_.", r) })
	if c := languages()[strings.Join(base[:min(1, len(base))], "")]; c != nil {
		return c
	}
	return languages()["en"]
}
