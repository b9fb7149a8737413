package messages

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
)

// files are the languages that there are: what stands in ja.json is Japanese.
//
//go:embed *.json
var files embed.FS

// A language is all that people read in one language.
type language struct {
	Catalogue
	Rules         map[string]string `json:"rules"`    // by pattern.Term.Name; English needs none
	Remedies      map[string]string `json:"remedies"` // of causes
	Diff          map[string]string `json:"diff"`
	SitemapFaults faultWords        `json:"sitemap-faults"`
	Advices       map[string]string `json:"advice"` // by audit.Upshot, with -to behind it where that names an address
	Conclude      map[string]string `json:"conclude"`
	Page          map[string]string `json:"page"`
	Serve         map[string]string `json:"serve"`
	Watch         map[string]string `json:"watch"`
	Shared        map[string]string `json:"shared"` // are in each of the maps of texts
}

var languages = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{"en": {}}
	names, _ := files.ReadDir(".") // a test keeps the embedded files whole
	for _, f := range names {
		lang, text := strings.TrimSuffix(f.Name(), ".json"), &language{}
		if b, err := files.ReadFile(f.Name()); err != nil || json.Unmarshal(b, text) != nil {
			continue
		}
		text.lang = lang
		for _, texts := range []map[string]string{text.Texts, text.Conclude, text.Page, text.Serve, text.Diff, text.Watch} {
			maps.Copy(texts, text.Shared)
		}
		named(text.Verdicts)
		named(text.Notes)
		text.share()
		text.sayLifting()
		all[lang] = text
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
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	base, _, _ = strings.Cut(base, "_")
	base, _, _ = strings.Cut(base, ".")
	if l, ok := languages()[base]; ok {
		return &l.Catalogue
	}
	return &languages()["en"].Catalogue
}
