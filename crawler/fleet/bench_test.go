package fleet_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
)

// instant answers requests in place of a web, so that a request costs next to nothing.
type instant struct{}

// File implements fetch.Site.
func (i instant) File(at address.Address) (fetch.SiteAnswer, bool) { return i.Answer(at) }

// Answer implements fetch.Site.
func (instant) Answer(at address.Address) (fetch.SiteAnswer, bool) {
	if at.Path() == "/robots.txt" {
		return fetch.SiteAnswer{Status: http.StatusNotFound}, true
	}
	text := "<title>" + at.Target() + "</title>"
	return fetch.SiteAnswer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}},
		Body: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))}, true
}

// BenchmarkWorkers crawls 100,000 entries of 100 sites in one go, and through four workers and one or
// three servers, all in this process; paced at a hundred requests a second for each site. What the way
// through the servers costs is the difference: "more", in microseconds of processor time an entry.
func BenchmarkWorkers(b *testing.B) {
	const entries = 100_000
	locs := make([]string, entries)
	for i := range entries {
		locs[i] = fmt.Sprintf("http://h%d.example/category/some-product-%d.html", i%100, i)
	}
	spent := func(crawl func(store *memory)) float64 {
		var before, after syscall.Rusage
		store := newMemory(locs...)
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
		crawl(store)
		must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
		if len(store.hops) < entries || store.twice > 0 {
			b.Fatalf("%d answers, %d twice", len(store.hops), store.twice)
		}
		took := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
		return time.Duration(took).Seconds() * 1e6 / entries
	}
	for _, c := range []struct {
		servers int
		rate    float64
	}{{1, 0}, {3, 0}, {1, 100}, {3, 100}} {
		b.Run(fmt.Sprintf("servers=%d/rate=%g", c.servers, c.rate), func(b *testing.B) {
			h := how{Parallel: 4, Rate: c.rate}
			for b.Loop() {
				alone := spent(func(store *memory) { near(b, h, store) })
				url, _ := servers(b, c.servers)
				o := fleet.Options{URL: url, Timing: fleet.Timing{Alive: time.Minute}}
				for i := range 4 {
					working(b, connect(b, o), fmt.Sprint("w", i))
				}
				f := connect(b, o)
				b.ReportMetric(spent(func(store *memory) { crawl(b, f, "bench", h, store) })-alone, "us/entry-more")
				b.ReportMetric(alone, "us/entry-alone")
			}
		})
	}
}
