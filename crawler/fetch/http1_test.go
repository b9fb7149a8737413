package fetch

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"sitemend/crawler/answers"
)

// The tests of package http1 hold over TLS, too.
func TestOverTLS(t *testing.T) {
	overTLS = true
	defer func() { overTLS = false }()
	for name, test := range map[string]func(*testing.T){
		"ended":    TestAConnectionThatEndedIsReported,
		"stray":    TestStrayBytesAreNoAnswer,
		"wire":     TestHardSpellingsReachTheWire,
		"headers":  TestHeadersInOrder,
		"misdeeds": TestMisdeeds,
	} {
		t.Run(name, test)
	}
}

const short = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// A server may end a kept connection at any time. The request that meets this is not sent again on
// its own: the caller gets Stale.
func TestAConnectionThatEndedIsReported(t *testing.T) {
	var heard atomic.Int64
	w := serveRaw(t, func(c net.Conn, _ string) bool {
		if n := heard.Add(1); n%2 == 0 {
			return false // ends the connection at its second request
		}
		_, err := io.WriteString(c, short)
		return err == nil
	})
	a := newTestClient(t, Options{})
	for i := range 4 {
		hop, answer := a.Ask(t.Context(), answers.Request{URL: w.at("/")})
		if ended := i%2 == 1; answer.Stale != ended || (hop.Fault == answers.FaultReset) != ended {
			t.Errorf("request %d: stale %v, %+v", i, answer.Stale, hop)
		}
	}
	if n := len(w.heads()); n != 4 || w.conns() != 2 {
		t.Errorf("%d requests over %d connections", n, w.conns())
	}
}

// Bytes after an answer, at once or later, are not taken for the next answer.
func TestStrayBytesAreNoAnswer(t *testing.T) {
	const stray = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	sent := make(chan bool, 1)
	for name, reply := range map[string]func(c net.Conn){
		"at once": func(c net.Conn) { io.WriteString(c, short+stray); sent <- true },
		"later": func(c net.Conn) {
			io.WriteString(c, short)
			go func() { io.WriteString(c, stray); sent <- true }()
		},
	} {
		w := serveRaw(t, func(c net.Conn, head string) bool {
			if strings.HasPrefix(head, "GET /stray ") {
				reply(c)
				return true
			}
			_, err := io.WriteString(c, short)
			return err == nil
		})
		a := newTestClient(t, Options{})
		for range 3 {
			ask(t, a, w.at("/stray"))
			<-sent
			settle(t, w)
			if hop := ask(t, a, w.at("/next")); hop.Status != 200 {
				t.Errorf("%s: %+v", name, hop)
			}
		}
	}
}

// settle waits until what a server wrote has arrived: a byte over another loopback connection takes
// at least as long.
func settle(t *testing.T, w *rawWeb) {
	t.Helper()
	c, err := w.dial()
	must(t, err)
	defer c.Close()
	io.WriteString(c, "GET /settle HTTP/1.1\r\n\r\n")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}
