package fetch

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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"
)

// idleTime is how long a connection is kept open without a request.
const idleTime = 30 * time.Second

// http1 asks over HTTP/1.1 without a proxy, over TLS where a server speaks no HTTP/2
// (secure.go). It does what net/http's Transport does, with that package's own reader of answers and the
// same limits, but in the goroutine of the caller: the Transport hands each
// request to two other goroutines, which costs more than all the rest of a
// request. What it is not made for is left to the Transport; see fits.
type http1 struct {
	dial DialFunc
	most int  // connections that are kept open for one host
	off  bool // for tests of the Transport

	tls     *tls.Config
	timeout time.Duration // of a TLS handshake

	mu     sync.Mutex
	idle   map[string][]*conn1 // by key, the one that was used last at the end
	order  list.List           // of all that are idle, the one that was used last at the end
	secure map[string]bool     // keys of hosts that speak HTTP/1.1 over TLS
	sweep  *time.Timer         // nil where nothing is idle
	closed bool
}

func newHTTP1(o *Options, dial DialFunc, config *tls.Config) *http1 {
	return &http1{dial: dial, most: o.Parallel, off: o.NetHTTP, tls: config, timeout: o.Timeout,
		idle: map[string][]*conn1{}, secure: map[string]bool{}}
}

// fits tells whether a request can go this way. Where the system cannot tell
// whether a kept connection is still open the Transport has to watch it.
func (w *http1) fits(x *exchange) bool {
	return canPeek && !w.off && !x.proxied && httpguts.ValidHostHeader(x.host) && !strings.Contains(x.host, "%") &&
		(x.to.Scheme() == "http" || w.speaks(keyOf(x)))
}

// keyOf names the connections that a request can take: by host:port, and apart
// where they are secure.
func keyOf(x *exchange) string {
	hostport := net.JoinHostPort(hostOnly(x.to.Host()), x.to.EffectivePort())
	if x.to.Scheme() == "https" {
		return secureKey(hostport)
	}
	return hostport
}

// send sends one request and returns the answer. Its body must be closed; that
// gives the connection back where the body was read to its end. Nothing is sent
// twice: where a connection that was kept open turns out to have ended, x.once
// says so.
func (w *http1) send(x *exchange) (*http.Response, error) {
	c, err := w.conn(x, keyOf(x))
	if err != nil {
		return nil, err
	}
	resp, err := c.exchange(x)
	if err == nil {
		return resp, nil
	}
	c.close()
	if c.reused && !c.answered && x.ended() == nil {
		x.once.stale.Store(true)
		w.forget(c.key)
	}
	return nil, err
}

// forget closes the idle connections of a host that ended one of them: another
// try is not to meet the end of the next.
func (w *http1) forget(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.idle[key] {
		w.order.Remove(c.place)
		c.close()
	}
	delete(w.idle, key)
}

// conn returns a connection that is kept open, or a new one. Its deadline is that
// of the request: a timer for each request would cost more.
func (w *http1) conn(x *exchange, key string) (*conn1, error) {
	for c := w.pop(key); c != nil; c = w.pop(key) {
		if c.SetDeadline(x.until) == nil && c.fresh() {
			return c, nil
		}
		c.close()
	}
	nc, err := w.dialled(x, key)
	if err != nil {
		return nil, err
	}
	return w.newConn(nc, key), nil
}

func (w *http1) newConn(nc net.Conn, key string) *conn1 {
	c := &conn1{Conn: nc, pool: w, key: key}
	c.br = bufio.NewReaderSize(limited{c}, 4096)
	if c.tls, _ = nc.(*tls.Conn); c.tls != nil {
		nc = c.tls.NetConn()
	}
	if sc, ok := nc.(syscall.Conn); ok {
		c.raw, _ = sc.SyscallConn() // nil where it cannot be looked at: then it is used once
	}
	return c
}

