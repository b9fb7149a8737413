package http1_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/fetch/internal/http1"
)

// wire is the client's end of a connection. While it is held, each write waits for leave.
type wire struct {
	net.Conn
	leave chan error // nil lets a write pass, an error refuses it

	mu     sync.Mutex
	held   bool
	writes int // since it was held
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	held := w.held
	if held {
		w.writes++
	}
	w.mu.Unlock()
	if held {
		if err := <-w.leave; err != nil {
			return 0, err
		}
	}
	return w.Conn.Write(b)
}

func (w *wire) hold(held bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = held
}

// server is the other end: what it read, and the error that ended that.
type server struct {
	*tls.Conn
	got   bytes.Buffer
	ended chan error
}

// dialHTTP2 dials a server that chooses HTTP/2. A mute server reads nothing more.
func dialHTTP2(t *testing.T, mute bool) (net.Conn, *wire, *server) {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	certs, roots := web.TLS.Certificates, x509.NewCertPool()
	roots.AddCert(web.Certificate())
	web.Close()
	here, there := net.Pipe()
	w := &wire{Conn: here, leave: make(chan error)}
	s := &server{ended: make(chan error, 1),
		Conn: tls.Server(there, &tls.Config{Certificates: certs, NextProtos: []string{"h2"}})}
	pool := http1.New(http1.Options{Timeout: time.Minute, TLS: &tls.Config{RootCAs: roots},
		Dial: func(context.Context, string, string) (net.Conn, error) { return w, nil }})
	t.Cleanup(pool.Close)
	go func() {
		err := s.Handshake()
		if err == nil && !mute {
			_, err = io.Copy(&s.got, s.Conn)
		}
		s.ended <- err
	}()
	c, err := pool.DialTLS(t.Context(), "tcp", "example.com:443")
	if err != nil {
		t.Fatal(err)
	}
	return c, w, s
}

// write writes text several times, which must not block.
func write(t *testing.T, c net.Conn, text string, times int) {
	t.Helper()
	for range times {
		if n, err := io.WriteString(c, text); n != len(text) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
}

// Requests that are written while others are sent go out with one write, in order, and all of them
// before the connection is closed.
func TestWritesOfHTTP2GoOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w, s := dialHTTP2(t, false)
		w.hold(true)
		write(t, c, "a", 1)
		synctest.Wait() // the first write is under way
		write(t, c, "b", 50)
		for range 2 {
			w.leave <- nil
		}
		synctest.Wait()
		if w.writes != 2 {
			t.Errorf("%d writes, want 2", w.writes)
		}
		w.hold(false)
		write(t, c, "c", 50)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-s.ended; err != nil {
			t.Errorf("the server read to %v, want the end", err)
		}
		want := "a" + string(bytes.Repeat([]byte("b"), 50)) + string(bytes.Repeat([]byte("c"), 50))
		if got := s.got.String(); got != want {
			t.Errorf("the server read %q", got)
		}
	})
}
