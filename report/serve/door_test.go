package serve

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
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
