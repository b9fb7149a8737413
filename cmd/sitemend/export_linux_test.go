package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// withExport fills a store with a finished audit of one small sitemap and an
// export of n addresses, as a site that was moved has them: 80 % redirect and are in
// no sitemap, 10 % answer 200, 5 % are gone, 5 % are listed.
func withExport(t testing.TB, path string, n int) {
	t.Helper()
	s, err := storage.Open(path)
	must(t, err)
	at := time.Date(2026, 11, 21, 10, 2, 0, 0, time.UTC)
	rules := audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey", MaxDrop: 0.1}
	a, err := s.Begin(audit.Info{Targets: []string{site}, Identity: "googlebot", Rules: rules, Started: at}, "export")
	must(t, err)
	list := func(sm audit.Sitemap, to int, entry func(i int) audit.Entry) {
		_, err := a.AddSitemap(t.Context(), sm, func(yield func(audit.Entry, error) bool) {
			for i := 0; i < to && yield(entry(i), nil); i++ {
			}
		})
		must(t, err)
	}
	old := func(i int) string { return fmt.Sprintf("%s/old/%07d/an-article(%d)", site, i, i%9) }
	url := site + "/sitemap.xml"
	list(audit.Sitemap{URL: url, AnsweredAt: url, Parent: -1, Status: 200, Kind: "urlset"}, n/20, func(i int) audit.Entry { return audit.Entry{Loc: old(20 * i), Line: i} })
	list(audit.Sitemap{URL: "export.zip", Parent: -1, Kind: audit.KindSearchConsole, FetchedAt: at}, n, func(i int) audit.Entry {
		return audit.Entry{Loc: old(i), Line: i, Reported: audit.Reported{Is: true, Reason: audit.LabelRedirect, Crawled: "2026-10-21"}}
	})
	for i := range n {
		from := audit.Hop{Request: audit.Request{URL: old(i)}, Status: 301, Location: strings.Replace(old(i), "/old/", "/new/", 1), Tries: 1, At: at}
		page := audit.Hop{Request: audit.Request{URL: from.Location}, Status: 200, Tries: 1, At: at, Page: audit.Page{Title: fmt.Sprint("Article ", i), Canonical: from.Location}}
		switch {
		case i%20 == 1:
			from.Status, from.Location = 404, ""
			page = from
			page.Purpose = audit.AsBrowser
		case i%20 < 4 && i%20 > 1:
			from.Status, from.Location, from.Page = 200, "", audit.Page{Title: page.Page.Title}
			page = from
		}
		must(t, a.Keep(from))
		must(t, a.Keep(page))
	}
	info := a.Info()
	info.Ended, info.Duration, info.Requests = at.Add(time.Hour), time.Hour, 2*n
	must(t, a.Finish(info))
	must(t, a.Close())
	must(t, s.Close())
}

// BenchmarkTellExport tells an audit with an export of 100,000 rows again, html,
// csv and search-console.csv written:
//
//	go test -run '^$' -bench TellExport -benchtime 1x ./cmd/sitemend
func BenchmarkEvaluateExport(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "audits.db")
	withExport(b, path, 100_000)
	b.ResetTimer()
	for b.Loop() {
		if code := run(b.Context(), []string{"report", "--store", path, "--out", filepath.Join(dir, "out"), "--lang", "en", "--fail-on", "none", "--fix", "all=keep"}, strings.NewReader(""), io.Discard, b.Output()); code != exitOK {
			b.Fatalf("exit status %d", code)
		}
	}
}
