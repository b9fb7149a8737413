package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/storage"
)

// twoAudits makes a store of two finished audits of n entries each: 70 % answer
// 200, 19 % redirect once, 10 % twice, 1 % are gone. In the second audit one
// entry in a thousand answers otherwise.
func twoAudits(t testing.TB, path string, n int) {
	t.Helper()
	store, err := storage.Open(path)
	must(t, err)
	for i := range 2 {
		at := time.Date(2026, 10+time.Month(i), 21, 10, 0, 0, 0, time.UTC)
		info := audit.Info{Targets: []string{"https://www.shop.example"}, Identity: "googlebot", Started: at, Duration: time.Hour, Requests: n,
			Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey", MaxDrop: 1}}
		a, err := store.Begin(info, "shape")
		must(t, err)
		for from := 0; from < n; from += 50_000 {
			url := fmt.Sprintf("https://www.shop.example/sitemap-%d.xml", from/50_000)
			_, err := a.AddSitemap(t.Context(), audit.Sitemap{URL: url, AnsweredAt: url, Kind: "urlset", Status: 200}, items(from, min(n, from+50_000)))
			must(t, err)
		}
		for k := range n {
			for _, h := range answersTo(k, i, at) {
				must(t, a.Keep(h))
			}
		}
		must(t, a.Finish(info))
		must(t, a.Close())
	}
	must(t, store.Close())
}

func item(k int) string { return fmt.Sprintf("https://www.shop.example/items/%08d/tea-7.html", k) }

func items(from, to int) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for k := from; k < to && yield(audit.Entry{Loc: item(k), Line: 3 * k}, nil); k++ {
		}
	}
}

// answersTo are the answers on the way from item k in audit i.
func answersTo(k, i int, at time.Time) []audit.Hop {
	kind := k % 100
	if i == 1 && k%1000 == 500 {
		kind = (k / 1000) % 100
	}
	hop := func(url string, status int, location string) audit.Hop {
		return audit.Hop{Request: audit.Request{URL: url}, Status: status, Location: location, MS: 12, Tries: 1, At: at}
	}
	page := func(url string) audit.Hop {
		h := hop(url, 200, "")
		h.Page = audit.Page{ContentType: "text/html; charset=utf-8", Title: fmt.Sprintf("Tea pot %d | The shop", k), Canonical: url}
		return h
	}
	first, second, last := item(k), fmt.Sprintf("https://www.shop.example/go/%08d", k), fmt.Sprintf("https://www.shop.example/tea/%08d.html", k)
	switch {
	case kind < 70:
		return []audit.Hop{page(first)}
	case kind < 89:
		return []audit.Hop{hop(first, 301, last), page(last)}
	case kind < 99:
		return []audit.Hop{hop(first, 301, second), hop(second, 302, last), page(last)}
	}
	gone, again := hop(first, 404, ""), hop(first, 404, "")
	again.Purpose = audit.AsBrowser
	return []audit.Hop{gone, again}
}

// TestDiffOfMany compares two audits of many entries; BenchmarkDiff runs it in a
// process of its own.
func TestDiffOfMany(t *testing.T) {
	path := os.Getenv("SITEMEND_DIFF")
	if path == "" {
		path = filepath.Join(t.TempDir(), "audits.db")
		twoAudits(t, path, 100_000)
	}
	began := time.Now()
	peak, stop := watchRSS(t)
	store, err := storage.OpenReadOnly(path)
	must(t, err)
	older, newer, err := job.Pair(store, "audits.db", nil)
	must(t, err)
	d, err := job.Compare(t.Context(), store, older, newer)
	must(t, err)
	must(t, report.WriteDiffJSON(t.Context(), io.Discard, d.Diff))
	t.Log("took", peak(), time.Since(began).Milliseconds())
	stop()
	must(t, errors.Join(d.Close(), store.Close()))
	// Of each hundred thousand items 100 are asked for another way, and 70 of those
	// answer as before.
	if n := d.Addresses; n%100_000 != 0 || n == 0 || d.Effects[audit.Worse] != n*3/10_000 || d.Effects[audit.Same] != n-n*3/10_000 {
		t.Errorf("%d addresses: %v", n, d.Effects)
	}
}

// BenchmarkDiff compares two audits of a million entries, JSON written, in a
// process of its own, and reports its peak of anonymous memory:
//
//	go test -run '^$' -bench Diff -benchtime 1x ./cmd/sitemend
func BenchmarkDiff(b *testing.B) {
	path := filepath.Join(b.TempDir(), "audits.db")
	twoAudits(b, path, 1_000_000)
	for b.Loop() {
		var peak, took int64
		state := inProcess(b, "TestDiffOfMany", "SITEMEND_DIFF="+path, "took ", &peak, &took)
		b.ReportMetric(float64(took)/1000, "diff-s")
		b.ReportMetric((state.UserTime() + state.SystemTime()).Seconds(), "cpu-s")
		b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
		if peak > diffBudget {
			b.Errorf("comparing took %d MB", peak>>20)
		}
	}
}

// diffBudget is what comparing two audits of a million entries may take.
const diffBudget = 200 << 20
