package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// standings is a StandingStore in memory.
type standings struct {
	*sitemapMemory
	found map[string]*audit.Standing
}

func (s *standings) PutStanding(url string, found *audit.Standing) error {
	s.found[url] = found
	return nil
}

const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://shop.example/a</loc></url></urlset>`

func indexOf(n int) string {
	var b strings.Builder
	b.WriteString(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range n {
		fmt.Fprintf(&b, "<sitemap><loc>http://shop.example/child-%d.xml</loc></sitemap>", i)
	}
	return b.String() + "</sitemapindex>"
}

// What is present at an address was seen only where an answer shows it completely.
func TestWhatStandsThereWasSeen(t *testing.T) {
	const imperva = `<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script><body></body></html>`
	for name, c := range map[string]struct {
		status      int
		kind, body  string
		captcha     bool
		child       int // status of each child
		seen, index bool
	}{
		"a sitemap":              {status: 200, kind: "text/xml", body: urlset, seen: true, index: true},
		"a page":                 {status: 200, kind: "text/html", body: "<title>Shop</title><p>Welcome to our shop", seen: true},
		"nothing":                {status: 200, seen: true},
		"no page":                {status: 404, kind: "text/html", body: "no", seen: true},
		"gone":                   {status: 410, seen: true},
		"not here itself":        {status: 203, kind: "text/html", body: "<title>Shop</title><p>Welcome to our shop", seen: true},
		"a challenge":            {status: 202, captcha: true},
		"a challenge that is OK": {status: 200, captcha: true, kind: "text/html"},
		"the page of one":        {status: 200, kind: "text/html", body: imperva},
		"not yet":                {status: 202, kind: "text/html", body: "wait"},
		"no content":             {status: 204},
		"refused":                {status: 403},
		"down":                   {status: 503},
		"an index":               {status: 200, kind: "text/xml", body: indexOf(2), child: 200, seen: true, index: true},
		"an index of nothing":    {status: 200, kind: "text/xml", body: indexOf(2), child: 404, seen: true, index: true},
		"an index that is down":  {status: 200, kind: "text/xml", body: indexOf(2), child: 503, index: true},
		"an index of too many":   {status: 200, kind: "text/xml", body: indexOf(200), child: 200, index: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveSite(t, func(w http.ResponseWriter, url string) {
				w.Header()["Content-Type"] = nil
				if strings.Contains(url, "child-") {
					w.WriteHeader(c.child)
					_, _ = io.WriteString(w, urlset)
					return
				}
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				}
				if c.captcha {
					w.Header().Set("SG-Captcha", "challenge")
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			store := &standings{newSitemapMemory(), map[string]*audit.Standing{}}
			crawler := s.crawler(t, store.memoryStore, "shop.example")
			must(t, crawler.Stand(t.Context(), store, []string{"http://shop.example/sitemap.xml"}))
			if got := store.found["http://shop.example/sitemap.xml"]; got == nil || got.Seen != c.seen || got.Sitemap != c.index {
				t.Errorf("%+v", got)
			}
		})
	}
}

// stopping ends a context once a part of it was read.
type stopping struct {
	io.ReadCloser
	stop func()
	left int
}

func (s *stopping) Read(b []byte) (int, error) {
	if s.left--; s.left == 0 {
		s.stop()
	}
	return s.ReadCloser.Read(b[:min(len(b), 4096)])
}

// stoppingStore opens such files.
type stoppingStore struct {
	*standings
	stop func()
}

func (s *stoppingStore) OpenSpool(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := s.standings.OpenSpool(ctx, name)
	return &stopping{f, s.stop, 10}, err
}

// A stop takes effect while a large file is read.
func TestALookIsStopped(t *testing.T) {
	body := strings.Repeat("http://shop.example/a\n", 20_000)
	s := serveSite(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, body)
	})
	ctx, stop := context.WithCancel(t.Context())
	store := &stoppingStore{&standings{newSitemapMemory(), map[string]*audit.Standing{}}, stop}
	crawler := s.crawler(t, store.memoryStore, "shop.example")
	if err := crawler.Stand(ctx, store, []string{"http://shop.example/sitemap.txt"}); !errors.Is(err, context.Canceled) || len(store.found) > 0 {
		t.Errorf("%v, %+v", err, store.found)
	}
}
