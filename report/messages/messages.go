// Package messages is the catalogue of all texts about an audit for people, in each language of its
// files (en.json, ja.json). The terminal summary, the report and the pages of serve take their
// words from it, headings and buttons too; the report's script gets them as JSON.
//
// It makes no judgements, counts nothing and writes no files. It claims no more than what was seen:
// it describes Googlebot's behaviour only where Google documents it.
package messages

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/audit"
)

// A Finding has the words for a verdict or a note. Some have no Name, some nothing to do.
type Finding struct {
	Name string `json:"name,omitempty"` // a heading: "Redirect loop"
	Few  string `json:"few,omitempty"`  // after a number: "redirect {n:loop|loops}"; Name with a small letter where it is ""
	What string `json:"what"`           // what was seen, or was not done
	Do   string `json:"do,omitempty"`   // what to do; the first sentence says it without a flag
}

// A Catalogue holds the words of one language. It is read-only, and safe for concurrent use.
type Catalogue struct {
	lang    string
	command string // in place of "sitemend report" (With)

	Verdicts map[string]Finding `json:"verdicts"`
	Actions  map[string]string  `json:"actions"`
	Reasons  map[string]string  `json:"reasons"`
	Notes    map[string]Finding `json:"notes"`
	Faults   map[string]string  `json:"faults"`
	Labels   map[string]string  `json:"labels"`
	Whys     map[string]string  `json:"whys"` // by audit.Why.Key, with {1}, {2} for Args; of a note or a verdict its What
	// Texts are what else is said: headings, buttons, sentences around numbers. {name} is filled in, and
	// {n:entry|entries} is the first word for 1 and the second for any other number.
	Texts         map[string]string `json:"texts"`
	Rules         map[string]string `json:"rules"`     // by pattern.Term.Name; English needs none
	RuleWhys      map[string]string `json:"rule-whys"` // by the English sentence
	Remedies      map[string]string `json:"remedies"`  // of causes
	SitemapFaults faultWords        `json:"sitemap-faults"`
}

// Lang returns the language tag of c.
func (c *Catalogue) Lang() string { return c.lang }

// Verdict returns the words for v; for an unknown verdict the name is v itself.
func (c *Catalogue) Verdict(v audit.Verdict) Finding {
	if f, ok := c.Verdicts[string(v)]; ok {
		return f
	}
	return Finding{Name: string(v), Few: string(v)}
}

// Doc returns the path of the page about v in the source of the program, "docs/verdicts/moved.md".
// It is not a URL, because the source has no permanent address.
func Doc(v audit.Verdict) string { return "docs/verdicts/" + string(v) + ".md" }

// Few is what n of what key names, a verdict or a note, are called within a sentence: "redirect loops".
func (c *Catalogue) Few(key string, n int) string {
	return fill(cmp.Or(c.Notes[key].Few, c.Verdict(audit.Verdict(key)).Few), "n", n)
}

// Counted is n with what they are called: "3 redirect loops".
func (c *Catalogue) Counted(key string, n int) string {
	return c.Count("counted", n, "what", c.Few(key, n))
}

// Action returns the name of a.
func (c *Catalogue) Action(a audit.Action) string { return or(c.Actions, string(a)) }

// Remark returns the words for n, hops-N with its number; for an unknown note its What is n itself.
func (c *Catalogue) Remark(n audit.Note) Finding {
	key, hops := string(n), ""
	if number, found := strings.CutPrefix(key, "hops-"); found {
		key, hops = "hops", number
	}
	x, ok := c.Notes[key]
	if !ok {
		return Finding{What: string(n)}
	}
	x.What = fill(x.What, "n", hops)
	return x
}

// FixWhy returns why a fix was decided, as a sentence; what stands in it is in words, too.
func (c *Catalogue) FixWhy(w audit.Why) string { return fillWhy(c, w, c.Fault) }

// StableWhy returns why a fix was decided as scripts read it: in English, and with a fault
// by its code.
func StableWhy(w audit.Why) string {
	return fillWhy(Of("en"), w, func(code string) string { return code })
}

func fillWhy(c *Catalogue, w audit.Why, fault func(code string) string) string {
	text, ok := c.Whys[w.Key]
	if !ok {
		text = cmp.Or(c.Notes[w.Key].What, c.Verdicts[w.Key].What, w.Key)
	}
	if w.Args == [4]string{} {
		return text
	}
	return fill(text, "1", fault(w.Args[0]), "2", fault(w.Args[1]), "3", w.Args[2], "4", w.Args[3])
}

// Fault returns why there was no whole answer, in a few words; code is an answers.Fault, or what stands for
// one.
func (c *Catalogue) Fault(code string) string { return or(c.Faults, code) }

// Crawler returns as what an audit crawled, and with which flags it sent what Google does not send.
func (c *Catalogue) Crawler(info *audit.Info) string {
	as := cmp.Or(info.OwnAgent(), c.Text("as-"+info.Identity))
	if with := info.Credentials(); with != nil {
		as = c.Text("as-with", "as", as, "flags", strings.Join(with, c.Text("between")))
	}
	return as
}

// Text returns the text named key with its {placeholders} filled from pairs of name and value: a
// number, a Sentence or a text.
func (c *Catalogue) Text(key string, pairs ...any) string {
	for i := 1; i < len(pairs); i += 2 {
		if s, is := pairs[i].(Sentence); is {
			pairs[i] = s.In(c)
		}
	}
	return fill(or(c.Texts, key), pairs...)
}

// Count is Text with {n}.
func (c *Catalogue) Count(key string, n int, pairs ...any) string {
	return c.Text(key, append([]any{"n", n}, pairs...)...)
}

// placeholder matches a placeholder of a text.
var placeholder = regexp.MustCompile(`\{(\w+)(?::([^|}]*)\|([^}]*))?\}`)

// fill fills the placeholders of a text. A value is never searched for placeholders, and a name without a
// value is left as it is.
func fill(text string, pairs ...any) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		p := placeholder.FindStringSubmatch(m)
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] != p[1] {
				continue
			}
			value := fmt.Sprint(pairs[i+1])
			if n, is := pairs[i+1].(int); is {
				value = Number(n)
			}
			switch {
			case !strings.Contains(m, ":"):
				return value
			case value == "1":
				return p[2]
			}
			return p[3]
		}
		return m
	})
}

// Took says how long something took: in seconds (at least 1), minutes, or hours and minutes.
func Took(d time.Duration) Sentence {
	minutes := int(d.Round(time.Minute).Minutes())
	switch seconds := int(d.Round(time.Second).Seconds()); {
	case seconds < 60:
		return Say("seconds", "n", max(seconds, 1))
	case minutes < 60:
		return Say("minutes", "n", minutes)
	}
	return Say("hours", "n", minutes/60, "m", minutes%60)
}

// Number writes a count with a comma between thousands, as both languages do.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func or(words map[string]string, key string) string {
	if w, ok := words[key]; ok {
		return w
	}
	return key
}
