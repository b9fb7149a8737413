package crawler

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/ground"
)

// A note that cannot be read ends all: no request is sent.
func TestADamagedLedger(t *testing.T) {
	s := serveSite(t, func(http.ResponseWriter, string) {})
	for _, key := range []string{ledgerKey, noteKey(0)} {
		store := newMemoryStore("http://a.example/1")
		store.records[key] = []byte("{")
		if err := s.crawler(t, store, "a.example").Run(t.Context()); !errors.Is(err, ground.ErrDamaged) || !strings.Contains(err.Error(), key) {
			t.Errorf("Run: %v", err)
		}
	}
	if s.all != 0 {
		t.Errorf("%d requests", s.all)
	}
}
