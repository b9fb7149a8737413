package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

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
	Dial DialFunc
	TLS  *tls.Config
	// Timeout limits DialTLS.
	Timeout time.Duration
	// Idle is how many connections are kept without a request.
	Idle int
}

// A Pool sends requests over HTTP/1.1, over TLS where a server does not speak HTTP/2. It does what
// net/http's Transport does, with that package's reader of answers and the same limits, but in the
// goroutine of the caller: the Transport passes each request to two other goroutines, which costs
// more than the rest of a request. Its methods are safe for concurrent use.
type Pool struct {
	o Options

	mu     sync.Mutex
	idle   map[string][]*conn // by origin, the last used at the end
	kept   int                // how many these are
	secure map[string]bool    // origins that speak HTTP/1.1 over TLS
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
}

// Bounded returns a context that ends with the request.
func (r *Request) Bounded() (context.Context, context.CancelFunc) {
	if r.Until.IsZero() {
		return context.WithCancel(r.Context)
	}
	return context.WithDeadline(r.Context, r.Until)
}

// ErrStale is the error of a request over a kept connection that turned out to have ended: sending
// it again at once may help.
var ErrStale = errors.New("the kept connection had ended")

// Speaks reports whether Send can send a request: a server over TLS must be known to speak HTTP/1.1.
func (p *Pool) Speaks(r *Request) bool {
	if r.To.Scheme() == "http" {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.secure[r.To.Origin()]
}

// Send sends one request and returns the answer. The caller must close the body, which gives the
// connection back where the body was read to its end. Nothing is sent twice: where a kept connection
// turns out to have ended, the error is ErrStale.
func (p *Pool) Send(r *Request) (*http.Response, error) {
	c, err := p.conn(r)
	if err != nil {
		return nil, err
	}
	resp, err := c.exchange(r)
	if err == nil {
		return resp, nil
	}
	c.close()
	switch {
	case r.Context.Err() != nil:
		err = r.Context.Err()
	case c.left <= 0: // the head is cut, whatever was read of it
		err = errHeaders
	case c.reused && !c.answered && !errors.Is(err, os.ErrDeadlineExceeded):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(c.origin) // another attempt is not to meet the end of the next one
		err = ErrStale
	}
	return nil, err
}

// forget closes the idle connections of an origin. p.mu is held.
func (p *Pool) forget(origin string) {
	for _, c := range p.idle[origin] {
		c.close()
	}
	p.kept -= len(p.idle[origin])
	delete(p.idle, origin)
}

// conn returns a kept connection or a new one, with the deadline of the request: a timer for each
// request would cost more.
func (p *Pool) conn(r *Request) (c *conn, err error) {
	for c = p.pop(r.To.Origin()); c != nil; c = p.pop(r.To.Origin()) {
		if c.SetDeadline(r.Until) == nil && c.fresh(r.Until) {
			return c, nil
		}
		c.close()
	}
	if c, err = p.dial(r); err != nil {
		return nil, err
	}
	return c, c.SetDeadline(r.Until) // fails only where it is closed
}

func (p *Pool) dial(r *Request) (*conn, error) {
	ctx, cancel := r.Bounded()
	defer cancel()
	hostport := net.JoinHostPort(strings.Trim(r.To.Host(), "[]"), r.To.EffectivePort())
	if r.To.Scheme() == "http" {
		nc, err := p.o.Dial(ctx, "tcp", hostport)
		if err != nil {
			return nil, err
		}
		return p.newConn(nc, nc, r.To.Origin()), nil
	}
	nc, wire, err := p.handshake(ctx, hostport, "http/1.1")
	if err != nil { // the protocol is negotiated once more
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.secure, r.To.Origin())
		return nil, err
	}
	return p.newConn(nc, wire.Conn, r.To.Origin()), nil
}

// newConn returns the connection nc, whose bytes come over wire.
func (p *Pool) newConn(nc, wire net.Conn, origin string) *conn {
	c := &conn{Conn: nc, wire: wire, pool: p, origin: origin}
	c.br = bufio.NewReaderSize(limited{c}, 4096)
	c.tls, _ = nc.(*tls.Conn)
	return c
}

func (p *Pool) pop(origin string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[origin]
	n := len(kept)
	if n == 0 {
		return nil
	}
	c := kept[n-1]
	kept[n-1] = nil
	p.idle[origin] = kept[:n-1] // its memory serves the next one
	p.kept--
	return c
}

// keep takes a connection back for the next request. Where too many are kept, those of any origin are
// closed.
func (p *Pool) keep(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.close()
		return
	}
	for origin := range p.idle {
		if p.kept < p.o.Idle {
			break
		}
		p.forget(origin)
	}
	c.since = time.Now()
	p.idle[c.origin] = append(p.idle[c.origin], c)
	p.kept++
}

// Close closes the idle connections, and from now on each that becomes idle.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for origin := range p.idle {
		p.forget(origin)
	}
}
