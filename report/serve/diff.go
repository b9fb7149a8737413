package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// How much of a comparison the page shows.
const (
	diffCauses  = 50
	diffFiles   = 100
	diffOthers  = 100
	diffPage    = "diff.html"
	diffAsTable = "diff.csv"
	diffAsJSON  = "diff.json"
)

// A diffPageView is what changed between two audits.
type diffPageView struct {
	layout
	Others   []otherAudit // to compare with, the newest first
	With     string       // the one that is compared with
	Compared bool
	Since    page.Phrase // what became of the corrections and decisions; empty for none
	Header   page.Phrase
	Effects  []effectView
	Lists    []besideView // what is named beside the entries, and the links of pages
	Tables   []diffTable
}

type besideView struct{ Name, State page.Phrase }

type otherAudit struct {
	ID, At string
	Chosen bool
}

type effectView struct {
	Count       int
	Name, Parts page.Phrase
}

// A diffTable is one of the tables of then and now.
type diffTable struct {
	Title, What, Then, Now page.Phrase
	Of                     int // of how many its rows are the first, 0 where they are all
	Rows                   []diffRow
}

// A diffRow has an address, or a name.
type diffRow struct {
	URL       string
	Name      page.Phrase
	Then, Now page.Phrase
}

// siblings returns the other finished audits of the same targets, the newest
// first.
func siblings(a *Audit, all []Audit) (others []Audit) {
	for _, b := range slices.Backward(all) {
		if b.Info.ID != a.Info.ID && !b.Info.Ended.IsZero() && audit.SameTargets(b.Info.Targets, a.Info.Targets) {
			others = append(others, b)
		}
	}
	return others
}

