package http1

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// conn is a connection with one request at a time.
type conn struct {
	net.Conn
	wire     net.Conn // the same as Conn, or what is below TLS
	tls      *tls.Conn
	pool     *Pool
	origin   string
	br       *bufio.Reader
	out      []byte    // the request
	left     int64     // bytes of headers that may still come
	reused   bool      // a request before this one was answered over it
	answered bool      // a byte of the answer came
	since    time.Time // idle since then
	body     body

	release func() bool // stops watching; nil where nothing is watched
	mu      sync.Mutex
	watched context.Context // of the last request; guarded by mu, as far as another goroutine reads it
	busy    bool            // that request is under way; guarded by mu
}

// watch has the request that begins end when ctx ends, unless it has ended already: the caller looks.
// Most requests share a context, so it stays watched between them.
func (c *conn) watch(ctx context.Context) {
	c.mu.Lock()
	known := c.watched == ctx
	c.watched, c.busy = ctx, true
	c.mu.Unlock()
	if known {
		return
	}
	if c.release != nil {
		c.release()
	}
	c.release = context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy && c.watched == ctx {
			_ = c.SetDeadline(time.Unix(1, 0)) // fails only where the connection is closed
		}
	})
}

// close closes the connection, which is useless whatever error that returns.
func (c *conn) close() {
	if c.release != nil {
		c.release()
	}
	_ = c.Conn.Close()
}

// limited reads from the connection until the limit on headers is reached.
type limited struct{ c *conn }

var errHeaders = fmt.Errorf("net/http: server response headers exceeded %d bytes; aborted", MaxHeader)

func (l limited) Read(b []byte) (int, error) {
	if l.c.left <= 0 {
		return 0, errHeaders
	}
	n, err := l.c.Conn.Read(b[:min(int64(len(b)), l.c.left)])
	l.c.left -= int64(n)
	return n, err
}

// fresh reports whether an idle connection is young, still open and silent: bytes that came without a
// request must not be taken for the answer to the next one. A connection that waits for its first
// request is not checked this way, for a server may send tickets after a TLS handshake. until is its
// deadline.
func (c *conn) fresh(until time.Time) bool {
	age := time.Since(c.since)
	if !c.reused {
		return age < time.Second
	}
	return age < IdleTime && c.br.Buffered() == 0 && silent(c.wire, until)
}

// plainGet is a request with all that http.ReadResponse reads of one.
var plainGet = &http.Request{Method: http.MethodGet}

// exchange sends one request and reads the head of the answer.
func (c *conn) exchange(r *Request) (*http.Response, error) {
	c.watch(r.Context)
	if err := r.Context.Err(); err != nil {
		return nil, err
	}
	c.left, c.answered = MaxHeader, false
	c.out = append(c.out[:0], "GET "...)
	c.out = append(c.out, r.To.Target()...)
	c.out = append(c.out, " HTTP/1.1\r\nHost: "...)
	c.out = append(c.out, r.Host...)
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, r.Lines...)
	c.out = append(c.out, "\r\n"...)
	runtime.Gosched() // requests that are ready together are sent together: to wake a server for each costs a tenth of the CPU
	if _, err := c.Conn.Write(c.out); err != nil {
		return nil, err
	}
	if _, err := c.br.Peek(1); err != nil {
		return nil, err
	}
	c.answered = true
	resp, err := http.ReadResponse(c.br, plainGet)
	// Of the 1xx only 101 is an answer (RFC 9110 15.2); all share the limit on headers.
	for err == nil && resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols {
		resp, err = http.ReadResponse(c.br, plainGet)
	}
	if err != nil {
		return nil, err
	}
	c.left = math.MaxInt64
	keep := !resp.Close && resp.StatusCode != http.StatusSwitchingProtocols
	if resp.Body == http.NoBody {
		c.done(keep)
		return resp, nil
	}
	c.body = body{ReadCloser: resp.Body, c: c, keep: keep}
	resp.Body = &c.body
	return resp, nil
}

// done ends an exchange. Where the context has ended the connection may be cut off; bytes beyond
// the answer make it useless, too.
func (c *conn) done(keep bool) {
	c.mu.Lock()
	c.busy = false
	c.mu.Unlock()
	if keep && c.watched.Err() == nil && c.br.Buffered() == 0 && (c.tls == nil || !rest(c.tls)) {
		c.reused = true
		c.pool.keep(c)
		return
	}
	c.close()
}

// body is the body of an answer. Close reads nothing, and must be called once.
type body struct {
	io.ReadCloser
	c           *conn
	keep, ended bool // the connection may be used again after the body; which was read to its end
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err == io.EOF
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.c.done(b.keep && b.ended)
	return nil
}

// Lines returns the lines that a header makes in a request, in net/http's order after Host: the
// agent, then the others sorted by name.
func Lines(h http.Header) []byte {
	var b bytes.Buffer
	_ = http.Header{"User-Agent": h["User-Agent"]}.Write(&b) // a bytes.Buffer returns no error
	_ = h.WriteSubset(&b, map[string]bool{"Host": true, "User-Agent": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true})
	return b.Bytes()
}
