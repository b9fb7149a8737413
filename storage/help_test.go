package storage

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"testing"
	"time"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

var start = time.Date(2026, 11, 21, 10, 15, 2, 0, time.UTC)

// A tester is a *testing.T, a *testing.B or a *rapid.T.
type tester interface {
	Helper()
	Fatal(...any)
}

func mustDo(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustOpen opens the store at path, until the test ends where t can do that.
func mustOpen(t tester, path string) *Store {
	t.Helper()
	s, err := Open(path)
	mustDo(t, err)
	if t, ok := t.(testing.TB); ok {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s
}

// mustBegin opens the store at path and begins an audit in it.
func mustBegin(t tester, path string) (*Store, *Audit) {
	t.Helper()
	s := mustOpen(t, path)
	a, err := s.Begin(audit.Info{Started: start, Tool: "sitemend test", Targets: []string{"shop.example"}}, "shape")
	mustDo(t, err)
	return s, a
}

func mustAudit(t tester, s *Store, id string) *Audit {
	t.Helper()
	a, err := s.Audit(id)
	mustDo(t, err)
	return a
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v\nwant\n%+v", what, got, want)
	}
}

// added adds a sitemap and returns it.
func added(a *Audit, ctx context.Context, sm audit.Sitemap, entries iter.Seq2[audit.Entry, error]) (audit.Sitemap, error) {
	err := a.AddSitemap(ctx, &sm, entries)
	return sm, err
}

// wire returns an address of 50 bytes.
func wire(i int) string { return fmt.Sprintf("https://www.shop.example/items/%08d/tea-7.html", i) }

// usualHop returns a typical answer: every 3.5th address redirects, the others are pages with a
// title.
func usualHop(i int) answers.Hop {
	h := answers.Hop{Request: answers.Request{URL: wire(i)}, Status: 200, MS: 12 + i%90, Tries: 1, At: start.Add(time.Duration(i) * time.Millisecond)}
	if i%7 < 2 {
		h.Status, h.Location = 301, wire(i+1)
		return h
	}
	h.Page = answers.Page{ContentType: "text/html; charset=utf-8", Title: fmt.Sprintf("Tea pot %d | The shop", i), Canonical: h.URL, Robots: "index, follow"}
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
