package crawler

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// A wait counts only with a final answer, not where a later attempt succeeds. A rate that was refused
// counts with each attempt.
func TestAWaitThatWasKeptIsNone(t *testing.T) {
	for _, tries := range []int{1, 99} { // that are answered 429
		synctest.Test(t, func(t *testing.T) {
			left := tries
			id, _ := fetch.LookupIdentity("googlebot")
			c := New(newMemoryStore("http://a.example/1"), Options{Rate: 10, GivenRate: true, Parallel: 1, Backoff: []time.Duration{time.Second, time.Second},
				Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "ignore"},
				Ask: fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true), Parallel: 1, Dial: pipes(t, func(string) string {
					if left--; left >= 0 {
						return "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n"
					}
					return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
				})}})
			must(t, c.Run(t.Context()))
			c.Close()
			slowest := map[int]float64{1: 10, 99: 2.5}[tries] // halved after each 429
			if got, again := c.Refused(), New(c.store, c.o).Refused(); got["a.example"] != slowest || !maps.Equal(again, got) {
				t.Errorf("%d tries answered 429: refused %v, after a kill %v", tries, got, again)
			}
			if got, stands := c.Waits(), tries > 3; stands != (got["a.example"] == 30*time.Second) {
				t.Errorf("%d tries answered 429: waits %v", tries, got)
			}
		})
	}
}

// However often a host asks for a wait, few notes are stored; there are none for a redirect, a 404
// and a 200.
func TestWaitsDoNotFillTheStore(t *testing.T) {
	store := newMemoryStore()
	c := New(store, Options{})
	busy := &audit.Hop{Status: 503}
	for i := range 100_000 {
		c.asksToWait("a.example", busy, time.Duration(i)*time.Second)
		c.refusedAt("a.example", 500-float64(i)/201)
	}
	for _, status := range []int{200, 301, 404} {
		c.asksToWait("b.example", &audit.Hop{Status: status}, time.Hour)
	}
	if n := len(c.state.notes) + c.state.full*stateNotes; n > 250 {
		t.Errorf("%d notes", n)
	}
	if got := c.Waits(); len(got) != 1 || got["a.example"] < 90_000*time.Second {
		t.Errorf("waits %v", got)
	}
}

// A wait and a refused rate that another Crawler recorded are recorded here, and passed on.
func TestWaitsAreTakenOver(t *testing.T) {
	var said []string
	c := New(newMemoryStore(), Options{Noted: func(n Note) {
		if n.WaitOf != "" {
			said = append(said, fmt.Sprint(n.WaitOf, " ", n.Wait))
		}
	}})
	for _, wait := range []time.Duration{time.Minute, time.Hour, time.Minute} {
		c.takeNote(Note{WaitOf: "a.example", Wait: wait})
	}
	for _, rate := range []float64{2, 0.5, 1, 0} {
		c.takeNote(Note{RefusedBy: "a.example", Rate: rate})
	}
	if got := c.Refused(); !maps.Equal(got, map[string]float64{"a.example": 0.5}) {
		t.Errorf("refused %v", got)
	}
	if got := c.Waits(); !maps.Equal(got, map[string]time.Duration{"a.example": time.Hour}) || !slices.Equal(said, []string{"a.example 1m0s", "a.example 1h0m0s"}) {
		t.Errorf("waits %v, handed on %q", got, said)
	}
}
