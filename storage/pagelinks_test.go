package storage_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// linksKept returns the links of an audit, as "URL LINKS".
func linksKept(t *testing.T, a *storage.Audit) (out []string) {
	t.Helper()
	for p, err := range a.PageLinks(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %d %.20s", p.Request.URL, p.Request.Purpose, p.Links))
	}
	return out
}

// The links of pages are kept beside their answers, and are no part of these.
func TestPageLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, err := storage.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Begin(audit.Info{Started: time.Now()}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := linksKept(t, a); got != nil {
		t.Errorf("an audit without links has %q", got)
	}
	var want []string
	for n := range 300 {
		r := audit.Request{URL: fmt.Sprintf("https://a.example/%d", n), Purpose: audit.WithoutSecrets * audit.Purpose(n%2)}
		hop := audit.Hop{Request: r, Status: 200, Tries: 1, At: time.Now().UTC(), Links: strings.Repeat(fmt.Sprintf("/%d ", n), 10_000)}
		if n%3 == 0 {
			hop.Links = ""
		} else {
			want = append(want, fmt.Sprintf("%s %d %.20s", r.URL, r.Purpose, hop.Links))
		}
		if err := a.Keep(hop); err != nil {
			t.Fatal(err)
		}
		if got, ok := a.Hop(r); !ok || got.Links != "" {
			t.Fatalf("the answer of %s has links %.20q", r.URL, got.Links)
		}
	}
	if got := linksKept(t, a); !slices.Equal(got, want) {
		t.Errorf("%d pages with links, want %d", len(got), len(want))
	}
	id := a.ID()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = storage.OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if a, err = s.Audit(id); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := linksKept(t, a); !slices.Equal(got, want) {
		t.Errorf("opened again: %d pages with links, want %d", len(got), len(want))
	}
}
