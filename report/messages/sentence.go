package messages

import (
	"fmt"
	"strings"
)

// A Sentence is something to say, in whatever language. In it `code` stands between backticks; what a
// site sent is visible, and has none. nil says nothing.
type Sentence func(c *Catalogue) string

// Say is the text of key, filled as Catalogue.Text fills it.
func Say(key string, pairs ...any) Sentence {
	for i := 1; i < len(pairs); i += 2 {
		switch v := pairs[i].(type) {
		case int, Sentence:
		default:
			pairs[i] = visible(fmt.Sprint(v))
		}
	}
	return func(c *Catalogue) string { return c.Text(key, append([]any(nil), pairs...)...) }
}

// Words are what pick takes of a catalogue, in which a site may be quoted, and nothing is code.
func Words(pick func(c *Catalogue) string) Sentence {
	return func(c *Catalogue) string { return visible(pick(c)) }
}

// Verbatim says a text in every language.
func Verbatim(text string) Sentence {
	text = visible(text)
	return func(*Catalogue) string { return text }
}

// Code says a text as code; nothing for "".
func Code(text string) Sentence {
	if text == "" {
		return nil
	}
	text = "`" + visible(text) + "`"
	return func(*Catalogue) string { return text }
}

// Join says sentences with a text, or the words of its key, between them.
func Join(between string, list ...Sentence) Sentence {
	return func(c *Catalogue) string {
		var said []string
		for _, s := range list {
			if text := s.In(c); text != "" {
				said = append(said, text)
			}
		}
		return strings.Join(said, c.Text(between))
	}
}

// In returns s in the words of c.
func (s Sentence) In(c *Catalogue) string {
	if s == nil {
		return ""
	}
	return s(c)
}

// Plain is In without backticks.
func (s Sentence) Plain(c *Catalogue) string { return strings.ReplaceAll(s.In(c), "`", "") }

// visible returns s with what could hide or steer written out, and backticks too.
func visible(s string) string { return strings.ReplaceAll(Visible(s), "`", `\x60`) }
