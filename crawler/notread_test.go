package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// brittle is a spool whose files with a word in it panic when they are read to there.
type brittle struct{ *sitemapMemory }

func (b brittle) OpenSpool(name string) (io.ReadCloser, error) {
	text := b.spool[name].Bytes()
	if at := bytes.Index(text, []byte("BOOM")); at >= 0 {
		return io.NopCloser(io.MultiReader(bytes.NewReader(text[:at]), panics{})), nil
	}
	return b.sitemapMemory.OpenSpool(name)
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("lost the thread") }

// A fault of ours in the reading of one sitemap is told of it, and the others are read.
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
		site, err := SiteTarget("http://a.example")
		must(t, err)
		targets := []Target{site}
		if bad == "" {
			targets = append(targets, Target{Text: "-", Kind: TargetStdin})
		}
		store := newSitemapMemory()
		c := s.crawler(t, store, "a.example")
		if err := c.Discover(t.Context(), brittle{store}, Discovery{Targets: targets, Stdin: strings.NewReader("<urlset>BOOM"), Now: time.Unix(0, 0).UTC(), Audited: &fetch.Audited{}}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(store.entries) != 1 || store.entries[0].Loc != "http://a.example/ok" {
			t.Errorf("%s: %d entries", name, len(store.entries))
		}
		told := 0
		for _, sm := range store.sitemaps {
			for _, f := range sm.Faults {
				if f.Key == audit.NotReadByUs && sm.Kind == "" && strings.Contains(f.Text, "lost the thread (crawler/notread_test.go:") {
					told++
				}
			}
		}
		if told != 1 {
			t.Errorf("%s: told %d times in %+v", name, told, store.sitemaps)
		}
	}
}

// A panic of who takes the entries is not told of the sitemap.
func TestAPanicBehindAVisitGoesOn(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, audit.ErrOurs) || !strings.Contains(fmt.Sprint(err), "no room") {
			t.Errorf("recovered %v", err)
		}
	}()
	_, err := readSitemap(strings.NewReader("http://a.example/\n"), sitemap.Options{}, func(sitemap.Entry) error { panic("no room") })
	t.Errorf("returned %v", err)
}
