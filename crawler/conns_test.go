package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"sitemend/crawler/audit"
)

// Failures of one burst are one: what was under way together says nothing new of how
// many there is room for. Where there is room again, there are more.
func TestSlotsAreHalvedOnceForABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(8)
		burst := time.Now()
		time.Sleep(time.Second)
		for range 8 {
			must(t, s.enter(t.Context()))
		}
		for range 8 {
			s.halve(burst)
			s.leave()
		}
		if len(s.free) != 4 {
			t.Fatalf("%d are left after one burst", len(s.free))
		}
		for want := 2; want >= 0; want-- {
			time.Sleep(time.Second)
			s.halve(time.Now())
			for range len(s.free) {
				must(t, s.enter(t.Context()))
				s.leave()
			}
			if n := len(s.free); n != max(1, want) {
				t.Errorf("%d are left, want %d", n, max(1, want))
			}
			time.Sleep(time.Second)
		}
		for n := 0; len(s.free) < 8; n++ {
			if must(t, s.enter(t.Context())); n > 1+2+3+4+5+6+7 {
				t.Fatalf("%d are left after %d requests that had room", len(s.free), n)
			}
			s.pass()
			s.leave()
		}
		for range 100 {
			s.pass()
		}
		if len(s.free) != 8 {
			t.Errorf("there are %d now", len(s.free))
		}
	})
}

// Over all, an outage does not make an audit slow for good.
func TestAnOutageDoesNotSlowForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const atOnce = 16
		var failed atomic.Int32
		fine := dialsFailing(t, func(int64) error { return nil })
		full := dialsFailing(t, func(int64) error { return ourErrors[noFiles] })
		store := newMemoryStore(manyLocs(400)...)
		c := crawlFailing(store, func(ctx context.Context, network, address string) (net.Conn, error) {
			if failed.Add(1) <= atOnce {
				time.Sleep(time.Second) // until all are under way
				return full(ctx, network, address)
			}
			return fine(ctx, network, address)
		}, true, nil)
		defer c.Close()
		c.asker.slots = newSlots(atOnce)
		must(t, c.Run(t.Context()))
		if n := len(c.asker.slots.free); n < atOnce-1 || len(store.hops) != 400 {
			t.Errorf("%d requests at once in the end, %d answers", n, len(store.hops))
		}
	})
}

// What waits for others to end is not sent any more once the audit was stopped, though
// those have a while to end.
func TestWhatWaitsIsNotSentAfterTheStop(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := serveRaw(t, func(c net.Conn, head string) bool {
		mu.Lock()
		asked = append(asked, requestTarget(head))
		first := len(asked) == 1
		mu.Unlock()
		if first {
			close(stop)
			<-ctx.Done() // the answer comes in the grace
		}
		return says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")(c, head)
	})
	store := newMemoryStore()
	var hosts []string
	for i := range 20 {
		hosts = append(hosts, fmt.Sprintf("h%d.example", i))
		store.entries = append(store.entries, audit.Entry{N: i, Loc: fmt.Sprintf("http://h%d.example/%d", i, i)})
	}
	c := crawlRaw(t, w.addr, store, hosts...)
	c.asker.slots = newSlots(1)
	go func() { <-stop; cancel() }()
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 || len(store.hops) != 1 {
		t.Errorf("asked %q, %d are remembered", asked, len(store.hops))
	}
}

// Connections of HTTP/2 are let go like others where they are too many.
func TestFewConnectionsOfHTTP2(t *testing.T) {
	const hosts, few = 60, 10
	w := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool { return answer200(f, stream) })
	o := ClientOptions{Resolve: map[string]string{}, RootCAs: w.pool, Parallel: 1}
	for i := range hosts {
		o.Resolve[fmt.Sprintf("h%d.example.com:443", i)] = w.addr
	}
	a := newTestClient(t, o)
	a.wires.direct.TLSClientConfig.InsecureSkipVerify = true // the certificate is for example.com
	a.wires.open.most = few
	for round := range 2 {
		for i := range hosts {
			if hop := ask(t, a, fmt.Sprintf("https://h%d.example.com/", i)); hop.Status != 200 {
				t.Fatalf("%+v", hop)
			}
			if n := a.wires.open.open.Load(); n > few {
				t.Fatalf("%d connections are open after %d hosts", n, round*hosts+i+1)
			}
		}
	}
	if n := w.asked("/"); n != 2*hosts {
		t.Errorf("%d requests were sent", n)
	}
}
