package serve

import (
	"context"
	"io"
	"log"
	"net"
	"strings"
	"testing"
)

// A request with a body is answered before the body came, and its connection closed:
// whoever sends a byte an hour holds nothing.
func TestNoBodyIsWaitedFor(t *testing.T) {
	s := newSite(t, shops())
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
	for _, head := range []string{
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx",
		"POST " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n",
		"GET " + s.Path() + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nx",
		"PUT /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
	} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err == nil {
			_, err = io.WriteString(c, head)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(c) // it ends: the server hangs up
		if !strings.HasPrefix(string(text), "HTTP/1.1 413 ") || !strings.Contains(string(text), "\r\nConnection: close\r\n") {
			t.Errorf("%q: %s", head, text)
		}
		_ = c.Close()
	}
}
