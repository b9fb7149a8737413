package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
)

// opened serves a site of some audits until the test ends, and returns its address.
func opened(t *testing.T) (s *Site, addr string) {
	t.Helper()
	s = newSite(t, shops())
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln, log.New(io.Discard, "", 0)) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, ln.Addr().String()
}

func dial(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// answered reads one answer.
func answered(t *testing.T, c net.Conn) *http.Response {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	return r
}

// A request with a body is answered before the body came, and its connection closed:
// whoever sends a byte an hour holds nothing.
func TestNoBodyIsWaitedFor(t *testing.T) {
	s, addr := opened(t)
	for _, head := range []string{
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
		"POST " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n",
		"GET " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx",
		"PUT /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
	} {
		c := dial(t, addr, head)
		r := answered(t, c)
		if r.StatusCode != http.StatusRequestEntityTooLarge || !r.Close {
			t.Errorf("%q: %s", head, r.Status)
		}
		_, _ = io.Copy(io.Discard, c) // it ends: the server hangs up
	}
}

// Whoever opens many connections and says nothing, or little, keeps nobody out.
func TestSlowCallersMakeRoom(t *testing.T) {
	s, addr := opened(t)
	get := "GET " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	var slow []net.Conn
	for i := range 2 * maxConns {
		text := ""
		if i%2 == 0 {
			text = fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: loc", i)
		}
		slow = append(slow, dial(t, addr, text))
	}
	if r := answered(t, dial(t, addr, get)); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	for i, c := range slow[:maxConns/2] {
		if n, err := io.Copy(io.Discard, c); n > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("connection %d got %d bytes, %v", i, n, err)
		}
	}
}

// Connections that are kept alive and ask for nothing keep nobody out, whoever opened
// them.
func TestIdleCallersMakeRoom(t *testing.T) {
	s, addr := opened(t)
	get := "GET " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for i := range 2 * maxConns {
		if r := answered(t, dial(t, addr, get)); r.StatusCode != http.StatusOK {
			t.Fatalf("connection %d: %s", i, r.Status)
		}
	}
}

func TestWhoMakesRoom(t *testing.T) {
	d := &door{open: map[*caller]struct{}{}, last: 9}
	// In the order in which they make room, the newcomer last.
	order := []*caller{{n: 5, idle: true}, {n: 6, idle: true}, {n: 3, idle: true, shown: true}, {n: 4, idle: true, shown: true},
		{n: 2}, {n: 7}, {n: 1, shown: true}, {n: 8, shown: true}, {n: 9}}
	for _, c := range order {
		d.open[c] = struct{}{}
	}
	for _, want := range order {
		if got := d.spared(); got != want {
			t.Errorf("number %d makes room, want %d", got.n, want.n)
		}
		delete(d.open, want)
	}
}
