package html

import (
	"fmt"
	"regexp"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Phrase is a text in both languages; a page shows one of them.
type Phrase = phrase

// Say returns the text of key with pairs of name and value filled in: an int is
// written with thousands, a Phrase in each language, anything else as it is. A
// key that there is not is its own text. page/text.js fills by the same rules.
func Say(texts messages.Pairs, key string, pairs ...any) Phrase {
	t, ok := texts[key]
	if !ok {
		t = [2]string{key, key}
	}
	return phrase{runs(t[0], "en", pairs), runs(t[1], "ja", pairs)}
}

// A run is a part of a phrase: text, or code.
type run struct {
	Code bool
	Text string
}

// A phrase is a text in both languages; the page shows one of them.
type phrase struct{ En, Ja []run }

// Both tells whether the languages differ.
func (p phrase) Both() bool { return p.EN() != p.JA() }

// EN and JA return the text alone.
func (p phrase) EN() string { return joinRuns(p.En) }
func (p phrase) JA() string { return joinRuns(p.Ja) }

// In returns the text in lang.
func (p phrase) In(lang string) string {
	if lang == "ja" {
		return p.JA()
	}
	return p.EN()
}

func joinRuns(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

// say is Say of the page's own texts.
func say(key string, pairs ...any) phrase { return Say(messages.Page(), key, pairs...) }

// raw is s in both languages, with no code in it.
func raw(s string) phrase { r := []run{{Text: s}}; return phrase{r, r} }

// inBoth asks both catalogues of words.
func inBoth(pick func(c *messages.Catalogue) string) phrase {
	return phrase{runs(pick(messages.Of("en")), "en", nil), runs(pick(messages.Of("ja")), "ja", nil)}
}

// runs splits text at its backticks and fills each part.
func runs(text, lang string, pairs []any) []run {
	var out []run
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, run{i%2 == 1, fill(part, lang, pairs)})
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
	case phrase:
		return v.In(lang)
	}
	return fmt.Sprint(v)
}

// The words of the shared catalogue, in both languages.

func verdictText(v audit.Verdict, field string) phrase {
	return inBoth(func(c *messages.Catalogue) string {
		f := c.Verdict(v)
		switch field {
		case "what":
			return f.What
		case "why":
			return f.Why
		case "do":
			return f.Do
		}
		return f.Name
	})
}

func groupText(g audit.Group) phrase {
	return inBoth(func(c *messages.Catalogue) string { return c.Group(g) })
}

func noteText(n audit.Note) phrase {
	return inBoth(func(c *messages.Catalogue) string { return c.Note(n) })
}

// noteDo says why a note matters and what to do about it.
func noteDo(n audit.Note) phrase {
	return inBoth(func(c *messages.Catalogue) string {
		x := c.Remark(n)
		if c.Lang() == "ja" {
			return x.Why + x.Do // no space between sentences
		}
		return x.Why + " " + x.Do
	})
}

func whyText(w audit.Why) phrase {
	return asText(func(c *messages.Catalogue) string { return c.FixWhy(w) })
}

func actionText(a audit.Action) phrase {
	return inBoth(func(c *messages.Catalogue) string { return c.Action(a).Name })
}

func whoText(who string) phrase {
	return inBoth(func(c *messages.Catalogue) string { return c.Who(who) })
}

func faultText(f string) phrase {
	return inBoth(func(c *messages.Catalogue) string { return c.Fault(audit.Fault(f)) })
}

// sitemapFaultText is the name and the sentence of a sitemap's fault. They quote
// the site, so that a backtick in them means nothing.
func sitemapFaultText(f audit.SitemapFault) (name, text phrase) {
	en, enText := messages.Of("en").SitemapFault(f)
	ja, jaText := messages.Of("ja").SitemapFault(f)
	both := func(en, ja string) phrase { return phrase{asIs(visible(en)).En, asIs(visible(ja)).Ja} }
	return both(en, ja), both(enText, jaText)
}

// shortGroup is a group in a word or two, for the head of a column.
func shortGroup(g audit.Group) phrase { return say("short-" + string(g)) }

// countOf is "908 moved": a number with the word for a part of a group, a
// verdict or "merged".
func countOf(part string, n int) phrase {
	word := inBoth(func(c *messages.Catalogue) string {
		if part == "merged" {
			return oneOrMany(n, c.Action(audit.Merge).One, c.Action(audit.Merge).Many)
		}
		f := c.Verdict(audit.Verdict(part))
		return oneOrMany(n, f.One, f.Many)
	})
	return say("count-of", "n", n, "what", word)
}

func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
