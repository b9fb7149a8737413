package crawler

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
)

// Sitemaps that an index names twice are read once.
func TestAnIndexThatNamesASitemapTwice(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch {
		case strings.HasSuffix(url, "/sitemap.xml"):
			io.WriteString(w, `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+strings.Repeat("\n<sitemap><loc>http://a.example/a.txt</loc></sitemap>", 3)+
				strings.Repeat("\n<sitemap><loc>http://a.example/b.txt</loc></sitemap>", 2)+
				"\n<sitemap><loc>http://a.example/b.txt</loc><lastmod>1969-01-01</lastmod></sitemap></sitemapindex>")
		case strings.HasSuffix(url, ".txt"):
			io.WriteString(w, "http://a.example/ok\n")
		default:
			w.WriteHeader(404)
		}
	})
	site, err := discover.SiteTarget("http://a.example")
	must(t, err)
	store := newSitemapMemory()
	c := s.crawler(t, store, "a.example")
	must(t, c.Discover(t.Context(), store, discover.Options{Targets: []discover.Target{site}, Now: time.Unix(0, 0).UTC(), Audited: &fetch.Audited{}}))
	if n := len(store.sitemaps); n != 3 {
		t.Fatalf("%d sitemaps, want 3", n)
	}
}
