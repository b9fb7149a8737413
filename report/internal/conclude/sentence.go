package conclude

import (
	"fmt"
	"strings"

	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Sentence is a text of the catalogue with what is filled in: In puts it into words. The
// zero Sentence says nothing.
type Sentence struct {
	key   string
	pairs []any
	parts []Sentence // one after the other, in place of a key
	sep   string     // key of what stands between parts, "" for nothing
	// within is set on what stands within a sentence: it begins with no capital.
	within bool
}

// say is the sentence of key with pairs of name and value: a number, a text of a site or
// of the catalogue's data, or a Sentence.
func say(key string, pairs ...any) Sentence { return Sentence{key: key, pairs: pairs} }

// verbatim says a text in every language.
func verbatim(text string) Sentence { return say("as-it-is", "text", text) }

// join is the sentence of parts, with the text of sep between them. Parts that say
// nothing are left out.
func join(sep string, parts ...Sentence) Sentence {
	out := Sentence{sep: sep}
	for _, p := range parts {
		if !p.IsZero() {
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// IsZero reports whether s says nothing.
func (s Sentence) IsZero() bool { return s.key == "" && len(s.parts) == 0 }

// In returns s in the words of c. In it `code` stands between backticks. What a site sent
// is made visible, and has no backtick.
func (s Sentence) In(c *messages.Catalogue) string { return strings.Join(s.Parts(c), "") }

// Plain is In without backticks.
func (s Sentence) Plain(c *messages.Catalogue) string {
	return strings.ReplaceAll(s.In(c), "`", "")
}

// Parts returns the pieces of In between which a line may end: all of them, joined, are In.
func (s Sentence) Parts(c *messages.Catalogue) (out []string) {
	if s.key != "" {
		return []string{s.text(c)}
	}
	for i, p := range s.parts {
		pieces := p.Parts(c)
		if i < len(s.parts)-1 && s.sep != "" {
			pieces[len(pieces)-1] += text(c, s.sep)
		}
		// No line begins with the stop of the one before.
		if first := pieces[0]; len(out) > 0 && (strings.HasPrefix(first, ".") || strings.HasPrefix(first, "。")) {
			out[len(out)-1] += first
			pieces = pieces[1:]
		}
		out = append(out, pieces...)
	}
	return out
}

// text is the text of the key.
func (s Sentence) text(c *messages.Catalogue) string {
	form := text(c, s.key)
	filled := messages.Fill(form, func(v any) string {
		switch v := v.(type) {
		case int:
			return messages.Number(v)
		case Sentence:
			return v.In(c)
		case word:
			return visible(v(c))
		}
		return visible(fmt.Sprint(v))
	}, s.pairs...)
	if s.within && c.Lang() == "en" && !strings.HasPrefix(form, "{") {
		return strings.ToLower(filled[:1]) + filled[1:]
	}
	return filled
}

// visible returns s with what could hide or steer written out, and backticks too.
func visible(s string) string { return strings.ReplaceAll(plain.Visible(s), "`", `\x60`) }

func text(c *messages.Catalogue, key string) string { return messages.Conclude().Of(c.Lang(), key) }

// A word is a text that the catalogue has outside of this room's, such as the name of a
// fault.
type word func(c *messages.Catalogue) string

// Heads are the heads of the columns of a table, by their keys.
func Heads(table string, names ...string) (heads []Sentence) {
	for _, name := range names {
		heads = append(heads, say(table+"-head-"+name))
	}
	return heads
}
