package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"

	"sitemend/crawler/address"
)

// MaxHeader is how many bytes of headers an answer may have, those of 1xx answers before it
// included.
const MaxHeader = 1 << 20

// IdleTime is how long a connection may have been without a request to be used again.
const IdleTime = 30 * time.Second

// A DialFunc dials as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Options configures a Pool.
type Options struct {
	Dial    DialFunc
	TLS     *tls.Config
	Timeout time.Duration // of a TLS handshake
	// PerHost and Idle limit the idle connections that are kept: for one host, and in all.
	PerHost, Idle int
}

// A Pool sends requests over HTTP/1.1 without a proxy, over TLS where a server does not speak
// HTTP/2. It does what net/http's Transport does, with that package's reader of answers and the
// same limits, but in the goroutine of the caller: the Transport passes each request to two other
// goroutines, which costs more than the rest of a request. Requests that it cannot send are for the
// Transport; see Fits. Its methods are safe for concurrent use.
type Pool struct {
	o Options

	mu     sync.Mutex
	idle   map[string][]*conn // by key, the last used at the end
	kept   int                // how many these are
	secure map[string]bool    // keys of hosts that speak HTTP/1.1 over TLS
	closed bool
}

// New returns a Pool. Close closes its connections.
func New(o Options) *Pool {
	return &Pool{o: o, idle: map[string][]*conn{}, secure: map[string]bool{}}
}

// A Request is a GET request.
type Request struct {
	Context context.Context
	Until   time.Time       // deadline of the whole answer; zero where only Context ends it
	To      address.Address // the address to request, whose host is dialled
	Host    string          // the Host header
	Lines   []byte          // the other headers, as Lines makes them
	Close   bool            // Lines contain "Connection: close"
}

// ErrStale is the error of a request over a kept connection that turned out to have ended: sending
// it again at once may help.
var ErrStale = errors.New("the kept connection had ended")

// Ended returns why r has to end; nil while it may go on.
func (r *Request) Ended() error {
	if err := r.Context.Err(); err != nil {
		return err
	}
	if !r.Until.IsZero() && !time.Now().Before(r.Until) {
		return context.DeadlineExceeded
	}
	return nil
}

// Fits reports whether Send can send a request. Where the system cannot tell whether a kept
// connection is still open, the Transport has to watch it.
func (p *Pool) Fits(r *Request) bool {
	return Supported && httpguts.ValidHostHeader(r.Host) && !strings.Contains(r.Host, "%") &&
		(r.To.Scheme() == "http" || p.speaks(keyOf(r)))
}

// keyOf returns the key of the connections that a request can use: host:port, in another form over
// TLS.
func keyOf(r *Request) string {
	hostport := net.JoinHostPort(strings.Trim(r.To.Host(), "[]"), r.To.EffectivePort())
	if r.To.Scheme() == "https" {
		return secureKey(hostport)
	}
	return hostport
}

// Send sends one request and returns the answer. The caller must close the body, a *Body or
// http.NoBody, which gives the connection back where the body was read to its end. Nothing is sent
// twice: where a kept connection turns out to have ended, the error is ErrStale.
func (p *Pool) Send(r *Request) (*http.Response, error) {
	c, err := p.conn(r, keyOf(r))
	if err != nil {
		return nil, err
	}
	resp, err := c.exchange(r)
	if err == nil {
		return resp, nil
	}
	c.close()
	if c.reused && !c.answered && r.Ended() == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(c.key)
		err = ErrStale
	}
	return nil, err
}

// forget closes the idle connections of a host, as where it ended one of them: then another attempt
// does not meet the end of the next. p.mu is held.
func (p *Pool) forget(key string) {
	for _, c := range p.idle[key] {
		c.close()
	}
	p.kept -= len(p.idle[key])
	delete(p.idle, key)
}

// conn returns a kept connection or a new one, with the deadline of the request: a timer for each
// request would cost more.
func (p *Pool) conn(r *Request, key string) (*conn, error) {
	for c := p.pop(key); c != nil; c = p.pop(key) {
		if time.Since(c.since) < IdleTime && c.SetDeadline(r.Until) == nil && c.fresh() {
			return c, nil
		}
		c.close()
	}
	return p.dialled(r, key)
}

func (p *Pool) newConn(nc net.Conn, key string) *conn {
	c := &conn{Conn: nc, pool: p, key: key}
	c.br = bufio.NewReaderSize(limited{c}, 4096)
	if c.tls, _ = nc.(*tls.Conn); c.tls != nil {
		nc = c.tls.NetConn()
	}
	if sc, ok := nc.(syscall.Conn); ok {
		c.raw, _ = sc.SyscallConn() // nil where silent cannot check the connection: then it is used once
	}
	return c
}

func (p *Pool) dialled(r *Request, key string) (*conn, error) {
	ctx := r.Context
	if !r.Until.IsZero() {
		limited, cancel := context.WithDeadline(ctx, r.Until)
		defer cancel()
		ctx = limited
	}
	nc, err := net.Conn(nil), error(nil)
	if hostport, ok := strings.CutPrefix(key, secureKey("")); ok {
		nc, err = p.dialAgain(ctx, key, hostport)
	} else {
		nc, err = p.o.Dial(ctx, "tcp", key)
	}
	if err != nil {
		return nil, err
	}
	c := p.newConn(nc, key)
	return c, c.SetDeadline(r.Until) // fails only where it is closed
}

func (p *Pool) pop(key string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[key]
	n := len(kept)
	if n == 0 {
		return nil
	}
	c := kept[n-1]
	kept[n-1] = nil
	p.idle[key] = kept[:n-1] // its memory serves the next one
	p.kept--
	return c
}

// keep takes a connection back for the next request. Where too many are kept, the one that was idle
// longest is closed.
func (p *Pool) keep(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle[c.key]) >= p.o.PerHost {
		c.close()
		return
	}
	for p.kept > 0 && p.kept >= p.o.Idle {
		p.dropOldest()
	}
	c.since = time.Now()
	p.idle[c.key] = append(p.idle[c.key], c)
	p.kept++
}

// dropOldest closes the connection that was idle longest. p.mu is held.
func (p *Pool) dropOldest() {
	oldest := ""
	for key, kept := range p.idle {
		if len(kept) > 0 && (oldest == "" || kept[0].since.Before(p.idle[oldest][0].since)) {
			oldest = key
		}
	}
	p.idle[oldest][0].close()
	p.idle[oldest] = slices.Delete(p.idle[oldest], 0, 1)
	p.kept--
}

// Idle returns how many connections are kept open without a request.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept
}

// Close closes the idle connections, and from now on each that becomes idle.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for key := range p.idle {
		p.forget(key)
	}
}
