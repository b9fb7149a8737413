//go:build unix

package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/fetch"
)

// dialsFailing returns a dialler that fails with the result of fails for the number of the call,
// from 1, and connects to a server in memory where that is nil.
func dialsFailing(t *testing.T, fails func(n int64) error) fetch.DialFunc {
	var n atomic.Int64
	answer := pipes(t, func(path string) string {
		if path == "/robots.txt" {
			return respond(404)
		}
		return respond(200)
	})
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := fails(n.Add(1)); err != nil {
			at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("198.51.100.7:80"))
			return nil, &net.OpError{Op: "dial", Net: network, Addr: at, Err: os.NewSyscallError("connect", err)}
		}
		return answer(ctx, network, address)
	}
}

// crawlFailing returns a Crawler with a dialler, on a machine with or without a route.
func crawlFailing(t *testing.T, store Store, dial fetch.DialFunc, route bool) *Crawler {
	var begun atomic.Bool // there is a route at first
	return inMemory(t, store, nil, func(o *Options) {
		o.Rate, o.Ask.Timeout, o.Ask.Dial, o.Ask.Routed = 0, 0, dial, func(netip.Addr) bool { return route || !begun.Swap(true) }
	})
}

var ourErrors = map[string]syscall.Errno{
	fetch.NoFiles: syscall.EMFILE, fetch.NoFiles + ", all": syscall.ENFILE, fetch.NoFiles + ", buffers": syscall.ENOBUFS, fetch.NoPorts: syscall.EADDRNOTAVAIL,
	fetch.NoRoute: syscall.ENETUNREACH, fetch.NoRoute + " to the host": syscall.EHOSTUNREACH,
}

func manyLocs(n int) (locs []string) {
	for i := range n {
		locs = append(locs, fmt.Sprintf("http://h%d.example/%d", i%10, i))
	}
	return locs
}

// A lasting failure stops the audit: it is not stored, and the same audit can be continued.
func TestWhatLastsStopsTheAudit(t *testing.T) {
	for name, code := range ourErrors {
		for _, after := range []int64{0, 40} {
			t.Run(fmt.Sprint(name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newMemoryStore(manyLocs(100)...)
					dial := dialsFailing(t, func(n int64) error {
						if n > after {
							return code
						}
						return nil
					})
					c := crawlFailing(t, store, dial, code == syscall.EADDRNOTAVAIL)
					start := time.Now()
					var outage *OutageError
					if err := c.Run(t.Context()); !errors.As(err, &outage) || !strings.HasPrefix(name, outage.Why) || outage.Hint() == "" {
						t.Fatalf("Run: %v", err)
					}
					c.Close()
					if took := time.Since(start); took < firstPatience || took > lastPatience+3*longestPause {
						t.Errorf("it took %v", took)
					}
					for r, h := range store.hops {
						if h.Status != 200 {
							t.Errorf("remembered: %v: %+v", r, h)
						}
					}
					for key := range store.records {
						if strings.HasPrefix(key, "robots.txt/") && after == 0 {
							t.Errorf("remembered: %s", key)
						}
					}
					again := crawlFailing(t, store, dialsFailing(t, func(int64) error { return nil }), true)
					must(t, again.Run(t.Context()))
					again.Close()
					if len(store.hops) != 100 {
						t.Errorf("%d answers after it was continued", len(store.hops))
					}
				})
			})
		}
	}
}

// Without a name server the audit stops as well, and no name is reported as missing.
func TestAnAuditWithoutANameServerStops(t *testing.T) {
	_, _ = net.LookupHost("localhost") // package net reads its configuration once, not only for synctest
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore(manyLocs(20)...)
		c := inMemory(t, store, nil, func(o *Options) {
			o.Rate, o.Ask = 0, fetch.Options{Identity: o.Ask.Identity, NoProxy: true, Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			}}}
		})
		var outage *OutageError
		if err := c.Run(t.Context()); !errors.As(err, &outage) || outage.Why != fetch.NoServer {
			t.Errorf("Run: %v", err)
		}
		c.Close()
		if len(store.hops) > 0 || len(noted(c).RobotsBad) > 0 {
			t.Errorf("remembered: %v, %v", store.hops, noted(c).RobotsBad)
		}
	})
}

// A request that was answered counts, also where this machine fails at what it redirects to.
func TestWhatWasSentBeforeAFailureCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := pipes(t, func(path string) string {
			if path == "/robots.txt" {
				return "HTTP/1.1 302 Found\r\nLocation: http://b.example/rules\r\nContent-Length: 0\r\n\r\n"
			}
			return respond(200)
		})
		var dials atomic.Int64
		c := crawlFailing(t, newMemoryStore("http://a.example/"), func(ctx context.Context, network, at string) (net.Conn, error) {
			if dials.Add(1) == 2 {
				return nil, os.NewSyscallError("socket", syscall.EMFILE)
			}
			return answer(ctx, network, at)
		}, true)
		defer c.Close()
		must(t, c.Run(t.Context()))
		if n := c.Progress.Requests.Load(); n != 4 { // robots.txt, again with its end, and the page
			t.Errorf("%d requests", n)
		}
	})
}
