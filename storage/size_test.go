package storage

import (
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"

	"go.etcd.io/bbolt"
)

// An entry with its 1.4 hops takes at most 300 bytes if addresses have 50.
func TestBytesAnEntry(t *testing.T) {
	const n, limit = 50_000, 300
	if got := len(wire(0)); got != 50 {
		t.Fatalf("an address has %d bytes", got)
	}
	s, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	err := a.AddSitemap(t.Context(), &audit.Sitemap{}, listed(n))
	mustDo(t, err)
	for i := range n * 7 / 5 {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, a.Flush())
	var used int64 // up to the last page in use: bbolt extends the file itself 16 MB at a time
	mustDo(t, s.view(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }))
	perEntry := float64(used) / n
	t.Logf("%.1f bytes an entry", perEntry)
	if perEntry > limit {
		t.Fatalf("got %.1f bytes an entry, want at most %d", perEntry, limit)
	}
}
