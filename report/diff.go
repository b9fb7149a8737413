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

// shownSigns is how much of a text is shown at most.
const shownSigns = 300

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
	return t.d.Old.Started.Format(layout) + " -> " + t.d.New.Started.Format(layout) + ", " + t.diff.Count("both", t.d.Both)
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
	said := []string{t.words.Verdict(o.Verdict).One()}
	if o.Status != 0 && o.Status != 200 {
		said[0] += fmt.Sprintf(" (%d)", o.Status)
	}
	if c.Kind == diff.Changed && c.Old.Target != c.New.Target && o.Target != "" {
		said = append(said, t.diff.Text("to", "url", o.Target))
	}
	if c.Kind == diff.Changed && c.Old.Fix != c.New.Fix {
		said = append(said, t.words.Action(o.Fix))
	}
	return strings.Join(said, ", ")
}

// Sitemap says whether a sitemap was read then and now, with its faults by kind.
func (t *DiffWords) Sitemap(c *diff.SitemapChange) (then, now string) {
	return t.sitemap(c.Old), t.sitemap(c.New)
}

func (t *DiffWords) sitemap(s *diff.Sitemap) string {
	if s == nil {
		return t.diff.Text("unlisted")
	}
	said := []string{t.diff.Text(string(s.Read))}
	for _, f := range s.Faults {
		name, _ := t.words.SitemapFault(audit.SitemapFault{Name: f.Name})
		said = append(said, name+": "+messages.Number(f.Places))
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

// A diffPart is what is not as before, of one kind.
type diffPart struct {
	title, what string // key of its title, and of what stands in its rows
	rows        [][3]string
	all         int
}

// parts are the sitemaps that are not as before, and the first addresses of each kind of change.
func (t *DiffWords) parts(most int) []diffPart {
	changed := ChangedSitemaps(t.d)
	sitemaps := diffPart{title: "sitemaps", what: "sitemaps", all: len(changed)}
	for i := range changed[:min(most, len(changed))] {
		then, now := t.Sitemap(&changed[i])
		sitemaps.rows = append(sitemaps.rows, [3]string{changed[i].URL, then, now})
	}
	parts := []diffPart{sitemaps}
	for _, k := range ListedKinds() {
		p := diffPart{title: string(k), what: "urls", all: t.d.Counts[k]}
		for i := range t.d.First[k][:min(most, len(t.d.First[k]))] {
			c := &t.d.First[k][i]
			then, now := t.Sides(c)
			p.rows = append(p.rows, [3]string{c.URL, then, now})
		}
		parts = append(parts, p)
	}
	return parts
}

// nothing reports whether all is as before.
func (t *DiffWords) nothing() bool { return len(ChangedSitemaps(t.d)) == 0 && t.d.Nothing() }

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
	for _, p := range t.parts(10) {
		for _, r := range p.rows {
			out.row(t.Text(p.title), middle(r[0], shownSigns)+"    "+middle(r[1], shownSigns)+" -> "+middle(r[2], shownSigns))
		}
		if more := p.all - len(p.rows); more > 0 {
			out.row(t.Text(p.title), t.Text("more", "n", messages.Number(more)))
		}
	}
	if t.nothing() {
		out.line(t.Text("same"))
	}
	return out.print(w)
}

// maxMarkdown is what a comment on GitHub may have (65,536 characters), with room for a line of the user's.
const maxMarkdown = 60_000

// WriteDiffMarkdown writes what changed between two audits in Markdown (GitHub's tables), as for the
// summary of a job or a ticket: the counts, the sitemaps, and the first changes of each kind; about
// 60,000 bytes at most. Nothing that a site sent can be read as Markdown or HTML. It returns an error
// of w.
func WriteDiffMarkdown(w io.Writer, d *diff.Result, lang string) error {
	t := NewDiffWords(d, lang)
	cell := func(s string) string { return escapeMarkdown(middle(s, shownSigns)) }
	var b strings.Builder
	b.WriteString("## " + cell(shownTargets(d.New.Targets)) + "\n\n" + cell(t.Header()) + "\n")
	table := func(title string, head, rows []string, all int) {
		if len(rows) == 0 {
			return
		}
		b.WriteString(title + "\n" + row(head...) + strings.Repeat("|---", len(head)) + "|\n")
		for _, r := range rows {
			if b.Len()+len(r) > maxMarkdown {
				break
			}
			b.WriteString(r)
			all--
		}
		if all > 0 {
			b.WriteString("\n" + cell(t.Text("more", "n", messages.Number(all))) + "\n")
		}
	}
	var counts []string
	for _, k := range diff.Kinds() {
		if n := d.Counts[k]; n > 0 {
			counts = append(counts, row(messages.Number(n), cell(t.Text(string(k)))))
		}
	}
	table("", []string{cell(t.Text("urls")), ""}, counts, len(counts))
	for _, p := range t.parts(50) {
		var rows []string
		for _, r := range p.rows {
			rows = append(rows, row(mdCode(r[0]), cell(r[1]), cell(r[2])))
		}
		table("\n### "+cell(t.Text(p.title))+"\n", []string{cell(t.Text(p.what)), cell(t.Text("then")), cell(t.Text("now"))}, rows, p.all)
	}
	if t.nothing() {
		b.WriteString("\n" + cell(t.Text("same")) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
