// Package messages is the catalogue of all texts about an audit for people, in each language of its
// files (en.json, ja.json). The terminal summary, the report and the pages of serve take their
// words from it, headings and buttons too; the report's script gets them as JSON.
//
// It makes no judgements, counts nothing and writes no files. It claims no more than what was seen:
// it describes Googlebot's behaviour only where Google documents it.
package messages

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Finding has the words for a verdict or a note. Some have no Name, some nothing to do.
type Finding struct {
	Name string `json:"name,omitempty"` // a heading: "Redirect loop"
	Few  string `json:"few,omitempty"`  // after a number: "redirect {n:loop|loops}"; Name with a small letter where it is ""
	What string `json:"what"`           // what was seen, or was not done
	Do   string `json:"do,omitempty"`   // what to do; the first sentence says it without a flag
}

// One is what one of them is called within a sentence: "redirect loop".
func (f Finding) One() string { return fill(f.Few, []string{"n", "1"}) }

// A Catalogue holds the words of one language. It is read-only, and safe for concurrent use.
type Catalogue struct {
	lang    string
	command string // in place of theCommand (With)

	Verdicts   map[string]Finding `json:"verdicts"`
	Actions    map[string]string  `json:"actions"`
	Reasons    map[string]string  `json:"reasons"`
	Notes      map[string]Finding `json:"notes"`
	Faults     map[string]string  `json:"faults"`
	Labels     map[string]string  `json:"labels"`
	RuleWhys   map[string]string  `json:"rule-whys"` // by the English sentence
	Identities map[string]string  `json:"identities"`
	Texts      map[string]string  `json:"texts"`
	Whys       map[string]string  `json:"whys"` // by audit.Why.Key, with {1}, {2} for Args; of a note or a verdict its What
}

// JSON returns the texts of the page's script: an object of languages, each with the keys verdicts,
// actions, reasons, notes, faults, labels and whys. The
// caller owns the bytes.
func JSON() []byte { return slices.Clone(scriptJSON()) }

var scriptJSON = sync.OnceValue(func() []byte {
	all := map[string]any{}
	for lang, c := range languages() {
		all[lang] = map[string]any{"verdicts": c.Verdicts, "actions": c.Actions, "reasons": c.Reasons, "notes": c.Notes, "faults": c.Faults, "labels": c.Labels, "whys": c.Whys}
	}
	b, err := json.Marshal(all)
	if err != nil {
		return []byte("{}") // cannot happen: strings only
	}
	return b
})

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

// Counted is n of what key names, a verdict or a note: "3 redirect loops".
func (c *Catalogue) Counted(key string, n int) string {
	f, ok := c.Notes[key]
	if !ok || f.Few == "" {
		f = c.Verdict(audit.Verdict(key))
	}
	number := Number(n)
	return c.Text("counted", "n", number, "what", fill(f.Few, []string{"n", number}))
}

// Action returns the name of a.
func (c *Catalogue) Action(a audit.Action) string { return or(c.Actions, string(a)) }

// Reason returns a difference between two addresses in a few words.
func (c *Catalogue) Reason(r address.Reason) string { return or(c.Reasons, string(r)) }

// Note returns n as a sentence; hops-N is said with its number.
func (c *Catalogue) Note(n audit.Note) string {
	hops, found := strings.CutPrefix(string(n), "hops-")
	if _, err := strconv.Atoi(hops); found && err == nil {
		return strings.ReplaceAll(c.Notes["hops"].What, "{n}", hops)
	}
	if x, ok := c.Notes[string(n)]; ok {
		return x.What
	}
	return string(n)
}

// Remark returns the words for n; for an unknown note its What is n itself.
func (c *Catalogue) Remark(n audit.Note) Finding {
	key := string(n)
	if strings.HasPrefix(key, "hops-") {
		key = "hops"
	}
	x := c.Notes[key]
	x.What = c.Note(n)
	return x
}

// FixWhy returns why a fix was decided, as a sentence; what stands in it is in words, too.
func (c *Catalogue) FixWhy(w audit.Why) string { return fillWhy(c, w, c.Fault) }

// StableWhy returns why a fix was decided as scripts read it: in English, and with a fault
// by its code.
func StableWhy(w audit.Why) string {
	return fillWhy(Of("en"), w, func(f audit.Fault) string { return string(f) })
}

func fillWhy(c *Catalogue, w audit.Why, fault func(audit.Fault) string) string {
	text, ok := c.Whys[w.Key]
	if !ok {
		text = cmp.Or(c.Notes[w.Key].What, c.Verdicts[w.Key].What, w.Key)
	}
	if w.Args == [4]string{} {
		return text
	}
	return strings.NewReplacer("{1}", fault(audit.Fault(w.Args[0])), "{2}", fault(audit.Fault(w.Args[1])), "{3}", w.Args[2], "{4}", w.Args[3]).Replace(text)
}

// Fault returns why there was no whole answer, in a few words.
func (c *Catalogue) Fault(f audit.Fault) string {
	return or(c.Faults, string(f))
}

// Label returns a Search Console label, given in English, as Search Console
// writes it in this language.
func (c *Catalogue) Label(english string) string { return or(c.Labels, english) }

// Identity returns the name of --as for people.
func (c *Catalogue) Identity(as string) string { return or(c.Identities, as) }

// Crawler returns as what an audit crawled, and with which flags it sent what Google does not send.
func (c *Catalogue) Crawler(info *audit.Info) string {
	as := c.Identity(info.Identity)
	if own := info.OwnAgent(); own != "" {
		as = own
	}
	if with := info.Credentials(); with != nil {
		as = c.Text("as-with", "as", as, "flags", strings.Join(with, c.Text("between")))
	}
	return as
}

// Text returns the sentence named key with its {placeholders} filled from pairs of name and
// value; {n:line|lines} is the first word where the value of n is 1, else the second. A value
// is never searched for placeholders.
func (c *Catalogue) Text(key string, pairs ...string) string {
	return fill(or(c.Texts, key), pairs)
}

// fill fills the placeholders of a text.
func fill(text string, pairs []string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		p := placeholder.FindStringSubmatch(m)
		for i := 0; i+1 < len(pairs); i += 2 {
			switch {
			case pairs[i] != p[1]:
			case !strings.Contains(m, ":"):
				return pairs[i+1]
			case pairs[i+1] == "1":
				return p[2]
			default:
				return p[3]
			}
		}
		return m
	})
}

// Count is Text with {n}, written by Number.
func (c *Catalogue) Count(key string, n int, pairs ...string) string {
	return c.Text(key, slices.Concat([]string{"n", Number(n)}, pairs)...)
}

// Span returns how long d is in the unit that people read: "seconds" with n (at least 1), "minutes"
// with n, or "hours" with n and m minutes. The unit is a key of Text; the summary and the page use
// the same.
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
