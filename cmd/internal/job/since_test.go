package job

import (
	"iter"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// audited keeps an audit of a sitemap, in which /moved redirects to /page and all else is fine.
func audited(t *testing.T, store *storage.Store, day int, locs ...string) *storage.Audit {
	t.Helper()
	const root = "https://www.shop.example/"
	at := time.Date(2026, 11, day, 10, 0, 0, 0, time.UTC)
	info := audit.Info{Targets: []string{root}, Identity: "googlebot", Started: at, Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey", MaxDrop: 1}}
	a, err := store.Begin(info, "shape")
	must(t, err)
	err = a.AddSitemap(t.Context(), &audit.Sitemap{URL: root + "sitemap.xml", AnsweredAt: root + "sitemap.xml", Kind: "urlset", Status: 200}, entriesOf(root, locs))
	must(t, err)
	for _, loc := range append(locs, "page") {
		h := audit.Hop{Request: audit.Request{URL: root + loc}, Status: 200, At: at, Page: audit.Page{ContentType: "text/html", Title: loc}}
		if loc == "moved" {
			h.Status, h.Location = 301, root+"page"
		}
		for _, h.Purpose = range []audit.Purpose{audit.AsRobot, audit.AsBrowser, audit.AsProof} {
			must(t, a.Keep(h))
		}
	}
	result, err := Evaluate(t.Context(), a, a.Info())
	must(t, err)
	must(t, (&job{f: &Spec{}, log: slog.New(slog.DiscardHandler)}).compareLast(t.Context(), store, a, result))
	must(t, keepCounts(a, result))
	must(t, a.Finish(info))
	return a
}

func entriesOf(root string, locs []string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for i, loc := range locs {
			if !yield(audit.Entry{Loc: root + loc, Line: i + 1}, nil) {
				return
			}
		}
	}
}

// An audit says what became of the last one like it, without a look at it; the first has none.
func TestSinceTheLastAudit(t *testing.T) {
	store, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	defer store.Close()
	var ids []string
	for day, locs := range [][]string{{"a", "moved"}, {"a", "moved"}, {"a", "page"}} {
		a := audited(t, store, day+1, locs...)
		ids = append(ids, a.ID())
		must(t, a.Close())
	}
	for n, want := range []*audit.Since{nil, {}, {Fixed: 1}} {
		a, err := store.Audit(ids[n])
		must(t, err)
		last, err := lastOf(store, a.Info())
		must(t, err)
		switch {
		case (last == nil) != (want == nil):
			t.Errorf("audit %d: the last one is %+v", n, last)
		case want == nil:
		case last.Since == nil || *last.Since != *want || last.At.Day() != n || last.Groups[audit.Corrected] != 1:
			t.Errorf("audit %d: %+v, since %+v, want %+v", n, last, last.Since, want)
		}
		must(t, a.Close())
	}
}
