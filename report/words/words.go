// Package words is the one catalogue of what people read about an audit, in
// English and Japanese. The terminal summary and the page take their words
// from it, the page's script through JSON.
//
// It names and explains; it never judges, counts or writes a file, and it
// claims no more than what was seen: what Googlebot does is said only where
// Google says it.
package words

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

//go:embed words.json
var source []byte

// A Finding is how a verdict is told to people.
type Finding struct {
	Name string `json:"name"` // title of a chip or a heading: "Redirect loop"
	One  string `json:"one"`  // after the number 1 in a line of counts: "loop"
	Many string `json:"many"` // after any other number: "loops"
	What string `json:"what"` // what was seen
	Why  string `json:"why"`  // why it can matter
	Do   string `json:"do"`   // what to do
	// Check is a command that looks whether it matters here, with {path} for
	// the path in the other spelling; "" for most verdicts.
	Check string `json:"check,omitempty"`
}

// A Deed is how an action is told to people.
type Deed struct {
	Name string `json:"name"`
	One  string `json:"one"`
	Many string `json:"many"`
}

// A Catalogue holds the words of one language. It is read-only and may be used
// from several goroutines at once.
type Catalogue struct {
	lang string

	Verdicts   map[string]Finding `json:"verdicts"`
	Groups     map[string]string  `json:"groups"`
	Actions    map[string]Deed    `json:"actions"`
	Workers    map[string]string  `json:"who"`
	Reasons    map[string]string  `json:"reasons"`
	Notes      map[string]string  `json:"notes"`
	Faults     map[string]string  `json:"faults"`
	Labels     map[string]string  `json:"labels"`
	Identities map[string]string  `json:"identities"`
	Texts      map[string]string  `json:"texts"`
}

var catalogues = sync.OnceValue(func() map[string]*Catalogue {
	var all map[string]*Catalogue
	if err := json.Unmarshal(source, &all); err != nil {
		return map[string]*Catalogue{"en": {lang: "en"}} // a test keeps the embedded file whole
	}
	for lang, c := range all {
		c.lang = lang
	}
	return all
})

// Langs returns the languages there are words in, English first.
func Langs() []string {
	var langs []string
	for lang := range catalogues() {
		if lang != "en" {
			langs = append(langs, lang)
		}
	}
	slices.Sort(langs)
	return append([]string{"en"}, langs...)
}

// Of returns the catalogue of lang: a language tag or a locale of the
// environment ("ja", "ja-JP", "ja_JP.UTF-8"). Only the language counts; a
// language without words gives English.
func Of(lang string) *Catalogue {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	base, _, _ = strings.Cut(base, "_")
	base, _, _ = strings.Cut(base, ".")
	if c, ok := catalogues()[base]; ok {
		return c
	}
	return catalogues()["en"]
}

// JSON returns the whole catalogue for the page's script: an object of
// languages, each with the keys verdicts, groups, actions, who, reasons, notes,
// faults, labels, identities and texts. The caller owns the bytes.
func JSON() []byte { return slices.Clone(source) }

// Lang returns the language tag of c.
func (c *Catalogue) Lang() string { return c.lang }

// Verdict returns the words for v; for an unknown verdict the name is v itself.
func (c *Catalogue) Verdict(v audit.Verdict) Finding {
	if f, ok := c.Verdicts[string(v)]; ok {
		return f
	}
	return Finding{Name: string(v), One: string(v), Many: string(v)}
}

// Group returns the title of g as it stands after a number: "need you".
func (c *Catalogue) Group(g audit.Group) string { return or(c.Groups, string(g)) }

// Action returns the words for a.
func (c *Catalogue) Action(a audit.Action) Deed {
	if d, ok := c.Actions[string(a)]; ok {
		return d
	}
	return Deed{Name: string(a), One: string(a), Many: string(a)}
}

// Who returns what the one that audit.Cause.Who names has to do.
func (c *Catalogue) Who(who string) string { return or(c.Workers, who) }

// Reason returns a difference between two addresses in a few words.
func (c *Catalogue) Reason(r address.Reason) string { return or(c.Reasons, string(r)) }

// Note returns n as a sentence; hops-N is told with its number.
func (c *Catalogue) Note(n audit.Note) string {
	hops, found := strings.CutPrefix(string(n), "hops-")
	if _, err := strconv.Atoi(hops); found && err == nil {
		return strings.ReplaceAll(or(c.Notes, "hops"), "{n}", hops)
	}
	return or(c.Notes, string(n))
}

// Fault returns why there was no whole answer, in a few words.
func (c *Catalogue) Fault(f audit.Fault) string { return or(c.Faults, string(f)) }

// Label returns a Search Console label, given in English, as Search Console
// writes it in this language.
func (c *Catalogue) Label(english string) string { return or(c.Labels, english) }

// Identity returns the name of --as for people.
func (c *Catalogue) Identity(as string) string { return or(c.Identities, as) }

// Text returns the sentence named key with its {placeholders} filled from
// pairs of name and value. A value is never searched for placeholders.
func (c *Catalogue) Text(key string, pairs ...string) string {
	braced := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		braced = append(braced, "{"+pairs[i]+"}", pairs[i+1])
	}
	return strings.NewReplacer(braced...).Replace(or(c.Texts, key))
}

// Count returns n things in words: key ".one" for 1, key ".many" for any other
// number, with {n} written by Number.
func (c *Catalogue) Count(key string, n int) string {
	if n == 1 {
		return c.Text(key+".one", "n", "1")
	}
	return c.Text(key+".many", "n", Number(n))
}

// Span says how long d is to the two places that people read: "seconds" with n
// (1 at least), "minutes" with n, or "hours" with n and m minutes. The unit is a
// key of Text; the summary and the page tell the same.
func Span(d time.Duration) (unit string, n, m int) {
	seconds := int(d.Round(time.Second).Seconds())
	minutes := int(d.Round(time.Minute).Minutes())
	switch {
	case seconds < 60:
		return "seconds", max(seconds, 1), 0
	case minutes < 60:
		return "minutes", minutes, 0
	}
	return "hours", minutes / 60, minutes % 60
}

// Number writes n with a comma between thousands, as both languages do.
func Number(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

func or(words map[string]string, key string) string {
	if w, ok := words[key]; ok {
		return w
	}
	return key
}
