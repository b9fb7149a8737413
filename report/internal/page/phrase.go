package page

import (
	"fmt"
	"regexp"
	"strings"

	"sitemend/report/messages"
)

// Say returns the text of key with pairs of name and value filled in: an int is
// written with thousands, a Phrase in each language, anything else as it is. A
// key that there is not is its own text. html/page/text.js fills by the same rules.
func Say(texts messages.Pairs, key string, pairs ...any) Phrase {
	t, ok := texts[key]
	if !ok {
		t = []string{key, key}
	}
	return Phrase{Runs(t[0], "en", pairs...), Runs(t[1], "ja", pairs...)}
}

// A Run is a part of a phrase: text, or code.
type Run struct {
	Code bool
	Text string
}

// A Phrase is a text in both languages; a page shows one of them.
type Phrase struct{ En, Ja []Run }

// Both reports whether the languages differ.
func (p Phrase) Both() bool { return p.EN() != p.JA() }

// EN returns the English text alone.
func (p Phrase) EN() string { return joinRuns(p.En) }

// JA returns the Japanese text alone.
func (p Phrase) JA() string { return joinRuns(p.Ja) }

// In returns the text in lang.
func (p Phrase) In(lang string) string {
	if lang == "ja" {
		return p.JA()
	}
	return p.EN()
}

func joinRuns(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Two is a text in English and Japanese, as it is: a backtick in it means nothing.
func Two(en, ja string) Phrase { return Phrase{[]Run{{Text: en}}, []Run{{Text: ja}}} }

// Raw is s in both languages, as it is.
func Raw(s string) Phrase { return Two(s, s) }

// InBoth asks both catalogues for a text, in which `code` stands between backticks.
func InBoth(pick func(c *messages.Catalogue) string) Phrase {
	return Marked(pick(messages.Of("en")), pick(messages.Of("ja")))
}

// Marked is a text in English and Japanese, in which `code` stands between backticks.
func Marked(en, ja string) Phrase { return Phrase{Runs(en, "en"), Runs(ja, "ja")} }

// Code is s in both languages, as code.
func Code(s string) Phrase { r := []Run{{true, s}}; return Phrase{r, r} }

// AsIs is InBoth of texts in which nothing is code and a site may be quoted.
func AsIs(pick func(c *messages.Catalogue) string) Phrase {
	return Two(Visible(pick(messages.Of("en"))), Visible(pick(messages.Of("ja"))))
}

// Runs splits text at its backticks and fills each part, as Say does, in lang.
func Runs(text, lang string, pairs ...any) []Run {
	var out []Run
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, Run{i%2 == 1, fill(part, lang, pairs)})
		}
	}
	return out
}

var placeholder = regexp.MustCompile(`\{(\w+)(?::([^|}]*)\|([^}]*))?\}`)

func fill(text, lang string, pairs []any) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		p := placeholder.FindStringSubmatch(m)
		v, ok := value(p[1], pairs)
		if !ok {
			return m
		}
		if !strings.Contains(m, ":") {
			return written(v, lang)
		}
		if n, isInt := v.(int); isInt && n == 1 {
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

func written(v any, lang string) string {
	switch v := v.(type) {
	case int:
		return messages.Number(v)
	case Phrase:
		return v.In(lang)
	}
	return fmt.Sprint(v)
}
