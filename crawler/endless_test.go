package crawler

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// sitemapMemory is a discover.Store in memory.
type sitemapMemory struct {
	*memoryStore
	sitemaps []audit.Sitemap
	spool    map[string]*spooled
}

type spooled struct{ bytes.Buffer }

func (*spooled) Close() error { return nil }

func newSitemapMemory() *sitemapMemory {
	return &sitemapMemory{memoryStore: newMemoryStore(), spool: map[string]*spooled{}}
}

func (s *sitemapMemory) SpoolWriter(name string) (io.WriteCloser, error) {
	s.spool[name] = &spooled{}
	return s.spool[name], nil
}

func (s *sitemapMemory) OpenSpool(ctx context.Context, name string) (io.ReadCloser, error) {
	f, ok := s.spool[name]
	if !ok {
		return nil, fmt.Errorf("%s is not in the spool", name)
	}
	return sitemap.Stoppable(ctx, bytes.NewReader(f.Bytes())), nil
}

func (s *sitemapMemory) AddSitemap(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error {
	sm.N, sm.First = len(s.sitemaps), len(s.entries)
	listed := s.entries
	if entries != nil {
		for e, err := range entries {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			e.N, e.Sitemap = len(listed), sm.N
			listed = append(listed, e)
		}
	}
	s.entries, sm.Entries = listed, len(listed)-sm.First
	s.sitemaps = append(s.sitemaps, *sm)
	return nil
}

func (s *sitemapMemory) PutSitemap(sm audit.Sitemap) error {
	sm.Faults = slices.Clone(sm.Faults)
	s.sitemaps[sm.N] = sm
	return nil
}

func (s *sitemapMemory) Sitemaps() ([]audit.Sitemap, error) { return slices.Clone(s.sitemaps), nil }

// toDiscover is what an audit of a target alone discovers, and says nothing of.
func toDiscover(t discover.Target) discover.Options {
	say := func(string, ...any) {}
	return discover.Options{Targets: []discover.Target{t}, Now: time.Unix(0, 0).UTC(), Audited: &fetch.Audited{}, Say: say, Warn: say,
		Words: func(f audit.SitemapFault) string { return f.Key }}
}

const filesRead = 5_000

// A server can generate indexes that list indexes: the reading ends, reports where, and reads what
// stands beside them. The progress shows what was read.
func TestEndlessIndexes(t *testing.T) {
	const children = 20
	node := "<sitemapindex>" + strings.Repeat("<sitemap><loc>http://a.example/%x/</loc></sitemap>", children) + "</sitemapindex>"
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch {
		case strings.HasSuffix(url, "/robots.txt"):
			w.WriteHeader(404)
		case strings.HasSuffix(url, "/sitemap.xml"):
			io.WriteString(w, "<sitemapindex><sitemap><loc>http://a.example/tree/</loc></sitemap><sitemap><loc>http://a.example/list.txt</loc></sitemap></sitemapindex>")
		case strings.HasSuffix(url, "/list.txt"):
			io.WriteString(w, "http://a.example/ok\n")
		default:
			var args []any
			for i := range children {
				args = append(args, xxhash.Sum64String(url)+uint64(i))
			}
			fmt.Fprintf(w, node, args...)
		}
	})
	target, err := discover.SiteTarget("http://a.example")
	must(t, err)
	whole := newSitemapMemory()
	c := s.crawler(t, whole, "a.example")
	must(t, c.Discover(t.Context(), whole, toDiscover(target)))
	if n := len(whole.sitemaps); n != filesRead {
		t.Errorf("%d sitemaps were read, want %d", n, filesRead)
	}
	if len(whole.entries) != 1 {
		t.Errorf("%d entries", len(whole.entries))
	}
	keys := map[string]int{}
	for _, sm := range whole.sitemaps {
		for _, f := range sm.Faults {
			if keys[f.Key]++; strings.HasPrefix(f.Key, "index-") && !sm.InPart() {
				t.Errorf("%s was not followed and is not cut", sm.URL)
			}
		}
	}
	if keys["index-bound"] == 0 {
		t.Errorf("the bounds are not told: %v", keys)
	}
	if p := &c.Progress; int(p.Files.Load()) != len(whole.sitemaps) || p.Listed.Load() != 1 {
		t.Errorf("the progress says %d files, %d entries", p.Files.Load(), p.Listed.Load())
	}
}

// What an index names counts as a file of the bound where it is no URL, too: a small packed index may name millions.
func TestAnIndexOfNoURLs(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		io.WriteString(w, "<sitemapindex>"+strings.Repeat("<sitemap><loc>ftp:x</loc></sitemap>", 2*filesRead)+"</sitemapindex>")
	})
	target, err := discover.SiteTarget("http://a.example/sitemap.xml")
	must(t, err)
	whole := newSitemapMemory()
	err = s.crawler(t, whole, "a.example").Discover(t.Context(), whole, toDiscover(target))
	if err == nil || !strings.HasSuffix(err.Error(), "and 4991 more") {
		t.Errorf("%.300v", err)
	}
}

// An index can name sitemaps on hosts that are gone, each of which takes its time to give no answer: after some of
// them no further host is asked, and hosts that answer are.
func TestSilentHosts(t *testing.T) {
	const hosts = 40
	var index strings.Builder
	names := []string{"a.example", "b.example"}
	for i := range hosts {
		names = append(names, fmt.Sprintf("gone%02d.example", i))
		fmt.Fprintf(&index, "<sitemap><loc>http://gone%02d.example/list.txt</loc></sitemap>", i)
		if i == 2 {
			index.WriteString("<sitemap><loc>http://b.example/1.txt</loc></sitemap>")
		}
	}
	index.WriteString("<sitemap><loc>http://b.example/2.txt</loc></sitemap><sitemap><loc>http://a.example/list.txt</loc></sitemap>")
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch {
		case strings.HasPrefix(url, "http://gone"):
			panic(http.ErrAbortHandler)
		case strings.HasSuffix(url, "/sitemap.xml"):
			io.WriteString(w, "<sitemapindex>"+index.String()+"</sitemapindex>")
		case strings.HasSuffix(url, ".txt") && !strings.HasSuffix(url, "/robots.txt"):
			io.WriteString(w, "http://a.example/ok\n")
		default:
			w.WriteHeader(404)
		}
	})
	target, err := discover.SiteTarget("http://a.example")
	must(t, err)
	whole := newSitemapMemory()
	must(t, s.crawler(t, whole, names...).Discover(t.Context(), whole, toDiscover(target)))
	silent, skipped, read := 0, 0, 0
	for _, sm := range whole.sitemaps {
		switch fault, _ := sm.Error(); {
		case sm.Entries > 0:
			read++
		case fault.Key == "silent-hosts" && sm.Requests == 0:
			skipped++
		case sm.Status == 0:
			silent++
		}
	}
	if silent != 10 || skipped != hosts-silent || read != 3 {
		t.Errorf("%d hosts gave no answer, %d were not asked, %d sitemaps were read; want 10, %d and 3", silent, skipped, read, hosts-10)
	}
}
