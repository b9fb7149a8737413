package crawler

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

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

// answers200 is a server to which all is well.
func answers200(string) string { return respond(http.StatusOK) }

// respond is an answer without a body.
func respond(status int) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length: 0\r\n\r\n", status, http.StatusText(status))
}

// inMemory returns a Crawler of a server in memory, which set may change; robots.txt is requested.
func inMemory(t *testing.T, store Store, answer func(path string) string, set func(*Options)) *Crawler {
	id, err := fetch.LookupIdentity("googlebot")
	must(t, err)
	o := Options{Rate: 10, GivenRate: true, Parallel: 4, Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey"},
		Ask: fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true), Timeout: 10 * time.Second, Dial: pipes(t, answer)}}
	set(&o)
	return New(store, o)
}

// A server that limits its requests is not abandoned while it accepts a slower pace, and hardly any address
// is refused as often as it is tried.
func TestAHostThatLimitsIsNotLeft(t *testing.T) {
	for _, ceiling := range []float64{40, 0} {
		for _, parallel := range []int{4, 0} {
			t.Run(fmt.Sprint(ceiling, parallel), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					limit, refused := rate.NewLimiter(10, 10), new(atomic.Int64)
					store, start := newMemoryStore(numbered("http://a.example/", 300)...), time.Now()
					c := inMemory(t, store, func(string) string {
						time.Sleep(20 * time.Millisecond)
						if limit.Allow() {
							return respond(http.StatusOK)
						}
						refused.Add(1)
						return respond(http.StatusTooManyRequests)
					}, func(o *Options) { o.Rate, o.Parallel, o.Rules.Robots = ceiling, parallel, "ignore" })
					must(t, c.Run(t.Context()))
					c.Close()
					if len(noted(c).Abandoned) > 0 {
						t.Errorf("left: %v", noted(c).Abandoned)
					}
					never := slices.DeleteFunc(store.entries, func(e audit.Entry) bool {
						return store.hops[answers.Request{URL: e.Loc}].Status == http.StatusOK
					})
					if took := time.Since(start); took > time.Minute || len(never) > 3 || refused.Load() > int64(40+cmp.Or(parallel, noCeiling)) {
						t.Errorf("%v, %d refused, %d three times", took, refused.Load(), len(never))
					}
				})
			})
		}
	}
}

// A host that now and then refuses an address, at any rate, is audited at about the rate that was given; one that
// refuses as often as with one broken server of eight not much slower.
func TestAFewRefusalsSlowDownLittle(t *testing.T) {
	type host struct{ every, ceiling int64 }
	for h, most := range map[host]time.Duration{{13, 0}: 40 * time.Second, {13, 10}: 40 * time.Second, {8, 0}: 2 * time.Minute, {8, 10}: 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			var n atomic.Int64
			store, start := newMemoryStore(numbered("http://a.example/", 144)...), time.Now()
			c := inMemory(t, store, func(string) string {
				time.Sleep(20 * time.Millisecond)
				if n.Add(1)%h.every == 5 {
					return "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
				}
				return respond(http.StatusOK)
			}, func(o *Options) { o.Rate, o.Rules.Robots = float64(h.ceiling), "ignore" })
			must(t, c.Run(t.Context()))
			c.Close()
			if took := time.Since(start); took > most || c.Progress.Requests.Load() > 144*h.every/(h.every-1)+1 {
				t.Errorf("%+v: %d requests in %v", h, c.Progress.Requests.Load(), took)
			}
		})
	}
}

// A host that answered, and refuses all connections for a while, as one that is restarted does, is not left: each
// address gets its answer.
func TestARestartIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, start := newMemoryStore(numbered("http://a.example/", 200)...), time.Now()
		c := inMemory(t, store, nil, func(o *Options) {
			o.Rules.Robots = "ignore"
			up := pipes(t, func(string) string { return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" })
			o.Ask.Dial = func(ctx context.Context, network, at string) (net.Conn, error) {
				if down := time.Since(start) - 5*time.Second; 0 < down && down < 8*time.Second {
					return nil, syscall.ECONNREFUSED
				}
				return up(ctx, network, at)
			}
		})
		must(t, c.Run(t.Context()))
		c.Close()
		if slices.ContainsFunc(store.entries, func(e audit.Entry) bool { return store.hops[answers.Request{URL: e.Loc}].Status != http.StatusOK }) {
			t.Errorf("left: %v", noted(c).Abandoned)
		}
	})
}

// A host that answers 429 or 503 at any pace, or nothing (0), is abandoned in the end, and entries that were
// not requested are unverified.
func TestAHostThatRefusesAtAnyPaceIsLeft(t *testing.T) {
	for _, status := range []int{429, 503, 0} {
		synctest.Test(t, func(t *testing.T) {
			store := newMemoryStore(numbered("http://a.example/", 300)...)
			c := inMemory(t, store, func(string) string { return map[int]string{429: respond(429), 503: respond(503)}[status] }, func(o *Options) { o.Rules.Robots = "ignore" })
			start := time.Now()
			must(t, c.Run(t.Context()))
			c.Close()
			if n, left := c.Progress.Requests.Load(), noted(c).Abandoned; len(left) != 1 || left["a.example"] != status || time.Since(start) > 5*time.Minute || n < leaveAfter || n > 40 {
				t.Errorf("%d: left: %v after %v and %d requests", status, left, time.Since(start), n)
			}
			for _, e := range store.entries {
				if row := new(audit.Row).Judge(audit.NewAnswerCache(store, 1, true), e, &c.o.Rules, audit.Want{}); row.Verdict != audit.Unverified {
					t.Errorf("%s: %s", e.Loc, row.Verdict)
				}
			}
		})
	}
}
