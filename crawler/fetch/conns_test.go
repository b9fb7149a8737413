package fetch

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"sitemend/crawler/audit"
)

// Failures of one burst count once: requests that were under way together say nothing new about how
// many there is room for. Where there is room again, the limit rises.
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

// After an outage of the whole system a client becomes fast again.
func TestAnOutageDoesNotSlowForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const atOnce = 16
		var dialled atomic.Int32
		a := New(Options{NoProxy: true, Guard: NewGuard(nil, nil, true), AtOnce: atOnce, Dial: func(context.Context, string, string) (net.Conn, error) {
			if dialled.Add(1) <= atOnce {
				time.Sleep(time.Second) // until all requests are under way
				return nil, os.NewSyscallError("socket", syscall.EMFILE)
			}
			here, there := net.Pipe()
			t.Cleanup(func() { there.Close() })
			go new(rawWeb).serve(there, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
			return here, nil
		}})
		defer a.Close()
		var all sync.WaitGroup
		for i := range 400 {
			all.Go(func() {
				hop := audit.Hop{Fault: FaultLocal}
				for ; hop.Fault == FaultLocal; time.Sleep(time.Second) {
					hop = ask(t, a, fmt.Sprintf("http://h%d.example/", i%10))
				}
				if hop.Status != 200 {
					t.Errorf("%+v", hop)
				}
			})
		}
		all.Wait()
		if n := len(a.slots.free); n < atOnce-1 {
			t.Errorf("%d requests at once in the end", n)
		}
	})
}

// Idle connections of HTTP/2 are closed like others where connections are too many.
func TestFewConnectionsOfHTTP2(t *testing.T) {
	const hosts, few = 60, 10
	w := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool { return answer200(f, stream) })
	o := Options{Resolve: map[string]string{}, RootCAs: w.pool, Parallel: 1}
	for i := range hosts {
		o.Resolve[fmt.Sprintf("h%d.example.com:443", i)] = w.addr
	}
	a := newTestClient(t, o)
	a.transports.direct.TLSClientConfig.InsecureSkipVerify = true // the certificate is for example.com
	a.transports.open.most = few
	for round := range 2 {
		for i := range hosts {
			if hop := ask(t, a, fmt.Sprintf("https://h%d.example.com/", i)); hop.Status != 200 {
				t.Fatalf("%+v", hop)
			}
			if n := a.transports.open.open.Load(); n > few {
				t.Fatalf("%d connections are open after %d hosts", n, round*hosts+i+1)
			}
		}
	}
	if n := w.asked("/"); n != 2*hosts {
		t.Errorf("%d requests were sent", n)
	}
}
