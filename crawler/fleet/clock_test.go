package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/fleet"
)

// clock is a wall clock that jumps.
type clock struct{ off atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Round(0).Add(time.Duration(c.off.Load())) }

// Whenever and wherever a wall clock jumps, no address is lost or counted twice, and no host gets
// requests from two workers at once. A jump backwards changes nothing; one forwards may have been a
// pause of the whole machine, so the worker gives up all hosts.
func TestClocksJump(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by     time.Duration
		worker bool
		again  int
	}{
		"a worker's, an hour ahead":  {time.Hour, true, oneBatch},
		"a worker's, an hour back":   {-time.Hour, true, 0},
		"the audit's, an hour ahead": {time.Hour, false, 0},
		"the audit's, an hour back":  {-time.Hour, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := servers(t, 1)
			var jumping, right clock
			locs, answer := manyHosts(1000)
			s := newWeb(t, 5*time.Millisecond, answer)
			timing := fleet.Timing{Alive: 4 * time.Second, Margin: time.Second, Linger: quick.Linger}
			workers, audits := &right, &jumping
			if c.worker {
				workers, audits = audits, workers
			}
			workWith(t, url, "w1", timing, workers)
			workWith(t, url, "w2", timing, &right)
			s.when = func(n int, _, _ string) {
				if n == len(locs)/3 {
					jumping.off.Store(int64(c.by))
				}
			}
			f := connect(t, url, fleet.Options{Timing: timing})
			f.SetWall(audits.now)
			store := newMemory(locs...)
			crawl(t, f, "clock", how{Addr: s.Listener.Addr().String(), Rate: 200, Parallel: 2}, store)
			if len(store.hops) != len(locs) || store.twice > 0 {
				t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
			}
			s.judge(t, c.again)
		})
	}
}

// workWith starts a worker in this process, with a Timing and a clock.
func workWith(t *testing.T, url, name string, timing fleet.Timing, c *clock) {
	t.Helper()
	f := connect(t, url, fleet.Options{Name: name, Timing: timing})
	f.SetWall(c.now)
	working(t, f, name)
}

// A process whose session was not renewed for so long that another process has taken over its audit
// does not take it back.
func TestAnAuditThatWasTakenOver(t *testing.T) {
	t.Parallel()
	url, all := servers(t, 1)
	p := newProxy(t, all[0].Addr().String())
	h := how{Addr: "127.0.0.1:1"}
	first, _ := begin(t, connect(t, "nats://"+p.Addr().String(), fleet.Options{}), "taken", h, newMemory())
	p.drop(both)
	b, err := json.Marshal(h)
	must(t, err)
	var second *fleet.Run
	second, err = connect(t, url, fleet.Options{}).Begin(t.Context(), "taken", b, newMemory(), func(crawler.Home) error { return nil })
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var collecting sync.WaitGroup
	collecting.Go(func() { _ = second.Collect(ctx, func(crawler.Home) error { return nil }) }) // or it looks dead, too, on a busy machine
	p.drop(nothing)
	hinted(t, first.Collect(t.Context(), func(crawler.Home) error { return fmt.Errorf("something comes home") }), "another process has taken over")
	must(t, first.Stop(t.Context()))
	for patient := time.Now().Add(20 * time.Second); ; {
		all, err := known(t, url)
		if err == nil && len(all) == 1 && all[0].State == fleet.Running {
			break
		}
		if time.Now().After(patient) {
			t.Fatalf("known is %v %v", all, err)
		}
	}
	cancel()
	collecting.Wait()
	must(t, second.End(t.Context()))
}
