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

	"sitemend/crawler/address"
	"sitemend/crawler/diff"
	"sitemend/report"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// How much of a comparison the page shows.
const (
	diffRows   = 100
	diffOthers = 100
	diffPage   = "diff.html"
)

// A diffPageView is what changed between two audits.
type diffPageView struct {
	layout
	Others []otherAudit      // to compare with, the newest first
	Header messages.Sentence // nil where nothing was compared
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
		if b.Info.ID != a.Info.ID && !b.Info.Ended.IsZero() && address.SameTargets(b.Info.Targets, a.Info.Targets) {
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
	p := diffPageView{layout: s.newLayout(v, messages.Say("diff"))}
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
		d, err := s.o.Library.Diff(ctx, others[at].Info.ID, a.Info.ID)
		if err != nil {
			return nil, err
		}
		p.fill(d)
		return []string{diffPage}, writeDiff(filepath.Join(dir, diffPage), v.lang, p)
	}
	b, err := s.cache.take(v.r.Context(), fmt.Sprint(key(&a, all), key(&others[at], nil), " diff ", v.lang, p.Others), write)
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
	p.Header = report.DiffHeader(d)
	counts := page.Table{Name: messages.Say("diff"), Class: "even", Columns: []page.Column{{Name: messages.Say("urls"), Num: true}, {Name: messages.Say("diff")}}}
	var tables []page.Table
	for _, part := range report.DiffParts(d, diffRows) {
		if part.Kind != "" && part.All > 0 {
			counts.Add(page.CountCell(part.All), page.TextCell(part.Title))
		}
		if len(part.Rows) == 0 {
			continue
		}
		t := page.Table{Name: part.Title, Headed: true, Class: "even", Columns: page.Texts(part.What, messages.Say("diff-then"), messages.Say("diff-now"))}
		for _, r := range part.Rows {
			t.Add(page.TextCell(messages.Code(messages.Middle(page.Visible(r.URL), maxShown))), page.TextCell(r.Then), page.TextCell(r.Now))
		}
		if part.All > len(t.Rows) {
			t.More = messages.Say("more", "n", part.All-len(t.Rows))
		}
		tables = append(tables, t)
	}
	p.Tables = append([]page.Table{counts}, tables...)
}
