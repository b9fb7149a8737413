package storage

import (
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"
)

// mustKeep returns the path of a closed store of n answers.
func mustKeep(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	var sm audit.Sitemap
	fill(t, &sm, 7)
	err := a.AddSitemap(t.Context(), &sm, listed(n))
	mustDo(t, err)
	for i := range n {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, s.Close())
	return path
}

// letGo releases the file at once.
func letGo(t *testing.T, s *Store) {
	t.Helper()
	s.use.Lock()
	defer s.use.Unlock()
	mustDo(t, s.release())
}

func compareShared(t *testing.T, a *Audit, n int) {
	t.Helper()
	if got := len(entries(t, a, 0, n+1)); got != n {
		t.Errorf("%d entries, want %d", got, n)
	}
	for i := range n {
		if h, ok := a.Hop(audit.Request{URL: wire(i)}); !ok || h.URL != wire(i) {
			t.Fatalf("answer %d is %v, %v", i, h, ok)
		}
	}
	mustDo(t, a.Flush())
}
