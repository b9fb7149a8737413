package page

import (
	"fmt"
	"slices"
	"strings"

	"sitemend/report/messages"
)

// Say returns the text of key with pairs of name and value filled in: an int is
// written with thousands, a Phrase in each language, anything else as it is. A
// key that there is not is its own text. page/text.js fills by the same rules.
func Say(texts messages.Texts, key string, pairs ...any) Phrase {
	return Each(func(c *messages.Catalogue) []Run { return Runs(texts.Of(c.Lang(), key), c.Lang(), pairs...) })
}

// A Run is a part of a phrase: text, or code.
type Run struct {
	Code bool
	Text string
}

// A Phrase is a text in each language of messages.Langs, in that order; a page shows
// one of them. nil says nothing.
type Phrase []Text

// A Text is a phrase in one language.
type Text struct {
	Lang string
	Runs []Run
}

// String returns the text alone.
func (t Text) String() string {
	var b strings.Builder
	for _, r := range t.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// Differs reports whether the languages differ.
func (p Phrase) Differs() bool {
	return slices.ContainsFunc(p, func(t Text) bool { return t.String() != p[0].String() })
}

// Runs returns what is the same in all languages where they do not differ.
func (p Phrase) Runs() []Run {
	if len(p) == 0 {
		return nil
	}
	return p[0].Runs
}

// In returns the text in lang.
func (p Phrase) In(lang string) string {
	for _, t := range p {
		if t.Lang == lang {
			return t.String()
		}
	}
	return ""
}

// Each asks each catalogue for a text, in runs. It is nil where none says anything.
func Each(pick func(c *messages.Catalogue) []Run) Phrase {
	var p Phrase
	said := false
	for _, lang := range messages.Langs() {
		t := Text{lang, pick(messages.Of(lang))}
		p, said = append(p, t), said || t.String() != ""
	}
	if !said {
		return nil
	}
	return p
}

// Raw is s in every language, as it is: a backtick in it means nothing.
func Raw(s string) Phrase { return Plain(func(*messages.Catalogue) string { return s }) }

// Code is s in every language, as code.
func Code(s string) Phrase {
	return Each(func(*messages.Catalogue) []Run { return []Run{{true, s}} })
}

// Join is phrases in one line.
func Join(between string, list ...Phrase) Phrase {
	return Each(func(c *messages.Catalogue) (out []Run) {
		for _, p := range list {
			for _, t := range p {
				if t.Lang != c.Lang() || len(t.Runs) == 0 {
					continue
				}
				if len(out) > 0 {
					out = append(out, Run{Text: between})
				}
				out = append(out, t.Runs...)
			}
		}
		return out
	})
}

// Marked asks each catalogue for a text, in which `code` stands between backticks.
func Marked(pick func(c *messages.Catalogue) string) Phrase {
	return Each(func(c *messages.Catalogue) []Run { return Runs(pick(c), c.Lang()) })
}

// Plain is Marked of texts in which nothing is code and a site may be quoted: it is made visible.
func Plain(pick func(c *messages.Catalogue) string) Phrase {
	return Each(func(c *messages.Catalogue) []Run { return []Run{{Text: Visible(pick(c))}} })
}

// List asks each catalogue for a list of texts as Marked has them, made visible, as long in one
// language as in another.
func List(pick func(c *messages.Catalogue) []string) (out []Phrase) {
	for i := range pick(messages.Of("en")) {
		out = append(out, Marked(func(c *messages.Catalogue) string { return Visible(at(pick(c), i)) }))
	}
	return out
}

// at is the text at i, "" where the list ends before.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// Runs splits text at its backticks and fills each part, as Say does, in lang.
func Runs(text, lang string, pairs ...any) []Run {
	var out []Run
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			filled := messages.Fill(part, func(v any) string { return written(v, lang) }, pairs...)
			out = append(out, Run{i%2 == 1, filled})
		}
	}
	return out
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
