package storage

import (
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"

	"go.etcd.io/bbolt"
)

// An entry with its 1.4 hops takes at most 250 bytes, where addresses have 50.
func TestBytesAnEntry(t *testing.T) {
	const n = 50_000
	s, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	err := a.AddSitemap(t.Context(), &audit.Sitemap{}, listed(n))
	mustDo(t, err)
	for i := range n * 7 / 5 {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, a.Flush())
	var used int64 // up to the last page in use: bbolt extends the file itself 16 MB at a time
	mustDo(t, s.view(func(tx *bbolt.Tx) error { used = tx.Size(); return nil }))
	if used > 250*n {
		t.Fatalf("%d bytes", used)
	}
}