func (w *http1) dialled(x *exchange, key string) (net.Conn, error) {
	ctx := x.ctx
	if !x.until.IsZero() {
		limited, cancel := context.WithDeadline(ctx, x.until)
		defer cancel()
		ctx = limited
	}
	nc, err := w.dialKey(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := nc.SetDeadline(x.until); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	return nc, nil
}

func (w *http1) dialKey(ctx context.Context, key string) (net.Conn, error) {
	if hostport, ok := strings.CutPrefix(key, secureKey("")); ok {
		return w.dialAgain(ctx, key, hostport)
	}
	return w.dial(ctx, "tcp", key)
}

func (w *http1) pop(key string) *conn1 {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := w.idle[key]
	n := len(kept)
	if n == 0 {
		return nil
	}
	c := kept[n-1]
	if kept[n-1] = nil; n > 1 {
		w.idle[key] = kept[:n-1]
	} else {
		delete(w.idle, key)
	}
	w.order.Remove(c.place)
	return c
}

// keep takes a connection back for the next request.
func (w *http1) keep(c *conn1) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.order.Len() >= maxIdle || len(w.idle[c.key]) >= w.most {
		c.close()
		return
	}
	c.since = time.Now()
	w.idle[c.key] = append(w.idle[c.key], c)
	if c.place = w.order.PushBack(c); w.sweep == nil {
		w.sweep = time.AfterFunc(idleTime, w.swept)
	}
}

// swept closes what was idle for too long, and comes again where more is idle.
func (w *http1) swept() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := w.oldest(); c != nil && time.Since(c.since) >= idleTime; c = w.oldest() {
		w.drop(c)
	}
	if w.sweep = nil; w.order.Len() > 0 {
		w.sweep = time.AfterFunc(idleTime, w.swept)
	}
}

// letGo closes the connection that is idle for the longest time; false where none
// is.
func (w *http1) letGo() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.oldest()
	if c != nil {
		w.drop(c)
	}
	return c != nil
}

// oldest is the connection that is idle for the longest time; nil for none. w.mu is
// held.
func (w *http1) oldest() *conn1 {
	if first := w.order.Front(); first != nil {
		return first.Value.(*conn1)
	}
	return nil
}

// drop closes an idle connection. w.mu is held.
func (w *http1) drop(c *conn1) {
	w.order.Remove(c.place)
	kept := slices.DeleteFunc(w.idle[c.key], func(x *conn1) bool { return x == c })
	if w.idle[c.key] = kept; len(kept) == 0 {
		delete(w.idle, c.key)
	}
	c.close()
}

// close closes the connections that are idle, now and from now on.
func (w *http1) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for c := w.oldest(); c != nil; c = w.oldest() {
		w.drop(c)
	}
	if w.sweep != nil {
		w.sweep.Stop()
	}
}

// conn1 is a connection with one request at a time.
type conn1 struct {
	net.Conn
	pool     *http1
	key      string
	tls      *tls.Conn // the same as Conn, nil where it is not secure
	raw      syscall.RawConn
	br       *bufio.Reader
	out      []byte    // the request
	left     int64     // bytes of headers that may still come
	flow     *flow     // of the answer
	reused   bool      // it had an answer before
	answered bool      // a byte of the answer came
	since    time.Time // idle
	place    *list.Element
	body     body1
	watch    watch
}

// close closes the connection. It is of no use any more, whatever that says.
func (c *conn1) close() {
	c.watch.leave()
	_ = c.Conn.Close()
}

// limited reads from the connection as far as the limit on headers lets it.
type limited struct{ c *conn1 }

var errHeaders = fmt.Errorf("net/http: server response headers exceeded %d bytes; aborted", maxHeader)

func (l limited) Read(b []byte) (int, error) {
	if l.c.left <= 0 {
		return 0, errHeaders
	}
	n, err := l.c.flow.read(l.c.Conn, b[:min(int64(len(b)), l.c.left)])
	l.c.left -= int64(n)
	return n, err
}

