package job

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// What is ahead is exact as far as that is cheap, and else near what it is.
func TestLookAhead(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Rules: audit.Rules{MaxHops: 10}}, "ahead")
	must(t, err)
	_, err = a.AddSitemap(t.Context(), audit.Sitemap{URL: "http://h1.example/s.xml", Parent: -1, Kind: "urlset"}, func(yield func(audit.Entry, error) bool) {
		for i := range 30_000 { // three hosts, one with half of all; each tenth is listed again; 100 are none
			host := []string{"h1", "h2", "h1", "h3"}[i%4]
			e := audit.Entry{Loc: fmt.Sprintf("http://%s.example/%d", host, i), TooLong: i%300 == 1}
			if !yield(e, nil) || i%10 == 0 && !yield(e, nil) {
				return
			}
		}
		yield(audit.Entry{Loc: "http://h1.example/skipped", Skip: audit.SkipFilter}, nil)
	})
	must(t, err)
	must(t, a.Keep(audit.Hop{Request: audit.Request{URL: "http://h1.example/0"}, Status: 200}))
	got, err := lookAhead(t.Context(), a, 1<<20)
	must(t, err)
	if want := (ahead{entries: 32_900, also: map[audit.AlsoList]int{}, requests: 29_899, most: 14_999}); !reflect.DeepEqual(got, want) {
		t.Errorf("counted: %+v, want %+v", got, want)
	}
	for _, exact := range []int{0, 33_000} {
		got, err = lookAhead(t.Context(), a, exact)
		must(t, err)
		if !got.about || got.entries != 32_900 || off(got.requests, 29_899) > 0.05 || off(got.most, 14_999) > 0.05 {
			t.Errorf("estimated after %d: %+v", exact, got)
		}
	}
	if got, err := lookAhead(t.Context(), a, 33_001); err != nil || got.about {
		t.Errorf("just enough: %+v, %v", got, err)
	}
	must(t, a.Close())
	must(t, s.Close())
}

// What an export has counts beside the entries, each address once, and not where a sitemap lists
// it.
func TestLookAheadCountsExportsApart(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	a, err := s.Begin(audit.Info{Rules: audit.Rules{MaxHops: 10}}, "ahead")
	must(t, err)
	add := func(kind string, paths ...string) {
		_, err := a.AddSitemap(t.Context(), audit.Sitemap{URL: "http://h.example/" + kind, Parent: -1, Kind: kind}, func(yield func(audit.Entry, error) bool) {
			for _, path := range paths {
				if !yield(audit.Entry{Loc: "http://h.example" + path}, nil) {
					return
				}
			}
		})
		must(t, err)
	}
	add(audit.KindSearchConsole, "/b", "/x", "/x", "/y")
	add("urlset", "/a", "/b", "/b")
	add(audit.KindExpect, "/y", "/z")
	got, err := lookAhead(t.Context(), a, 1<<20)
	must(t, err)
	if got.entries != 3 || got.others != 3 || got.requests != 5 {
		t.Errorf("%+v, want 3 entries, 3 other addresses and 5 requests", got)
	}
	must(t, a.Close())
	must(t, s.Close())
}

func off(got, want int) float64 { return math.Abs(float64(got-want)) / float64(want) }

func TestRoughly(t *testing.T) {
	for n, want := range map[uint64]int{0: 0, 7: 7, 99: 99, 104: 100, 24_987_123: 25_000_000, 1_049_000: 1_000_000, 1_051_000: 1_100_000} {
		if got := roughly(n, 1<<40); got != want {
			t.Errorf("%d is about %d, want %d", n, got, want)
		}
	}
	if got := roughly(1_051_000, 1_051_000); got != 1_051_000 {
		t.Errorf("more than there are: %d", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
