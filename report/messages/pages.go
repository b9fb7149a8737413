package messages

import (
	"maps"
	"regexp"
	"strings"
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

// placeholder matches a placeholder of a text.
var placeholder = regexp.MustCompile(`\{(\w+)(?::([^|}]*)\|([^}]*))?\}`)

// Fill fills a text of Texts from pairs of name and value, each value as written writes it. A name
// without a value is left as it is.
func Fill(text string, written func(any) string, pairs ...any) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		p := placeholder.FindStringSubmatch(m)
		v, ok := value(p[1], pairs)
		switch {
		case !ok:
			return m
		case !strings.Contains(m, ":"):
			return written(v)
		case v == 1:
			return p[2]
		}
		return p[3]
	})
}

func value(name string, pairs []any) (any, bool) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1], true
		}
	}
	return nil, false
}

// Conclude returns the texts of the conclusions of an audit, which are read-only.
func Conclude() Texts { return concludeTexts() }

var concludeTexts = sync.OnceValue(func() Texts {
	all := Texts{}
	for lang, l := range languages() {
		all[lang] = l.Conclude
	}
	return all
})

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
