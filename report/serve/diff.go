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
	"sitemend/crawler/diff"
	"sitemend/report"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// How much of a comparison the page shows.
const (
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
	Header   page.Phrase
	Counts   []kindView
	Tables   []diffTable
}

type otherAudit struct {
	ID, At string
	Chosen bool
}

type kindView struct {
	Count int
	Name  page.Phrase
}

// A diffTable is one of the tables of then and now.
type diffTable struct {
	Title, What, Then, Now page.Phrase
	Of                     int // of how many its rows are the first, 0 where they are all
	Rows                   []diffRow
}

type diffRow struct {
	URL       string
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
		return []string{diffPage, diffAsTable, diffAsJSON}, s.o.Library.Diff(ctx, with.Info.ID, a.Info.ID, func(d *diff.Result) error {
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
func writeDiff(ctx context.Context, dir, lang string, p diffPageView, d *diff.Result) error {
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
func (p *diffPageView) fill(d *diff.Result) {
	in := map[string]*report.DiffWords{}
	for _, lang := range messages.Langs() {
		in[lang] = report.NewDiffWords(d, lang)
	}
	each := func(pick func(w *report.DiffWords) string) page.Phrase {
		return page.AsIs(func(c *messages.Catalogue) string { return pick(in[c.Lang()]) })
	}
	text := func(key string) page.Phrase {
		return each(func(w *report.DiffWords) string { return w.Text(key) })
	}
	p.Compared, p.Header = true, each(func(w *report.DiffWords) string { return strings.ReplaceAll(w.Header(), " -> ", " → ") })
	for _, k := range diff.Kinds() {
		if n := d.Counts[k]; n > 0 {
			p.Counts = append(p.Counts, kindView{n, text(string(k))})
		}
	}
	add := func(title, what string, all int, rows []diffRow) {
		t := diffTable{Title: text(title), What: text(what), Then: text("then"), Now: text("now"), Rows: rows}
		if all > len(rows) {
			t.Of = all
		}
		if len(rows) > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	rowOf := func(url string, sides func(w *report.DiffWords) (then, now string)) diffRow {
		return diffRow{URL: page.Middle(page.Visible(url), maxShown),
			Then: each(func(w *report.DiffWords) string { then, _ := sides(w); return then }),
			Now:  each(func(w *report.DiffWords) string { _, now := sides(w); return now })}
	}
	var rows []diffRow
	changed := report.ChangedSitemaps(d)
	for _, c := range changed[:min(diffFiles, len(changed))] {
		rows = append(rows, rowOf(c.URL, func(w *report.DiffWords) (string, string) { return w.Sitemap(&c) }))
	}
	add("sitemaps", "sitemap", len(changed), rows)
	for _, k := range report.ListedKinds() {
		rows = nil
		for _, c := range d.First[k] {
			rows = append(rows, rowOf(c.URL, func(w *report.DiffWords) (string, string) { return w.Sides(&c) }))
		}
		add(string(k), "address", d.Counts[k], rows)
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