// fresh tells whether a connection that was idle is still open and silent. What
// comes without a request must not be taken for the answer to the next one. One
// that waits for its first request is not asked: a server may send tickets after a
// TLS handshake.
func (c *conn1) fresh() bool {
	if !c.reused {
		return time.Since(c.since) < time.Second
	}
	return c.br.Buffered() == 0 && c.raw != nil && silent(c.raw)
}

// plainGet is all that http.ReadResponse wants to know of the request.
var plainGet = &http.Request{Method: http.MethodGet}

// exchange sends one request and reads the answer's head.
func (c *conn1) exchange(x *exchange) (*http.Response, error) {
	if err := c.watch.begin(x.ctx, c.Conn); err != nil {
		return nil, err
	}
	c.left, c.flow, c.answered = maxHeader, &x.flow, false
	resp, err := c.roundTrip(x)
	if err != nil {
		if ended := x.ended(); ended != nil {
			err = ended
		} else if c.left <= 0 && !errors.Is(err, errHeaders) {
			err = errHeaders // what was read of them is no whole answer
		}
		return nil, err
	}
	c.left = math.MaxInt64
	keep := !resp.Close && !x.headers.last && resp.StatusCode != http.StatusSwitchingProtocols
	if resp.Body == http.NoBody {
		c.done(keep)
		return resp, nil
	}
	c.body = body1{c: c, from: resp.Body, x: x, keep: keep}
	resp.Body = &c.body
	return resp, nil
}

func (c *conn1) roundTrip(x *exchange) (*http.Response, error) {
	c.out = append(c.out[:0], "GET "...)
	c.out = append(c.out, x.to.Target()...)
	c.out = append(c.out, " HTTP/1.1\r\nHost: "...)
	c.out = append(c.out, x.host...)
	c.out = append(c.out, "\r\n"...)
	c.out = append(c.out, x.headers.lines...)
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
		if err != nil || resp.StatusCode < 100 || resp.StatusCode > 199 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

// done ends an exchange. Bytes beyond the answer make the connection useless.
func (c *conn1) done(keep bool) {
	if c.watch.end() && keep && c.br.Buffered() == 0 && (c.tls == nil || !rest(c.tls)) {
		c.reused = true
		c.pool.keep(c)
		return
	}
	c.close()
}

// body1 is the body of an answer.
type body1 struct {
	c      *conn1
	from   io.ReadCloser
	x      *exchange
	keep   bool // the connection may be used again after it
	ended  bool
	closed bool
}

// Read implements io.Reader.
func (b *body1) Read(p []byte) (int, error) {
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	if err == io.EOF {
		b.ended = true
	} else if err != nil {
		if ended := b.x.ended(); ended != nil {
			err = ended
		}
	}
	return n, err
}

// within makes the rest of the body, length bytes or -1, come within a time, from
// where it is not here already. false where there is no time at all.
func (b *body1) within(d time.Duration, length int64) bool {
	if length >= 0 && length <= int64(b.c.br.Buffered()) {
		return true
	}
	until := time.Now().Add(d)
	if !b.x.until.IsZero() && b.x.until.Before(until) {
		until = b.x.until
	}
	err := b.c.SetDeadline(until)
	return err == nil && b.x.ctx.Err() == nil // where ctx ended the deadline may have been the watch's
}

// Close implements io.Closer. It reads nothing.
func (b *body1) Close() error {
	if !b.closed {
		b.closed = true
		b.c.done(b.keep && b.ended)
	}
	return nil
}

// headerLines are the lines that a header makes in a request, as net/http writes
// them after Host: the agent, then all others in the order of their names.
func headerLines(h http.Header) []byte {
	var b bytes.Buffer
	if agent := h.Get("User-Agent"); agent != "" {
		fmt.Fprintf(&b, "User-Agent: %s\r\n", strings.NewReplacer("\r", " ", "\n", " ").Replace(agent))
	}
	_ = h.WriteSubset(&b, map[string]bool{ // a bytes.Buffer takes all
		"Host": true, "User-Agent": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true})
	return b.Bytes()
}
