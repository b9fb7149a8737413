package storage_test

import (
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/storage"
	"sitemend/storage/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) storetest.Store {
		s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		a, err := s.Begin(audit.Info{Tool: "sitemend test"}, "shape")
		if err != nil {
			t.Fatal(err)
		}
		return a
	})
}
