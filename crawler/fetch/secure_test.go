package fetch

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// joined is a connection that holds back its writes and sends them together.
type joined struct {
	net.Conn
	hold bool
	held []byte
}

func (j *joined) Write(b []byte) (int, error) {
	if j.hold {
		j.held = append(j.held, b...)
		return len(b), nil
	}
	return j.Conn.Write(b)
}

func (j *joined) release() bool {
	j.hold = false
	_, err := j.Conn.Write(j.held)
	j.held = nil
	return err == nil
}

type joinedListener struct{ net.Listener }

func (l joinedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &joined{Conn: c}, err
}

// A TLS record that came together with the answer's, and was not read with it, is not an answer to
// the next request.
func TestARecordBeyondTheAnswerIsNoAnswer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w := new(rawWeb)
	w.accept(t, tls.NewListener(joinedListener{ln}, &tls.Config{Certificates: lent.TLS.Certificates}), func(c net.Conn) {
		w.serve(c, func(c net.Conn, head string) bool {
			if !strings.HasPrefix(head, "GET /x ") {
				return says(short)(c, head)
			}
			j := c.(*tls.Conn).NetConn().(*joined)
			j.hold = true
			_, _ = io.WriteString(c, pageHead+"Content-Length: 3\r\n\r\n<p>")
			_, _ = io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
			return j.release()
		})
	})
	a := newTestClient(t, Options{RootCAs: lentPool})
	for range 5 {
		if hop := ask(t, a, "https://"+w.addr+"/x"); hop.Status != 200 {
			t.Errorf("%+v", hop)
		}
		if n := a.transports.http1.Idle(); n != 0 {
			t.Errorf("%d connections are kept", n)
		}
		if hop := ask(t, a, "https://"+w.addr+"/next"); hop.Status != 200 {
			t.Errorf("the next one: %+v", hop)
		}
	}
}

// Requests to a host that speaks HTTP/1.1 over TLS go over package http1, from its first connection
// on, and those to one that speaks HTTP/2 over net/http.
func TestTheServerChoosesTheProtocol(t *testing.T) {
	defer func(before bool) { overTLS = before }(overTLS)
	overTLS = true
	h1 := serveRaw(t, says(short))
	h2 := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool { return answer200(f, stream) })
	a := newTestClient(t, Options{RootCAs: lentPool})
	for range 3 {
		for _, addr := range []string{h1.addr, h2.addr} {
			if hop := ask(t, a, "https://"+addr+"/"); hop.Status != 200 {
				t.Errorf("%+v", hop)
			}
		}
	}
	if h1.conns() != 1 || h2.conns() != 1 {
		t.Errorf("%d and %d connections, want one each", h1.conns(), h2.conns())
	}
	if n := a.transports.http1.Idle(); n != 1 {
		t.Errorf("%d connections of HTTP/1.1 are idle, want one", n)
	}
}
