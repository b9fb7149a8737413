package crawler

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// Each note is read once, and later ones are added after the last.
func TestEachNoteIsReadOnce(t *testing.T) {
	store := newMemoryStore()
	for n := range 100 {
		c := New(store, Options{})
		if got := len(noted(c).Abandoned); got != n || c.err != nil {
			t.Fatalf("%d notes, %d are known: %v", n, got, c.err)
		}
		c.note(Note{noteLeft, fmt.Sprintf("h%d.example", n), 403})
	}
	if len(store.records) != 100 {
		t.Errorf("%d records", len(store.records))
	}
}

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

// However often a host asks for a wait, few notes are stored; there are none for a redirect, a 404
// and a 200.
func TestWaitsDoNotFillTheStore(t *testing.T) {
	store := newMemoryStore()
	c := New(store, Options{})
	for i := range 100_000 {
		c.asksToWait("a.example", &audit.Hop{Status: 503}, time.Duration(i)*time.Second)
	}
	for _, status := range []int{200, 301, 404} {
		c.asksToWait("b.example", &audit.Hop{Status: status}, time.Hour)
	}
	if c.ledger.n > 250 {
		t.Errorf("%d notes", c.ledger.n)
	}
	if got := noted(c).Waits; len(got) != 1 || got["a.example"] < 90_000*time.Second {
		t.Errorf("waits %v", got)
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
