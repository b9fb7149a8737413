package http1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler/address"
)

// web is a server, and the pool that sends requests to it.
type web struct {
	*httptest.Server
	pool  *Pool
	conns atomic.Int64
}

func serve(t *testing.T) *web {
	t.Helper()
	w := &web{Server: httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))}
	w.pool = New(Options{Idle: 4, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		w.conns.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}})
	t.Cleanup(func() { w.pool.Close(); w.Close() })
	return w
}

// get sends a request with a deadline.
func (w *web) get(t *testing.T, until time.Time) {
	t.Helper()
	to, err := address.Parse(w.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.pool.Send(&Request{Context: t.Context(), Until: until, To: to, Host: to.HostPort()})
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", resp, err)
	}
	resp.Body.Close()
}

// kept returns a connection that is idle.
func (w *web) kept() *conn {
	for _, kept := range w.pool.idle {
		return kept[0]
	}
	return nil
}

// The end of a context ends its request, also the second one over a connection, and harms no request
// of another context.
func TestTheEndOfAContextIsOfItsRequests(t *testing.T) {
	w, asked := serve(t), make(chan struct{})
	w.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hangs" {
			asked <- struct{}{}
			<-r.Context().Done()
		}
	})
	send := func(ctx context.Context, path string) error {
		to, _ := address.Parse(w.URL + path)
		resp, err := w.pool.Send(&Request{Context: ctx, To: to, Host: to.HostPort()})
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	ended, end := context.WithCancel(t.Context())
	if err := send(ended, "/"); err != nil {
		t.Fatal(err)
	}
	end()
	other, stop := context.WithCancel(t.Context())
	for range 2 {
		if err := send(other, "/"); err != nil || w.conns.Load() != 1 {
			t.Fatalf("%v, %d connections", err, w.conns.Load())
		}
	}
	go func() { <-asked; stop() }()
	if err := send(other, "/hangs"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := send(other, "/"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The deadline of a request does not apply to the next one over its connection, however much later
// that is.
func TestADeadlineIsOfOneRequest(t *testing.T) {
	w := serve(t)
	w.get(t, time.Time{})
	for _, until := range []time.Time{time.Now().Add(time.Hour), {}} {
		if err := w.kept().SetDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if w.get(t, until); w.conns.Load() != 1 {
			t.Errorf("%d connections", w.conns.Load())
		}
	}
}

// No more connections are kept than there may be, whatever the hosts.
func TestFewAreKept(t *testing.T) {
	w := serve(t)
	dial := w.pool.o.Dial
	w.pool.o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, w.Listener.Addr().String())
	}
	for i := range 20 {
		w.URL = fmt.Sprintf("http://h%d.example", i/2)
		if w.get(t, time.Time{}); w.pool.kept != min(i/2+1, 4) {
			t.Errorf("%d connections are kept", w.pool.kept)
		}
	}
	if n := w.conns.Load(); n != 10 {
		t.Errorf("%d connections of 10 hosts", n)
	}
}
