package crawler

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
)

const deadLines = 1_000 // of a robots.txt that are tried

// A robots.txt of thousands of lines that lead nowhere is not read to its end; a line that leads
// somewhere for the first time restarts the count.
func TestDeadSitemapLines(t *testing.T) {
	robots := "Sitemap: http://a.example/list.txt\n"
	for i := range deadLines + 7 {
		if i%10 == 9 && i < 100 { // a sitemap that is read already
			robots += "sitemap: http://a.example/list.txt\n"
		}
		robots += fmt.Sprintf("Sitemap: http://a.example/gone/%d\n", i)
	}
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch {
		case strings.HasSuffix(url, "/robots.txt"):
			io.WriteString(w, robots)
		case strings.HasSuffix(url, "/list.txt"):
			io.WriteString(w, "http://a.example/ok\n")
		default:
			w.WriteHeader(404)
		}
	})
	store := newSitemapMemory()
	target, err := discover.SiteTarget("http://a.example")
	must(t, err)
	for range 2 { // the second time as an audit that is continued
		c := s.crawler(t, store, "a.example")
		must(t, c.Discover(t.Context(), store, discover.Options{Targets: []discover.Target{target}, Now: time.Unix(0, 0).UTC(), Audited: &fetch.Audited{}}))
		if n := len(store.sitemaps); n != 1+deadLines {
			t.Fatalf("%d sitemaps were tried, want %d", n, 1+deadLines)
		}
		faults := store.sitemaps[deadLines].Faults
		if len(faults) != 2 || faults[1].Key != "dead-lines" || !slices.Equal(faults[1].Args, []string{"1000", "7", "1012"}) {
			t.Errorf("the last has %+v", faults)
		}
	}
}
