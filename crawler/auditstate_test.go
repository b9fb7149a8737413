package crawler

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Each record of notes is read once, whatever it contains, and later notes are added after the
// last.
func TestRestoreReadsEachRecordOnce(t *testing.T) {
	for _, n := range []int{0, 1, 10, 63, 64, 65, 128, 130} {
		store := newMemoryStore()
		c := New(store, Options{})
		for i := range n {
			c.noteMore(Note{Left: fmt.Sprintf("h%d.example", i), Status: 403})
		}
		records := maps.Clone(store.records)
		again := New(store, Options{})
		if again.err != nil || again.state.full != c.state.full || len(again.state.notes) != len(c.state.notes) || !maps.Equal(again.Abandoned(), c.Abandoned()) {
			t.Errorf("%d notes: record %d with %d is the last, want %d with %d", n, again.state.full, len(again.state.notes), c.state.full, len(c.state.notes))
		}
		again.noteMore(Note{RobotsBad: "http://later.example"})
		third := New(store, Options{})
		if len(third.Abandoned()) != n || len(third.RobotsUnreachable()) != 1 || len(store.records) > len(records)+1 {
			t.Errorf("%d notes and one more: %d and %d", n, len(third.Abandoned()), len(third.RobotsUnreachable()))
		}
	}
}

// A record without notes, which only damage can make, ends nothing.
func TestRestoreOfNothing(t *testing.T) {
	for _, text := range []string{"null", "[]"} {
		store := newMemoryStore()
		store.records[stateKey+"/0"] = []byte(text)
		full := make([]Note, stateNotes)
		for i := range full {
			full[i].Left = fmt.Sprintf("h%d.example", i)
		}
		store.records[stateKey+"/1"], _ = json.Marshal(full)
		store.records[stateKey+"/2"] = []byte(text)
		c := New(store, Options{})
		c.robotsBad("http://a.example", false)
		again := New(store, Options{})
		if again.err != nil || len(again.Abandoned()) != stateNotes || len(again.RobotsUnreachable()) != 1 || string(store.records[stateKey+"/2"]) == text {
			t.Errorf("%s: %v, %v, %v", text, again.err, again.Abandoned(), again.RobotsUnreachable())
		}
	}
	store := newMemoryStore()
	store.records[stateKey+"/0"] = []byte("nonsense")
	if c := New(store, Options{}); !errors.Is(c.err, audit.ErrDamaged) {
		t.Errorf("%v", c.err)
	}
}

// An audit whose state cannot be read sends no requests, and returns an error.
func TestADamagedState(t *testing.T) {
	s := serveSite(t, func(http.ResponseWriter, string) {})
	store := newMemoryStore("http://a.example/1")
	store.records[stateKey] = []byte("{")
	c := s.crawler(t, store, "a.example")
	if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), stateKey) {
		t.Errorf("Run: %v", err)
	}
	if s.all != 0 {
		t.Errorf("%d requests", s.all)
	}
}

// The server that answers for a host is recorded when it is first seen, for a thousand hosts at
// most, and passed to another Crawler.
func TestServersAreKept(t *testing.T) {
	store := newMemoryStore()
	var noted []Note
	c := New(store, Options{Noted: func(n Note) { noted = append(noted, n) }})
	answered := func(url, server string) {
		c.servedBy(&audit.Request{URL: url}, &fetch.Answer{Server: server})
	}
	answered("https://a.example/x", "nginx")
	answered("https://a.example/y", "Cloudflare")
	answered("https://b.example:8443/", "")
	answered("http://b.example:8080/", "Apache")
	want := map[string]string{"a.example": "nginx", "b.example:8080": "Apache"}
	again, other := New(store, Options{}), New(newMemoryStore(), Options{})
	for _, n := range noted {
		other.takeNote(n)
	}
	for what, got := range map[string]map[string]string{"the first": c.Servers(), "one that goes on": again.Servers(), "one that was told": other.Servers()} {
		if !maps.Equal(got, want) {
			t.Errorf("%s knows %v, want %v", what, got, want)
		}
	}
	for i := range 2 * mostServers {
		answered(fmt.Sprintf("https://h%d.example/", i), "nginx")
	}
	if n := len(c.Servers()); n != mostServers {
		t.Errorf("servers of %d hosts are kept, want %d", n, mostServers)
	}
}
