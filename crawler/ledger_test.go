package crawler

import (
	"encoding/json"
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

// Each record of notes is read once, whatever it contains, and later notes are added after the
// last.
func TestEachRecordIsReadOnce(t *testing.T) {
	for _, n := range []int{0, 1, 10, 63, 64, 65, 128, 130} {
		store := newMemoryStore()
		c := New(store, Options{})
		for i := range n {
			c.note(Note{noteLeft, fmt.Sprintf("h%d.example", i), 403})
		}
		records := maps.Clone(store.records)
		again := New(store, Options{})
		if again.err != nil || again.ledger.full != c.ledger.full || len(again.ledger.last) != len(c.ledger.last) {
			t.Errorf("%d notes: record %d with %d is the last, want %d with %d", n, again.ledger.full, len(again.ledger.last), c.ledger.full, len(c.ledger.last))
		}
		again.note(Note{Kind: noteRobots, Of: "http://later.example"})
		if third := noted(New(store, Options{})); len(third.Abandoned) != n || len(third.RobotsBad) != 1 || len(store.records) > len(records)+1 {
			t.Errorf("%d notes and one more: %d and %d", n, len(third.Abandoned), len(third.RobotsBad))
		}
	}
}

// A record without notes, which only damage can make, ends nothing; one that cannot be read ends all:
// no request is sent.
func TestADamagedLedger(t *testing.T) {
	for _, text := range []string{"null", "[]"} {
		store := newMemoryStore()
		store.records[ledgerKey+"/0"] = []byte(text)
		full := make([]Note, recordNotes)
		for i := range full {
			full[i] = Note{Kind: noteLeft, Of: fmt.Sprintf("h%d.example", i)}
		}
		store.records[ledgerKey+"/1"], _ = json.Marshal(full)
		c := New(store, Options{})
		c.note(Note{Kind: noteRobots, Of: "http://a.example"})
		again := New(store, Options{})
		if got := noted(again); again.err != nil || len(got.Abandoned) != recordNotes || len(got.RobotsBad) != 1 {
			t.Errorf("%s: %v, %v, %v", text, again.err, got.Abandoned, got.RobotsBad)
		}
	}
	s := serveSite(t, func(http.ResponseWriter, string) {})
	for _, key := range []string{ledgerKey, ledgerKey + "/0"} {
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
	if n := len(c.ledger.last) + c.ledger.full*recordNotes; n > 250 {
		t.Errorf("%d notes", n)
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
