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
}

// say is the sentence of key with pairs of name and value: a number, a text of a site or
// of the catalogue's data, or a Sentence.
func say(key string, pairs ...any) Sentence { return Sentence{key, pairs} }

// verbatim says a text in every language.
func verbatim(text string) Sentence { return say("as-it-is", "text", text) }

// IsZero reports whether s says nothing.
func (s Sentence) IsZero() bool { return s.key == "" }

// In returns s in the words of c. In it `code` stands between backticks. What a site sent
// is made visible, and has no backtick.
func (s Sentence) In(c *messages.Catalogue) string {
	if s.IsZero() {
		return ""
	}
	return messages.Fill(messages.Conclude().Of(c.Lang(), s.key), func(v any) string {
		switch v := v.(type) {
		case int:
			return messages.Number(v)
		case Sentence:
			return v.In(c)
		case word:
			return visible(v(c))
		case marked:
			return v(c)
		}
		return visible(fmt.Sprint(v))
	}, s.pairs...)
}

// Plain is In without backticks.
func (s Sentence) Plain(c *messages.Catalogue) string {
	return strings.ReplaceAll(s.In(c), "`", "")
}

// visible returns s with what could hide or steer written out, and backticks too.
func visible(s string) string { return strings.ReplaceAll(plain.Visible(s), "`", `\x60`) }

// A word is a text that the catalogue has outside of this room's, such as the name of a
// fault.
type word func(c *messages.Catalogue) string

// A marked is a word of the catalogue alone, in which `code` stands between backticks.
type marked func(c *messages.Catalogue) string
