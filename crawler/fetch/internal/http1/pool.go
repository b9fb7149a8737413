package http1

import (
	"bufio"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"io"
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

// MaxHeader is how many bytes of headers an answer may have, 1xx answers before
// it included.
const MaxHeader = 1 << 20

// IdleTime is how long a connection is kept open without a request.
const IdleTime = 30 * time.Second

// A DialFunc dials as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Options says how a Pool makes connections and how many it keeps.
type Options struct {
	Dial    DialFunc
	TLS     *tls.Config
	Timeout time.Duration // of a TLS handshake
	// PerHost and Idle are how many connections are kept open without a request: for one
	// host, and in all.
	PerHost, Idle int
}

// A Pool sends requests over HTTP/1.1 without a proxy, over TLS where a server speaks no
// HTTP/2. It does what net/http's Transport does, with that package's own reader of answers
// and the same limits, but in the goroutine of the caller: the Transport hands each request
// to two other goroutines, which costs more than all the rest of a request. What it is not
// made for is left to the Transport; see Fits. Its methods may be called from several
// goroutines at once.
type Pool struct {
	o Options

	mu     sync.Mutex
	idle   map[string][]*conn // by key, the one that was used last at the end
	order  list.List          // of all that are idle, the one that was used last at the end
	secure map[string]bool    // keys of hosts that speak HTTP/1.1 over TLS
	sweep  *time.Timer        // nil where nothing is idle
	closed bool
}

// New returns a Pool. Close closes its connections.
func New(o Options) *Pool {
	return &Pool{o: o, idle: map[string][]*conn{}, secure: map[string]bool{}}
}

// A Request is a GET.
type Request struct {
	Context context.Context
	Until   time.Time       // the answer has to be read by then; zero where Context alone ends it
	To      address.Address // what is asked for, and the host that is dialled
	Host    string          // the Host header
	Lines   []byte          // the other headers, as Lines makes them
	Close   bool            // they say that the connection ends with the answer
	Flow    Flow
}

// A Flow reads the next piece of an answer from r. Its error ends the answer.
type Flow interface {
	Read(r io.Reader, b []byte) (int, error)
}

// ErrStale is the error of a request over a connection that was kept open and turned out to
// have ended: asking again at once may help.
var ErrStale = errors.New("the kept connection had ended")

// Ended says why there is no more time for it; nil where there is.
func (r *Request) Ended() error {
	if err := r.Context.Err(); err != nil {
		return err
	}
	if !r.Until.IsZero() && !time.Now().Before(r.Until) {
		return context.DeadlineExceeded
	}
	return nil
}

// Fits reports whether a request can go this way. Where the system cannot tell
// whether a kept connection is still open the Transport has to watch it.
func (p *Pool) Fits(r *Request) bool {
	return Supported && httpguts.ValidHostHeader(r.Host) && !strings.Contains(r.Host, "%") &&
		(r.To.Scheme() == "http" || p.speaks(keyOf(r)))
}

// keyOf names the connections that a request can take: by host:port, and apart
// where they are secure.
func keyOf(r *Request) string {
	hostport := net.JoinHostPort(strings.Trim(r.To.Host(), "[]"), r.To.EffectivePort())
	if r.To.Scheme() == "https" {
		return secureKey(hostport)
	}
	return hostport
}

// Send sends one request and returns the answer. Its body, a *Body or http.NoBody, must be
// closed; that gives the connection back where the body was read to its end. Nothing is sent
// twice: where a connection that was kept open turns out to have ended, the error is
// ErrStale.
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

// forget closes the idle connections of a host that ended one of them: another
// try is not to meet the end of the next.
func (p *Pool) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle[key] {
		p.order.Remove(c.place)
		c.close()
	}
	delete(p.idle, key)
}

// conn returns a connection that is kept open, or a new one. Its deadline is that
// of the request: a timer for each request would cost more.
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
		c.raw, _ = sc.SyscallConn() // nil where it cannot be looked at: then it is used once
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
	if kept[n-1] = nil; n > 1 {
		p.idle[key] = kept[:n-1]
	} else {
		delete(p.idle, key)
	}
	p.order.Remove(c.place)
	return c
}

// keep takes a connection back for the next request.
func (p *Pool) keep(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.order.Len() >= p.o.Idle || len(p.idle[c.key]) >= p.o.PerHost {
		c.close()
		return
	}
	c.since = time.Now()
	p.idle[c.key] = append(p.idle[c.key], c)
	if c.place = p.order.PushBack(c); p.sweep == nil {
		p.sweep = time.AfterFunc(IdleTime, p.swept)
	}
}

// swept closes what was idle for too long, and comes again where more is idle.
func (p *Pool) swept() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := p.oldest(); c != nil && time.Since(c.since) >= IdleTime; c = p.oldest() {
		p.drop(c)
	}
	if p.sweep = nil; p.order.Len() > 0 {
		p.sweep = time.AfterFunc(IdleTime, p.swept)
	}
}

// LetGo closes the connection that is idle for the longest time; false where none
// is.
func (p *Pool) LetGo() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.oldest()
	if c != nil {
		p.drop(c)
	}
	return c != nil
}

// oldest is the connection that is idle for the longest time; nil for none. p.mu is
// held.
func (p *Pool) oldest() *conn {
	if first := p.order.Front(); first != nil {
		return first.Value.(*conn)
	}
	return nil
}

// drop closes an idle connection. p.mu is held.
func (p *Pool) drop(c *conn) {
	p.order.Remove(c.place)
	kept := slices.DeleteFunc(p.idle[c.key], func(x *conn) bool { return x == c })
	if p.idle[c.key] = kept; len(kept) == 0 {
		delete(p.idle, c.key)
	}
	c.close()
}

// Idle returns how many connections are kept open without a request.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order.Len()
}

// Close closes the connections that are idle, now and from now on.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for c := p.oldest(); c != nil; c = p.oldest() {
		p.drop(c)
	}
	if p.sweep != nil {
		p.sweep.Stop()
	}
}
