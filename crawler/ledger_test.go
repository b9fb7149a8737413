package crawler

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// A note that cannot be read ends all: no request is sent.
func TestADamagedLedger(t *testing.T) {
	s := serveSite(t, func(http.ResponseWriter, string) {})
	for _, key := range []string{ledgerKey, noteKey(0)} {
		store := newMemoryStore("http://a.example/1")
		store.records[key] = []byte("{")
		if err := s.crawler(t, store, "a.example").Run(t.Context()); !errors.Is(err, audit.ErrDamaged) || !strings.Contains(err.Error(), key) {
			t.Errorf("Run: %v", err)
		}
	}
	if s.all != 0 {
		t.Errorf("%d requests", s.all)
	}
}

// What another Crawler noted is noted here, and passed on where it is news.
func TestNotesAreTakenOver(t *testing.T) {
	var said []Note
	c := New(newMemoryStore(), Options{Noted: func(n Note) { said = append(said, n) }})
	for _, wait := range []time.Duration{time.Minute, time.Hour, time.Minute} {
		c.takeNote(Note{noteWait, "a.example", wait.Seconds()})
	}
	got, want := noted(c), []Note{{noteWait, "a.example", 60}, {noteWait, "a.example", 3600}}
	if !maps.Equal(got.Waits, map[string]time.Duration{"a.example": time.Hour}) || !slices.Equal(said, want) {
		t.Errorf("waits %v, passed on %v", got.Waits, said)
	}
}
