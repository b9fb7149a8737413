package crawler

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// A bucket is the limit of a server: burst tokens, and rate more each second.
type bucket struct {
	mu          sync.Mutex
	rate, burst float64
	tokens      float64
	at          time.Time
	all, no     int // requests, and those refused
}

func newBucket(rate, burst float64) *bucket {
	return &bucket{rate: rate, burst: burst, tokens: burst, at: time.Now()}
}

// take reports whether a request is accepted.
func (b *bucket) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tokens = min(b.burst, b.tokens+now.Sub(b.at).Seconds()*b.rate)
	b.at = now
	if b.all++; b.tokens < 1 {
		b.no++
		return false
	}
	b.tokens--
	return true
}

// pipes serves each connection of a client in memory, in synctest's time.
func pipes(t *testing.T, answer func(path string) string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			for in := bufio.NewReader(there); ; {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				if _, err := io.WriteString(there, answer(r.URL.Path)); err != nil {
					return
				}
			}
		}()
		t.Cleanup(func() { there.Close() })
		return here, nil
	}
}

// The whole crawler with such a server: each address gets its answer, and the host is not abandoned
// while it accepts a slower pace.
func TestAHostThatLimitsIsNotLeft(t *testing.T) {
	for _, rate := range []float64{40, 0} {
		for _, parallel := range []int{4, 0} {
			t.Run(fmt.Sprint(rate, parallel), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBucket(10, 10)
					var locs []string
					for i := range 300 {
						locs = append(locs, fmt.Sprintf("http://a.example/%d", i))
					}
					store := newMemoryStore(locs...)
					id, _ := fetch.LookupIdentity("googlebot")
					c := New(store, Options{Rate: rate, GivenRate: true, Parallel: parallel,
						Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "ignore"},
						Ask: fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true), Dial: pipes(t, func(string) string {
							time.Sleep(20 * time.Millisecond)
							if b.take() {
								return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
							}
							return "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"
						})}})
					start := time.Now()
					must(t, c.Run(t.Context()))
					c.Close()
					if len(noted(c).Abandoned) > 0 {
						t.Errorf("left: %v", noted(c).Abandoned)
					}
					for _, e := range store.entries {
						if h := store.hops[audit.Request{URL: e.Loc}]; h.Status != http.StatusOK {
							t.Fatalf("%s: %+v; %d of %d refused", e.Loc, h, b.no, b.all)
						}
					}
					atOnce := parallel
					if parallel == 0 {
						atOnce = noCeiling
					}
					if took := time.Since(start); took > time.Minute || b.no > 40+atOnce {
						t.Errorf("%v, %d of %d refused", took, b.no, b.all)
					}
				})
			})
		}
	}
}

// A host that answers 429 or 503 at any pace is abandoned in the end, and entries that were not
// requested are unverified.
func TestAHostThatRefusesAtAnyPaceIsLeft(t *testing.T) {
	for _, status := range []int{429, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) { refusesAtAnyPace(t, status) })
	}
}

func refusesAtAnyPace(t *testing.T, status int) {
	synctest.Test(t, func(t *testing.T) {
		var locs []string
		for i := range 300 {
			locs = append(locs, fmt.Sprintf("http://a.example/%d", i))
		}
		store := newMemoryStore(locs...)
		id, _ := fetch.LookupIdentity("googlebot")
		c := New(store, Options{Rate: 10, GivenRate: true, Parallel: 4, Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "ignore"},
			Ask: fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true),
				Dial: pipes(t, func(string) string { return fmt.Sprintf("HTTP/1.1 %d Not Now\r\nContent-Length: 0\r\n\r\n", status) })}})
		start := time.Now()
		must(t, c.Run(t.Context()))
		c.Close()
		if noted(c).Abandoned["a.example"] != status || time.Since(start) > 5*time.Minute {
			t.Errorf("left: %v after %v", noted(c).Abandoned, time.Since(start))
		}
		if n := c.Progress.Requests.Load(); n < leaveAfter || n > 100 {
			t.Errorf("%d requests", n)
		}
		for _, e := range store.entries {
			if row := audit.Judge(store, e, &c.o.Rules, audit.Want{}); row.Verdict != audit.Unverified {
				t.Errorf("%s: %s", e.Loc, row.Verdict)
			}
		}
	})
}
