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
	Tables   []diffTable
}

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
		if b.Info.ID != a.Info.ID && !b.Info.Ended.IsZero() && slices.Equal(b.Info.Targets, a.Info.Targets) {
			others = append(others, b)
		}
	}
	return others
}

// diff shows what changed since another audit of the same targets: the one that
// the query names, else the last before. Where there is none before, it says so: held
// against a later audit, what was mended since would look new. The same path with .csv or
// .json has all of it, and is none there.
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

// fill says what changed.
func (p *diffPageView) fill(d *audit.Diff) {
	in := map[string]*report.DiffWords{}
	for _, lang := range messages.Langs() {
		in[lang] = report.NewDiffWords(d, lang)
	}
	each := func(pick func(w *report.DiffWords) string) page.Phrase {
		return page.AsIs(func(c *messages.Catalogue) string { return pick(in[c.Lang()]) })
	}
	text := func(key string) page.Phrase { return each(func(w *report.DiffWords) string { return w.Text(key) }) }
	p.Compared, p.Header = true, each(func(w *report.DiffWords) string { return strings.ReplaceAll(w.Header(), " -> ", " → ") })
	p.Since = each(func(w *report.DiffWords) string { return w.Since() })
	for _, name := range d.Differ.Names() {
		p.Notes = append(p.Notes, note{text("differ-" + name), ""})
	}
	for _, e := range report.DiffEffects() {
		if n := d.Effects[e]; n > 0 {
			p.Effects = append(p.Effects, effectView{n, text(string(e)), each(func(w *report.DiffWords) string { return w.Parts(e) })})
		}
	}
	table := func(title, what string) diffTable {
		return diffTable{Title: text("label-" + title), What: text("label-" + what), Then: text("label-then"), Now: text("label-now")}
	}
	add := func(t diffTable, of int) {
		if of > len(t.Rows) {
			t.Of = of
		}
		if len(t.Rows) > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	for _, e := range []audit.Effect{audit.Worse, audit.Better, audit.Otherwise, audit.Applied} {
		t := table(string(e), "address")
		for i := range d.First[e] {
			c := &d.First[e][i]
			t.Rows = append(t.Rows, diffRow{URL: page.Middle(page.Visible(c.Address), maxShown),
				Then: each(func(w *report.DiffWords) string { then, _ := w.Sides(c); return then }),
				Now:  each(func(w *report.DiffWords) string { _, now := w.Sides(c); return now })})
		}
		add(t, d.Effects[e])
	}
	t := table("causes", "cause")
	for _, c := range report.MostChanged(d.Causes, diffCauses) {
		t.Rows = append(t.Rows, diffRow{Name: each(func(w *report.DiffWords) string { return w.Cause(&c) + " (" + w.Turn(&c) + ")" }),
			Then: page.Raw(messages.Number(c.Old)), Now: page.Raw(messages.Number(c.New))})
	}
	add(t, len(d.Causes))
	t = table("sitemaps", "sitemap")
	files := report.ChangedFiles(d.Files)
	for _, f := range files[:min(diffFiles, len(files))] {
		t.Rows = append(t.Rows, diffRow{URL: page.Middle(page.Visible(f.URL), maxShown), Then: each(func(w *report.DiffWords) string { return w.Tally(f.Old) }),
			Now: each(func(w *report.DiffWords) string { return w.Tally(f.New) })})
	}
	add(t, len(files))
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
