package storage

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// wire returns an address of 50 bytes.
func wire(i int) string { return fmt.Sprintf("https://www.shop.example/items/%08d/tea-7.html", i) }

// usualHop returns a typical answer: every 3.5th address redirects, the others are pages with a
// title.
func usualHop(i int) audit.Hop {
	h := audit.Hop{Request: audit.Request{URL: wire(i)}, Status: 200, MS: 12 + i%90, Tries: 1, At: start.Add(time.Duration(i) * time.Millisecond)}
	if i%7 < 2 {
		h.Status, h.Location = 301, wire(i+1)
		return h
	}
	h.Page = audit.Page{ContentType: "text/html; charset=utf-8", Title: fmt.Sprintf("Tea pot %d | The shop", i), Canonical: h.URL, Robots: "index, follow"}
	return h
}

func listed(n int) func(func(audit.Entry, error) bool) {
	return func(yield func(audit.Entry, error) bool) {
		for i := range n {
			if !yield(audit.Entry{Loc: wire(i * 7 / 5), Line: 3 * i}, nil) {
				return
			}
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	_, a := mustBegin(b, filepath.Join(b.TempDir(), "audits.db"))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		mustDo(b, a.Keep(usualHop(i)))
		i++
	}
	mustDo(b, a.Flush())
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hops/s")
}

// BenchmarkOpen measures how long a store of 200,000 answers takes to open up to the first look-up.
func BenchmarkOpen(b *testing.B) {
	const n = 200_000
	path := filepath.Join(b.TempDir(), "audits.db")
	s, a := mustBegin(b, path)
	for i := range n {
		mustDo(b, a.Keep(usualHop(i)))
	}
	mustDo(b, s.Close())
	for b.Loop() {
		s, err := OpenReadOnly(path)
		mustDo(b, err)
		a, err := s.Audit(Latest)
		mustDo(b, err)
		if _, ok := a.Hop(audit.Request{URL: wire(n / 2)}); !ok {
			b.Fatal("an answer is missing")
		}
		mustDo(b, s.Close())
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "hops/s")
}

// BenchmarkWalk reads entries and their answers as an evaluation does, and reports the size of the
// store for each entry.
func BenchmarkWalk(b *testing.B) {
	const n = 100_000
	path := filepath.Join(b.TempDir(), "audits.db")
	s, a := mustBegin(b, path)
	if err := a.AddSitemap(b.Context(), &audit.Sitemap{}, listed(n)); err != nil {
		b.Fatal(err)
	}
	for i := range n * 7 / 5 {
		mustDo(b, a.Keep(usualHop(i)))
	}
	mustDo(b, a.Flush())
	entries := 0
	b.ReportAllocs()
	for b.Loop() {
		for e, err := range a.Entries(b.Context(), 0, n) {
			mustDo(b, err)
			h, ok := a.Hop(audit.Request{URL: e.Loc})
			for ok && h.Location != "" {
				h, ok = a.Hop(audit.Request{URL: h.Location})
			}
			entries++
		}
	}
	b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
	b.ReportMetric(float64(usedBytes(b, s))/n, "bytes/entry")
}

// usedBytes returns the size of the file up to its last page in use; bbolt extends the file itself
// 16 MB at a time.
func usedBytes(t testing.TB, s *Store) (n int64) {
	t.Helper()
	mustDo(t, s.view(func(tx *bbolt.Tx) error { n = tx.Size(); return nil }))
	return n
}
