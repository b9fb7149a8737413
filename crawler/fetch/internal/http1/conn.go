package http1

import (
	"bufio"
	"bytes"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// conn is a connection with one request at a time.
type conn struct {
	net.Conn
	pool     *Pool
	key      string
	tls      *tls.Conn // the same as Conn, nil where it is not secure
	raw      syscall.RawConn
	br       *bufio.Reader
	out      []byte    // the request
	left     int64     // bytes of headers that may still come
	flow     Flow      // of the answer
	reused   bool      // it had an answer before
	answered bool      // a byte of the answer came
	since    time.Time // idle
	place    *list.Element
	body     Body
	release  func() bool // ends the look-out for the end of the request's context; nil for none yet
}

// close closes the connection. It is of no use any more, whatever that says.
func (c *conn) close() {
	if c.release != nil {
		c.release()
	}
	_ = c.Conn.Close()
}

// limited reads from the connection as far as the limit on headers lets it.
type limited struct{ c *conn }

var errHeaders = fmt.Errorf("net/http: server response headers exceeded %d bytes; aborted",
	MaxHeader)

func (l limited) Read(b []byte) (int, error) {
	if l.c.left <= 0 {
		return 0, errHeaders
	}
	n, err := l.c.flow.Read(l.c.Conn, b[:min(int64(len(b)), l.c.left)])
	l.c.left -= int64(n)
	return n, err
}

// fresh reports whether a connection that was idle is still open and silent. What
// comes without a request must not be taken for the answer to the next one. One
// that waits for its first request is not asked: a server may send tickets after a
// TLS handshake.
func (c *conn) fresh() bool {
	if !c.reused {
		return time.Since(c.since) < time.Second
	}
	return c.br.Buffered() == 0 && c.raw != nil && silent(c.raw)
}

// plainGet is all that http.ReadResponse wants to know of the request.
var plainGet = &http.Request{Method: http.MethodGet}

// exchange sends one request and reads the answer's head.
func (c *conn) exchange(r *Request) (*http.Response, error) {
	if err := r.Context.Err(); err != nil {
		return nil, err
	}
	c.release = context.AfterFunc(r.Context, func() {
		_ = c.SetDeadline(time.Unix(1, 0)) // fails only where it is closed
	})
	c.left, c.flow, c.answered = MaxHeader, r.Flow, false
	resp, err := c.roundTrip(r)
	if err != nil {
		if ended := r.Ended(); ended != nil {
			err = ended
		} else if c.left <= 0 && !errors.Is(err, errHeaders) {
			err = errHeaders // what was read of them is no whole answer
		}
		return nil, err
	}
	c.left = math.MaxInt64
	keep := !resp.Close && !r.Close && resp.StatusCode != http.StatusSwitchingProtocols
	if resp.Body == http.NoBody {
		c.done(keep)
		return resp, nil
	}
	c.body = Body{c: c, from: resp.Body, request: r, keep: keep}
	resp.Body = &c.body
	return resp, nil
}

func (c *conn) roundTrip(r *Request) (*http.Response, error) {
	c.out = append(c.out[:0], "GET "...)
	c.out = append(c.out, r.To.Target()...)
	c.out = append(c.out, " HTTP/1.1\r\nHost: "...)
	c.out = append(c.out, r.Host...)
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, r.Lines...)
	c.out = append(c.out, "\r\n"...)
	if _, err := c.Conn.Write(c.out); err != nil {
		return nil, err
	}
	if _, err := c.br.Peek(1); err != nil {
		return nil, err
	}
	c.answered = true
	for {
		resp, err := http.ReadResponse(c.br, plainGet)
		// Of 1xx only 101 is an answer (RFC 9110 15.2); all of them share the
		// limit on headers.
		if err != nil || resp.StatusCode < 100 || resp.StatusCode > 199 ||
			resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

// done ends an exchange. Where its context has ended the connection may have been cut off;
// bytes beyond the answer make the connection useless.
func (c *conn) done(keep bool) {
	if c.release() && keep && c.br.Buffered() == 0 && (c.tls == nil || !rest(c.tls)) {
		c.reused = true
		c.pool.keep(c)
		return
	}
	c.close()
}

// Body is the body of an answer. Closing it reads nothing.
type Body struct {
	c       *conn
	from    io.ReadCloser
	request *Request
	keep    bool // the connection may be used again after it
	ended   bool
	closed  bool
}

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	if err == io.EOF {
		b.ended = true
	} else if err != nil {
		if ended := b.request.Ended(); ended != nil {
			err = ended
		}
	}
	return n, err
}

// Within makes the rest of the body, length bytes or -1, come within a time, from
// where it is not here already. false where there is no time at all.
func (b *Body) Within(d time.Duration, length int64) bool {
	if length >= 0 && length <= int64(b.c.br.Buffered()) {
		return true
	}
	until := time.Now().Add(d)
	if !b.request.Until.IsZero() && b.request.Until.Before(until) {
		until = b.request.Until
	}
	err := b.c.SetDeadline(until)
	// where ctx ended the deadline may have been set for that
	return err == nil && b.request.Context.Err() == nil
}

// Close implements io.Closer. It reads nothing.
func (b *Body) Close() error {
	if !b.closed {
		b.closed = true
		b.c.done(b.keep && b.ended)
	}
	return nil
}

// Lines returns the lines that a header makes in a request, as net/http writes
// them after Host: the agent, then all others in the order of their names.
func Lines(h http.Header) []byte {
	var b bytes.Buffer
	if agent := h.Get("User-Agent"); agent != "" {
		fmt.Fprintf(&b, "User-Agent: %s\r\n",
			strings.NewReplacer("\r", " ", "\n", " ").Replace(agent))
	}
	_ = h.WriteSubset(&b, map[string]bool{ // a bytes.Buffer takes all
		"Host": true, "User-Agent": true, "Content-Length": true, "Transfer-Encoding": true,
		"Trailer": true})
	return b.Bytes()
}
