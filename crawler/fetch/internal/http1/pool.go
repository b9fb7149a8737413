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

// IdleTime is how long a connection is kept open without a request.
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
	sweep  *time.Timer        // nil where no connection is idle
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
		p.forget(c.key)
		err = ErrStale
	}
	return nil, err
}

// forget closes the idle connections of a host that ended one of them, so that another attempt does
// not meet the end of the next.
func (p *Pool) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
		if c.SetDeadline(r.Until) == nil && c.fresh() {
			return c, nil
		}
		c.close()
	}
	nc, err := p.dialled(r, key)
	if err != nil {
		return nil, err
	}
	return p.newConn(nc, key), nil
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

func (p *Pool) dialled(r *Request, key string) (net.Conn, error) {
	ctx := r.Context
	if !r.Until.IsZero() {
		limited, cancel := context.WithDeadline(ctx, r.Until)
		defer cancel()
		ctx = limited
	}
	nc, err := p.dialKey(ctx, key)
	if err != nil {
		return nil, err
	}
	if err := nc.SetDeadline(r.Until); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	return nc, nil
}

func (p *Pool) dialKey(ctx context.Context, key string) (net.Conn, error) {
	if hostport, ok := strings.CutPrefix(key, secureKey("")); ok {
		return p.dialAgain(ctx, key, hostport)
	}
	return p.o.Dial(ctx, "tcp", key)
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
	p.idle[key] = kept[:n-1] // its memory serves the next one; swept drops it
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
	if p.kept++; p.sweep == nil {
		p.sweep = time.AfterFunc(IdleTime, p.swept)
	}
}

// swept closes connections that were idle for too long, and sets its timer again where others are
// idle.
func (p *Pool) swept() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, kept := range p.idle {
		for len(kept) > 0 && time.Since(kept[0].since) >= IdleTime {
			kept = p.drop(key)
		}
		if len(kept) == 0 {
			delete(p.idle, key)
		}
	}
	if p.sweep = nil; p.kept > 0 {
		p.sweep = time.AfterFunc(IdleTime, p.swept)
	}
}

// dropOldest closes the connection that was idle longest. p.mu is held.
func (p *Pool) dropOldest() {
	oldest := ""
	for key, kept := range p.idle {
		if len(kept) > 0 && (oldest == "" || kept[0].since.Before(p.idle[oldest][0].since)) {
			oldest = key
		}
	}
	p.drop(oldest)
}

// drop closes the connection of a key that was idle longest, and returns the others. p.mu is held.
func (p *Pool) drop(key string) []*conn {
	kept := p.idle[key]
	kept[0].close()
	p.kept--
	p.idle[key] = slices.Delete(kept, 0, 1)
	return p.idle[key]
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
	for key, kept := range p.idle {
		for len(kept) > 0 {
			kept = p.drop(key)
		}
	}
	if p.sweep != nil {
		p.sweep.Stop()
	}
}
