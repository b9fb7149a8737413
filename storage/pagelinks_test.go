package storage

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/answers"
)

// linksKept returns the links of an audit, as "URL LINKS".
func linksKept(t *testing.T, a *Audit) (out []string) {
	t.Helper()
	for p, err := range a.PageLinks(t.Context()) {
		mustDo(t, err)
		out = append(out, fmt.Sprintf("%s %d %.20s", p.Request.URL, p.Request.Purpose, p.Links))
	}
	return out
}

// The links of pages are kept beside their answers, and are no part of these.
func TestPageLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	var want []string
	for n := range 300 {
		h := usualHop(n)
		if h.Purpose = answers.WithoutSecrets * answers.Purpose(n%2); n%3 > 0 {
			h.Links = strings.Repeat(fmt.Sprintf("/%d ", n), 10_000)
			want = append(want, fmt.Sprintf("%s %d %.20s", h.URL, h.Purpose, h.Links))
		}
		mustDo(t, a.Keep(h))
		if got, ok := a.Hop(h.Request); !ok || got.Links != "" {
			t.Fatalf("the answer of %s has links %.20q", h.URL, got.Links)
		}
	}
	for range 2 {
		if got := linksKept(t, a); !slices.Equal(got, want) {
			t.Errorf("%d pages with links, want %d", len(got), len(want))
		}
		mustDo(t, errors.Join(a.Close(), s.Close()))
		s = mustOpen(t, path)
		a = mustAudit(t, s, Latest)
	}
}
