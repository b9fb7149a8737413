package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/messages"
)

// How many of each the terminal is shown at most, and how much of an address.
const (
	shownSitemaps = 10
	shownChanges  = 10
	shownSigns    = 300
)

// DiffWords says what changed between two audits in one language. What a site sent is in what it
// returns as the site sent it.
type DiffWords struct {
	d           *diff.Result
	words, diff *messages.Catalogue
}

// NewDiffWords returns the words for d in a language: a tag or a locale, English where there are
// none for it.
func NewDiffWords(d *diff.Result, lang string) *DiffWords {
	return &DiffWords{d: d, words: messages.Of(lang), diff: messages.Of(lang).Diff()}
}

// Text returns a text of the catalogue of comparisons.
func (t *DiffWords) Text(key string, pairs ...string) string { return t.diff.Text(key, pairs...) }

// Header says which audits are compared, and how many addresses are in both. Where the two began
// within one minute the times have seconds.
func (t *DiffWords) Header() string {
	layout := "2006-01-02 15:04"
	if t.d.Old.Started.Format(layout) == t.d.New.Started.Format(layout) {
		layout = time.DateTime
	}
	return t.diff.Text("header", "old", t.d.Old.Started.Format(layout), "new", t.d.New.Started.Format(layout), "both", t.diff.Count("both", t.d.Both))
}

// Sides says what was seen at an address then and now.
func (t *DiffWords) Sides(c *diff.Change) (then, now string) {
	return t.side(c, c.Old), t.side(c, c.New)
}

func (t *DiffWords) side(c *diff.Change, o *diff.Observation) string {
	switch {
	case o == nil && c.Kind == diff.NotComparable:
		return t.diff.Text("unseen")
	case o == nil:
		return t.diff.Text("unlisted")
	}
	said := []string{t.words.Verdict(o.Verdict).One}
	if o.Status != 0 && o.Status != 200 {
		said[0] += fmt.Sprintf(" (%d)", o.Status)
	}
	if c.Kind == diff.Changed && c.Old.Target != c.New.Target && o.Target != "" {
		said = append(said, t.diff.Text("to", "url", o.Target))
	}
	if c.Kind == diff.Changed && c.Old.Fix != c.New.Fix {
		said = append(said, t.words.Action(o.Fix).One)
	}
	return strings.Join(said, ", ")
}

// Sitemap says whether a sitemap was read then and now, with its faults by kind.
func (t *DiffWords) Sitemap(c *diff.SitemapChange) (then, now string) {
	return t.sitemap(c.Old), t.sitemap(c.New)
}

func (t *DiffWords) sitemap(s *diff.Sitemap) string {
	if s == nil {
		return t.diff.Text("unnamed")
	}
	said := []string{t.diff.Text(string(s.Read))}
	for _, f := range s.Faults {
		name, _ := t.words.SitemapFault(audit.SitemapFault{Name: f.Name})
		said = append(said, t.diff.Text("fault", "name", name, "n", messages.Number(f.Places)))
	}
	return strings.Join(said, ", ")
}

// ChangedSitemaps returns the sitemaps that are not as before.
func ChangedSitemaps(d *diff.Result) (list []diff.SitemapChange) {
	for _, c := range d.Sitemaps {
		if c.Changed() {
			list = append(list, c)
		}
	}
	return list
}

// ListedKinds returns the kinds of change whose addresses are shown.
func ListedKinds() []diff.Kind {
	kinds := diff.Kinds()
	return kinds[:len(kinds)-1] // but diff.Same
}

// WriteDiff writes for a terminal what changed between two audits: how many addresses of each kind,
// the sitemaps that are not as before, and the first addresses. It is bounded however much changed.
// What a site sent cannot steer the terminal. It returns an error of w.
func WriteDiff(w io.Writer, d *diff.Result, o Summary) error {
	t := NewDiffWords(d, o.Lang)
	out := labelled{}
	out.line(middle(visible(shownTargets(d.New.Targets)), shownSigns) + "    " + visible(t.Header()))
	out.line("")
	wide := 0
	for _, k := range diff.Kinds() {
		wide = max(wide, len(messages.Number(d.Counts[k])))
	}
	for _, k := range diff.Kinds() {
		if n := d.Counts[k]; n > 0 {
			out.line("  " + padLeft(messages.Number(n), wide) + "  " + t.Text(string(k)))
		}
	}
	side := func(what, then, now string) string {
		return middle(what, shownSigns) + "    " + middle(then, shownSigns) + " -> " + middle(now, shownSigns)
	}
	more := func(label string, n int) {
		if n > 0 {
			out.row(t.Text(label), t.Text("more", "n", messages.Number(n)))
		}
	}
	changed := ChangedSitemaps(d)
	for i := range changed[:min(shownSitemaps, len(changed))] {
		then, now := t.Sitemap(&changed[i])
		out.row(t.Text("sitemaps"), side(changed[i].URL, then, now))
	}
	more("sitemaps", len(changed)-shownSitemaps)
	for _, k := range ListedKinds() {
		first := d.First[k][:min(shownChanges, len(d.First[k]))]
		for i := range first {
			then, now := t.Sides(&first[i])
			out.row(t.Text(string(k)), side(first[i].URL, then, now))
		}
		more(string(k), d.Counts[k]-len(first))
	}
	if len(changed) == 0 && d.Nothing() {
		out.row(t.Text("note"), t.Text("nothing"))
	}
	return out.print(w)
}
