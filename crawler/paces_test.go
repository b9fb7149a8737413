package crawler

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// sharing returns a Crawler for a server in memory that shares its Paces.
func sharing(t *testing.T, p *Paces, rate float64, store Store, answer func(path string) string) *Crawler {
	return inMemory(t, store, answer, func(o *Options) { o.Rate, o.Paces, o.Backoff = rate, p, []time.Duration{} })
}

// Two audits of one host together send requests no faster than one of them may; one that has ended
// slows down nobody.
func TestTwoAuditsShareAPace(t *testing.T) {
	for _, shared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var p *Paces
			if shared {
				p = new(Paces)
			}
			start := time.Now()
			first := sharing(t, p, 1, newMemoryStore("http://a.example/first"), answers200)
			must(t, first.Run(t.Context()))
			first.Close()
			var all sync.WaitGroup
			for i, rate := range []float64{10, 20} {
				c := sharing(t, p, rate, newMemoryStore(numbered(fmt.Sprintf("http://a.example/%d/", i), 100)...), answers200)
				all.Go(func() {
					defer c.Close()
					if err := c.Run(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if took := time.Since(start); (took > 19*time.Second) != shared || took > time.Minute {
				t.Errorf("shared %v: 200 addresses in %v", shared, took)
			}
		})
	}
}

// A host that one audit abandoned is abandoned by another that is under way or begins soon, and
// both report it; much later it starts anew.
func TestTwoAuditsLeaveAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		refuses := func(path string) string {
			if path == "/robots.txt" {
				return respond(404)
			}
			asked.Add(1)
			return respond(403)
		}
		p := new(Paces)
		run := func() {
			c := sharing(t, p, 0, newMemoryStore(numbered("http://a.example/", 100)...), refuses)
			defer c.Close()
			must(t, c.Run(t.Context()))
			if noted(c).Abandoned["a.example"] != 403 {
				t.Errorf("left: %v", noted(c).Abandoned)
			}
		}
		run()
		before := asked.Load()
		if run(); asked.Load() != before || before < leaveAfter {
			t.Errorf("%d requests, then %d more", before, asked.Load()-before)
		}
		time.Sleep(time.Hour)
		if run(); asked.Load() == before {
			t.Error("it is never asked again")
		}
	})
}
