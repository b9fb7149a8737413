package crawler

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
)

// brittle is a spool whose files panic when they are read up to a certain word.
type brittle struct{ *sitemapMemory }

func (b brittle) OpenSpool(ctx context.Context, name string) (io.ReadCloser, error) {
	text := b.spool[name].Bytes()
	if at := bytes.Index(text, []byte("BOOM")); at >= 0 {
		return io.NopCloser(io.MultiReader(bytes.NewReader(text[:at]), panics{})), nil
	}
	return b.sitemapMemory.OpenSpool(ctx, name)
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("lost the thread") }

// A panic in the reading of one sitemap becomes a fault of that sitemap, and the others are read.
func TestAPanicCostsOneSitemap(t *testing.T) {
	for name, bad := range map[string]string{
		"at once":   "<urlset>BOOM",
		"midway":    "<urlset>" + strings.Repeat("<url><loc>http://a.example/x</loc></url>", 9_000) + "BOOM",
		"an index":  "<sitemapindex><sitemap><loc>http://a.example/x.txt</loc></sitemap>" + strings.Repeat(" ", 600_000) + "BOOM",
		"at a file": "",
	} {
		s := serveSite(t, func(w http.ResponseWriter, url string) {
			switch {
			case strings.HasSuffix(url, "/sitemap.xml"):
				io.WriteString(w, "<sitemapindex><sitemap><loc>http://a.example/bad.xml</loc></sitemap><sitemap><loc>http://a.example/list.txt</loc></sitemap></sitemapindex>")
			case strings.HasSuffix(url, "/bad.xml") && bad != "":
				io.WriteString(w, bad)
			case strings.HasSuffix(url, "/list.txt"):
				io.WriteString(w, "http://a.example/ok\n")
			default:
				w.WriteHeader(404)
			}
		})
		site, err := discover.SiteTarget("http://a.example")
		must(t, err)
		targets := []discover.Target{site}
		if bad == "" {
			targets = append(targets, discover.Target{Text: "-", Kind: discover.TargetStdin})
		}
		store := newSitemapMemory()
		c := s.crawler(t, store, "a.example")
		if err := c.Discover(t.Context(), brittle{store}, discover.Options{Targets: targets, Open: func(context.Context, string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("<urlset>BOOM")), nil
		}, Now: time.Unix(0, 0).UTC(), Audited: &fetch.Audited{}}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(store.entries) != 1 || store.entries[0].Loc != "http://a.example/ok" {
			t.Errorf("%s: %d entries", name, len(store.entries))
		}
		noted := 0
		for _, sm := range store.sitemaps {
			for _, f := range sm.Faults {
				if f.Key == audit.NotReadByUs && sm.Kind == "" && strings.Contains(f.Args[0], "lost the thread (crawler/notread_test.go:") {
					noted++
				}
			}
		}
		if noted != 1 {
			t.Errorf("%s: told %d times in %+v", name, noted, store.sitemaps)
		}
	}
}

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
