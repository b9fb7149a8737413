package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
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
	diffFiles  = 100
	diffOthers = 100
	diffPage   = "diff.html"
)

// A diffPageView is what changed between two audits.
type diffPageView struct {
	layout
	Others []otherAudit // to compare with, the newest first
	Header page.Phrase  // nil where nothing was compared
	Tables []page.Table
}

type otherAudit struct {
	ID, At string
	Chosen bool
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
// what was corrected since would look new.
func (s *Site) diff(v *visit) error {
	a, all, err := s.find(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	p := diffPageView{layout: s.newLayout(v, say("diff"))}
	p.ofAudit(&a, all, "diff")
	others, id := siblings(&a, all), v.r.URL.Query().Get("with")
	at := slices.IndexFunc(others, func(b Audit) bool { return b.Info.ID == id || id == "" && b.Info.Before(&a.Info) })
	for i, b := range others[:min(diffOthers, len(others))] {
		p.Others = append(p.Others, otherAudit{b.Info.ID, minute(b.Info.Started), i == at})
	}
	switch {
	case at < 0 && id != "":
		return ErrNone
	case at < 0:
		return s.send(v, http.StatusOK, "diff", p)
	}
	write := func(ctx context.Context, dir string) ([]string, error) {
		return []string{diffPage}, s.o.Library.Diff(ctx, others[at].Info.ID, a.Info.ID, func(d *diff.Result) error {
			p.fill(d)
			return writeDiff(filepath.Join(dir, diffPage), v.lang, p)
		})
	}
	b, err := s.cache.take(v.r.Context(), fmt.Sprint(key(&a, all), key(&others[at], nil), " diff ", v.lang, p.Others), s.o.Patience, write)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Security-Policy", pagePolicy())
	return sendFile(v, b, diffPage)
}

func writeDiff(file, lang string, p diffPageView) error {
	t, err := frame(lang)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(t.ExecuteTemplate(w, "diff", p), w.Flush(), f.Close())
}

// fill adds the changes to the page.
func (p *diffPageView) fill(d *diff.Result) {
	in := map[string]*report.DiffWords{}
	for _, lang := range messages.Langs() {
		in[lang] = report.NewDiffWords(d, lang)
	}
	each := func(pick func(w *report.DiffWords) string) page.Phrase {
		return page.Plain(func(c *messages.Catalogue) string { return pick(in[c.Lang()]) })
	}
	text := func(key string) page.Phrase {
		return each(func(w *report.DiffWords) string { return w.Text(key) })
	}
	p.Header = each(func(w *report.DiffWords) string { return strings.ReplaceAll(w.Header(), " -> ", " → ") })
	counts := page.Table{Name: say("diff"), Class: "even", Columns: []page.Column{{Name: say("urls"), Num: true}, {Name: say("diff")}}}
	for _, k := range diff.Kinds() {
		if n := d.Counts[k]; n > 0 {
			counts.Add(page.CountCell(n), page.TextCell(text(string(k))))
		}
	}
	p.Tables = append(p.Tables, counts)
	table := func(title, what string) page.Table {
		return page.Table{Name: text(title), Headed: true, Class: "even", Columns: page.Texts(text(what), text("then"), text("now"))}
	}
	add := func(t *page.Table, url string, sides func(w *report.DiffWords) (then, now string)) {
		t.Add(page.TextCell(page.Code(page.Middle(page.Visible(url), maxShown))),
			page.TextCell(each(func(w *report.DiffWords) string { then, _ := sides(w); return then })), page.TextCell(each(func(w *report.DiffWords) string { _, now := sides(w); return now })))
	}
	put := func(t page.Table, all int) {
		if all > len(t.Rows) {
			t.More = say("more", "n", all-len(t.Rows))
		}
		if len(t.Rows) > 0 {
			p.Tables = append(p.Tables, t)
		}
	}
	changed, sitemaps := report.ChangedSitemaps(d), table("sitemaps", "sitemaps")
	for _, c := range changed[:min(diffFiles, len(changed))] {
		add(&sitemaps, c.URL, func(w *report.DiffWords) (string, string) { return w.Sitemap(&c) })
	}
	put(sitemaps, len(changed))
	for _, k := range report.ListedKinds() {
		t := table(string(k), "urls")
		for _, c := range d.First[k] {
			add(&t, c.URL, func(w *report.DiffWords) (string, string) { return w.Sides(&c) })
		}
		put(t, d.Counts[k])
	}
}