// diff shows what changed since another audit of the same targets: the one that the query names,
// else the one before. Where there is none before, it says so, because compared with a later audit,
// what was corrected since would look new. The same path with .csv or .json returns the whole
// comparison, or an error where there is none.
func (s *Site) diff(v *visit) error {
	a, all, err := s.find(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	p := diffPageView{layout: s.newLayout(v, say("diff"))}
	p.ofAudit(&a, all, "diff")
	with := chosen(v.r.URL.Query().Get("with"), &a, siblings(&a, all), &p)
	name := path.Base(v.r.URL.Path)
	switch {
	case with == nil && (p.With != "" || name != "diff"):
		return ErrNone
	case with == nil:
		return s.send(v, 200, "diff", p)
	}
	write := func(ctx context.Context, dir string, _ *progress) ([]string, error) {
		return []string{diffPage, diffAsTable, diffAsJSON}, s.o.Library.Diff(ctx, with.Info.ID, a.Info.ID, func(d *audit.Diff) error {
			return writeDiff(ctx, dir, v.lang, p, d)
		})
	}
	b, err := s.cache.take(v.r.Context(), fmt.Sprint(key(&a, all), key(with, nil), " diff ", v.lang, p.Others), s.o.Patience, write)
	if err != nil {
		return err
	}
	if name == "diff" {
		v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		v.w.Header().Set("Content-Security-Policy", pagePolicy())
		return sendFile(v, b, diffPage)
	}
	v.w.Header().Set("Content-Type", mediaType(name))
	v.w.Header().Set("Content-Disposition", attachment(&a, name))
	return sendFile(v, b, name)
}

// chosen returns the audit to compare a with, the one of that ID or, for "", the last
// before a, nil for none, and lists the others on the page.
func chosen(id string, a *Audit, others []Audit, p *diffPageView) (with *Audit) {
	for i := range others {
		b := &others[i]
		if b.Info.ID == id || id == "" && with == nil && b.Info.Before(&a.Info) {
			with = b
		}
	}
	if p.With = id; with != nil {
		p.With = with.Info.ID
	}
	for _, b := range others[:min(diffOthers, len(others))] {
		p.Others = append(p.Others, otherAudit{b.Info.ID, minute(b.Info.Started), b.Info.ID == p.With})
	}
	return with
}

// writeDiff writes the page and the files of a comparison.
func writeDiff(ctx context.Context, dir, lang string, p diffPageView, d *audit.Diff) error {
	p.fill(d)
	t, err := frames()[lang]()
	if err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		diffPage:    func(w io.Writer) error { return t.ExecuteTemplate(w, "diff", p) },
		diffAsTable: func(w io.Writer) error { return report.WriteDiffCSV(ctx, w, d) },
		diffAsJSON:  func(w io.Writer) error { return report.WriteDiffJSON(ctx, w, d) },
	} {
		if err := create(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// fill adds the changes to the page.
func (p *diffPageView) fill(d *audit.Diff) {
	f := &filling{p: p, d: d, in: map[string]*report.DiffWords{}}
	for _, lang := range messages.Langs() {
		f.in[lang] = report.NewDiffWords(d, lang)
	}
	p.Compared, p.Header = true, f.each(func(w *report.DiffWords) string { return strings.ReplaceAll(w.Header(), " -> ", " → ") })
	p.Since = f.each((*report.DiffWords).Since)
	for _, name := range d.Differ.Names() {
		p.Notes = append(p.Notes, note{f.text("differ-" + name), ""})
	}
	for _, e := range report.DiffEffects() {
		if n := d.Effects[e]; n > 0 {
			p.Effects = append(p.Effects, effectView{n, f.text(string(e)), f.each(func(w *report.DiffWords) string { return w.Parts(e) })})
		}
	}
	f.addresses()
	f.causes()
	f.sitemaps()
	f.lists()
	f.beside()
}

// filling is the state of fill.
type filling struct {
	p  *diffPageView
	d  *audit.Diff
	in map[string]*report.DiffWords // by language
}

func (f *filling) each(pick func(w *report.DiffWords) string) page.Phrase {
	return page.AsIs(func(c *messages.Catalogue) string { return pick(f.in[c.Lang()]) })
}

func (f *filling) text(key string) page.Phrase {
	return f.each(func(w *report.DiffWords) string { return w.Text(key) })
}

func (f *filling) table(title page.Phrase, what string) diffTable {
	return diffTable{Title: title, What: f.text("label-" + what), Then: f.text("label-then"), Now: f.text("label-now")}
}

// add adds a table whose rows are the first of so many; it adds nothing where the table is empty.
func (f *filling) add(t diffTable, of int) {
	if of > len(t.Rows) {
		t.Of = of
	}
	if len(t.Rows) > 0 {
		f.p.Tables = append(f.p.Tables, t)
	}
}

// shownEffects are the effects of which the page shows the gravest changes.
var shownEffects = []audit.Effect{audit.Worse, audit.Better, audit.Otherwise, audit.Applied}

func (f *filling) addresses() {
	for _, e := range shownEffects {
		f.shown(f.table(f.text("label-"+string(e)), "address"), nil, e)
	}
}

// shown adds a table with the gravest changes of an effect, of a list, nil for the entries.
func (f *filling) shown(t diffTable, x *audit.AlsoDiff, e audit.Effect) {
	in := func(w *report.DiffWords) *report.DiffWords {
		if x == nil {
			return w
		}
		return w.In(x)
	}
	first, all, groups := in(f.in["en"]).Shown(e)
	t.Rows = f.changes(first)
	all -= len(t.Rows)
	for _, g := range groups {
		part := func(n int) page.Phrase {
			return f.each(func(w *report.DiffWords) string {
				what, then, now := in(w).Group(g)
				return [...]string{what, then, now}[n]
			})
		}
		t.Rows = append(t.Rows, diffRow{Name: part(0), Then: part(1), Now: part(2)})
	}
	f.add(t, all+len(t.Rows))
}

func (f *filling) changes(first []audit.Change) (rows []diffRow) {
	for i := range first {
		c := &first[i]
		rows = append(rows, diffRow{URL: page.Middle(page.Visible(c.Address), maxShown),
			Then: f.each(func(w *report.DiffWords) string { then, _ := w.Sides(c); return then }),
			Now:  f.each(func(w *report.DiffWords) string { _, now := w.Sides(c); return now })})
	}
	return rows
}

func (f *filling) causes() {
	t := f.table(f.text("label-causes"), "cause")
	for _, c := range report.MostChanged(f.d.Causes, diffCauses) {
		was, is := c.Named()
		t.Rows = append(t.Rows, diffRow{Name: f.each(func(w *report.DiffWords) string { return w.Cause(&c) + " (" + w.Turn(&c) + ")" }),
			Then: page.Raw(messages.Number(was)), Now: page.Raw(messages.Number(is))})
	}
	f.add(t, len(f.d.Causes))
}

func (f *filling) sitemaps() {
	t := f.table(f.text("label-sitemaps"), "sitemap")
	files := report.ChangedFiles(f.d.Files)
	for _, x := range files[:min(diffFiles, len(files))] {
		t.Rows = append(t.Rows, diffRow{URL: page.Middle(page.Visible(x.URL), maxShown),
			Then: f.each(func(w *report.DiffWords) string { then, _ := w.Tallies(&x); return then }),
			Now:  f.each(func(w *report.DiffWords) string { _, now := w.Tallies(&x); return now })})
	}
	f.add(t, len(files))
}

// lists adds what changed of the addresses that sitemaps name beside their entries.
func (f *filling) lists() {
	for i := range f.d.Also {
		x := &f.d.Also[i]
		if !x.Any() {
			continue
		}
		f.p.Lists = append(f.p.Lists, besideView{f.each(func(w *report.DiffWords) string { return w.List(x) }), f.each(func(w *report.DiffWords) string { return w.ListState(x) })})
		if x.Diff == nil {
			continue
		}
		for _, e := range shownEffects {
			title := f.each(func(w *report.DiffWords) string {
				return w.Text("list-effect", "list", w.List(x), "effect", w.Text("label-"+string(e)))
			})
			f.shown(f.table(title, "address"), x, e)
		}
	}
}

// beside adds what changed of the faults of files and of the links of pages.
func (f *filling) beside() {
	t := f.table(f.text("label-faults"), "fault")
	for i := range f.d.Faults {
		x := &f.d.Faults[i]
		t.Rows = append(t.Rows, diffRow{Name: f.each(func(w *report.DiffWords) string { return w.Stated(w.Fault(x), w.FaultState(x)) }),
			Then: page.Raw(messages.Number(x.Then)), Now: page.Raw(messages.Number(x.Now))})
		for at := range f.in["en"].FaultPlaces(x) {
			t.Rows = append(t.Rows, diffRow{Name: f.each(func(w *report.DiffWords) string { return w.FaultPlaces(x)[at] })})
		}
	}
	f.add(t, len(t.Rows))
	t = f.table(f.text("label-links"), "linked")
	for i := range f.in["en"].Links() {
		line := func(pick func(report.LinkLine) string) page.Phrase {
			return f.each(func(w *report.DiffWords) string { return pick(w.Links()[i]) })
		}
		t.Rows = append(t.Rows, diffRow{Name: f.each(func(w *report.DiffWords) string { l := w.Links()[i]; return w.Stated(l.Name, l.State) }),
			Then: line(func(l report.LinkLine) string { return l.Then }), Now: line(func(l report.LinkLine) string { return l.Now })})
	}
	f.add(t, len(t.Rows))
	if f.in["en"].LinksBasis() != "" {
		f.p.Lists = append(f.p.Lists, besideView{f.text("label-links"), f.each((*report.DiffWords).LinksBasis)})
	}
}

// create writes a new file.
func create(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}
