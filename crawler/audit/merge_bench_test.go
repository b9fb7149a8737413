package audit_test

import (
	"context"
	"fmt"
	"iter"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// A relaunch is a site of which the old sitemap lists what the new one lists, with http: each
// entry of the old one leads to one of the new one. It makes both as they are asked for.
type relaunch struct{ size int }

func (s relaunch) Sitemaps() ([]audit.Sitemap, error) {
	return []audit.Sitemap{
		{URL: "http://shop.example/sitemap.xml", Entries: s.size},
		{N: 1, URL: "https://shop.example/sitemap.xml", First: s.size, Entries: s.size},
	}, nil
}

func (s relaunch) Entries(_ context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for n := from; n < to; n++ {
			e := audit.Entry{N: n, Loc: fmt.Sprintf("http://shop.example/articles/%d", n)}
			if n >= s.size {
				e.Sitemap, e.Loc = 1, fmt.Sprintf("https://shop.example/articles/%d", n-s.size)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (relaunch) Hop(r audit.Request) (audit.Hop, bool) {
	if rest, old := strings.CutPrefix(r.URL, "http:"); old {
		return audit.Hop{Request: r, Status: 301, Location: "https:" + rest}, true
	}
	return audit.Hop{Request: r, Status: 200, Page: audit.Page{Title: r.URL}}, true
}

func (relaunch) Err() error                               { return nil }
func (relaunch) Standing(string) (*audit.Standing, error) { return nil, nil }

// BenchmarkEvaluateRelaunch reports what Evaluate holds at most for each entry where half of
// the entries lead to the other half.
func BenchmarkEvaluateRelaunch(b *testing.B) {
	const size = 1_000_000
	for b.Loop() {
		done, peak := make(chan struct{}), make(chan uint64)
		go func() { peak <- mostAlive(done) }()
		result, err := audit.Evaluate(b.Context(), relaunch{size}, info(), func(url string) string { return url })
		close(done)
		if err != nil || result.Counts.Entries != 2*size {
			b.Fatalf("%v, %+v", err, result.Counts)
		}
		b.ReportMetric(float64(<-peak)/(2*size), "B/entry")
	}
}

// mostAlive returns the most that a collection left until done.
func mostAlive(done chan struct{}) (most uint64) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		metrics.Read(sample)
		most = max(most, sample[0].Value.Uint64())
		select {
		case <-done:
			return most
		case <-tick.C:
		}
	}
}
