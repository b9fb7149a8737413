package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch/internal/http1"
)

// An exchange is one request on its way through colly.
type exchange struct {
	ctx               context.Context
	until             time.Time // zero where only ctx ends it
	answer            *answer
	to                address.Address
	host              string // the Host header
	headers           *headers
	proxied, absolute bool // the request goes through a proxy; and its first line contains the host
	site              *SiteAnswer
	stale             bool // a kept connection turned out to have ended
	rule              audit.RuleAt
	err               error
	request           http1.Request // what own returned last
}

// ended returns why the exchange has to end; nil while it may go on.
func (x *exchange) ended() error { return x.own().Ended() }

// own returns the exchange as a request of package http1.
func (x *exchange) own() *http1.Request {
	x.request = http1.Request{Context: x.ctx, Until: x.until, To: x.to, Host: x.host}
	if x.headers != nil {
		x.request.Lines, x.request.Close = x.headers.lines, x.headers.last
	}
	return &x.request
}

// A noAnswer is the error of a request that was not sent, or that a Site has no answer to.
type noAnswer struct {
	fault  audit.Fault
	detail string
}

func (e *noAnswer) Error() string { return e.detail }

// send sends one request and passes the answer to x.answer.
func (a *Client) send(x *exchange, at address.Address, as audit.Purpose) error {
	if a.echoes.masked(at) {
		return &noAnswer{audit.FaultUnreachable, "its address holds a header or password of the audit, and is not requested so"}
	}
	if a.o.Site != nil {
		ask := a.o.Site.Answer
		if x.answer.file != nil {
			ask = a.o.Site.File
		}
		if answer, ok := ask(at); ok {
			x.to, x.site = at, &answer
			return a.throughColly(x)
		}
	}
	x.to = a.overrides.target(at)
	d := a.headers[as.Base()]
	x.headers, x.host = &d.plain, x.to.HostPort()
	if a.bears(at, as) {
		if x.headers = &d.secret; d.host != "" {
			x.host = d.host
		}
	}
	if err := a.o.Guard.Host(x.to.Host()); err != nil && !a.overrides.names(x.to.Host()) {
		return err
	}
	x.proxied, x.absolute = a.transports.proxies(x.to)
	err := a.throughColly(x)
	if err == nil && x.proxied {
		a.o.settled(x.to.Host(), a.o.Guard.Answered(x.to.Host()))
	}
	return err
}

// settled calls OnTarget where the place of a target is known now.
func (o *Options) settled(host string, at Place) {
	if at != Nowhere && o.OnTarget != nil {
		o.OnTarget(host, at)
	}
}

// transports send requests: over package http1 where they can, else over net/http's Transport, which
// has HTTP/2, and another one for a proxy. The first two dial hosts themselves, through the guard.
type transports struct {
	http1           *http1.Pool
	direct, proxied *http.Transport                  // proxied is nil without a proxy
	proxy           func(*url.URL) (*url.URL, error) // nil without a proxy
}

func newTransports(o *Options, e *hostOverrides, m *machine) transports {
	w := transports{direct: newTransport(o)}
	w.direct.DialContext = guardedDial(o, e, m)
	w.http1 = http1.New(http1.Options{Dial: w.direct.DialContext, TLS: w.direct.TLSClientConfig, Timeout: o.Timeout,
		PerHost: o.Parallel, Idle: w.direct.MaxIdleConns})
	if ownHTTP1 {
		w.direct.DialTLSContext = w.http1.DialTLS
	}
	if c := httpproxy.FromEnvironment(); !o.NoProxy && (c.HTTPProxy != "" || c.HTTPSProxy != "") {
		w.proxy = c.ProxyFunc()
		w.proxied = newTransport(o)
		w.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return w.proxy(r.URL) }
		w.proxied.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
		w.proxied.OnProxyConnectResponse = connected
	}
	return w
}

func newTransport(o *Options) *http.Transport {
	return &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true, // the identity sets Accept-Encoding
		MaxIdleConns:           maxIdle(),
		MaxIdleConnsPerHost:    o.Parallel,
		IdleConnTimeout:        http1.IdleTime,
		MaxResponseHeaderBytes: http1.MaxHeader,
		ForceAttemptHTTP2:      true,
		// Without this, every further stream would go to a connection that died unnoticed: one that
		// is silent for half the time limit is sent a ping.
		HTTP2: &http.HTTP2Config{SendPingTimeout: o.Timeout / 2, PingTimeout: o.Timeout / 2},
	}
}

func (w *transports) close() {
	w.http1.Close()
	w.direct.CloseIdleConnections()
	if w.proxied != nil {
		w.proxied.CloseIdleConnections()
	}
}

// spareFiles are files other than connections: store, spool, outputs, standard streams.
const spareFiles = 48

// AtOnce returns how many requests may be under way at once over all hosts where want are wanted; 0
// means 512. It is less where the system allows this process few open files: a quarter of them, for
// two kinds of idle connections need as many each, and so do a second connection that races the first
// over another address and queries to a name server.
func AtOnce(want int) int {
	if want <= 0 {
		want = 512
	}
	return min(want, maxIdle())
}

// maxIdle is how many connections are kept open without a request, of each of two kinds.
func maxIdle() int {
	if files := openFiles(); files > 0 {
		return min(512, max(1, (files-spareFiles)/4))
	}
	return 512
}

// ownHTTP1 is set where package http1 works; tests of net/http's Transport clear it.
var ownHTTP1 = http1.Supported

// A DialFunc dials as net.Dialer.DialContext does.
type DialFunc = http1.DialFunc

// guardedDial dials what --resolve names, and checks the resolved address with the guard before it
// connects.
func guardedDial(o *Options, e *hostOverrides, m *machine) DialFunc {
	return func(ctx context.Context, network, hostport string) (net.Conn, error) {
		host := hostOnly(hostport)
		d := net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver}
		if !e.names(host) {
			d.Control = o.Guard.control(host)
		}
		dial := d.DialContext
		if o.Dial != nil {
			dial = o.Dial
		}
		c, err := dial(ctx, network, e.dial(hostport))
		if err == nil {
			m.connected(c.RemoteAddr())
			o.settled(host, o.Guard.Connected(host, c.RemoteAddr().String()))
		}
		return c, err
	}
}

// connected makes a proxy's refusal to connect a noAnswer.
func connected(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &noAnswer{audit.FaultUnreachable, "the proxy made no connection: " + cutBytes(strings.ToValidUTF8(resp.Status, "\uFFFD"), 60)}
}

// proxies reports whether requests for an address go through a proxy, and whether the proxy reads
// their first line, which then contains the host: a SOCKS proxy does not.
func (w *transports) proxies(to address.Address) (through, reads bool) {
	if w.proxy == nil {
		return false, false
	}
	p, err := w.proxy(&url.URL{Scheme: to.Scheme(), Host: to.HostPort()})
	return err != nil || p != nil, p != nil && to.Scheme() == "http" &&
		!strings.HasPrefix(p.Scheme, "socks")
}

// get has the fields that all requests share.
var get = &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// roundTrip sends a request, with every byte of its address unchanged, and returns the answer with its
// body open. It follows no redirects and observes all limits. cancel is to be called after the body
// was read.
func (w *transports) roundTrip(x *exchange) (resp *http.Response, cancel func(), err error) {
	none := func() {}
	switch {
	case x.site != nil:
		resp, err = x.site.response(x)
		return resp, none, err
	case ownHTTP1 && !x.proxied && w.http1.Fits(x.own()):
		resp, err = w.ownRoundTrip(x)
		return resp, none, err
	}
	t := w.direct
	if x.proxied {
		t = w.proxied
	}
	ctx := x.ctx
	if !x.until.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, x.until)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	url, sent := wireURL(x.to, x.absolute), &once{cancel: cancel} // net/http may use it after the exchange has ended
	req := get.WithContext(sent.watch(ctx))
	req.URL, req.Host, req.Header, req.Close = &url, x.host, x.headers.values, x.headers.last
	resp, err = t.RoundTrip(req)
	x.stale = sent.stale.Load()
	if errors.Is(err, http1.ErrChosen) {
		if !httpguts.ValidHostHeader(x.host) {
			err = errors.New("invalid Host header")
		} else {
			resp, err = w.ownRoundTrip(x)
		}
	}
	return resp, cancel, err
}

func (w *transports) ownRoundTrip(x *exchange) (*http.Response, error) {
	resp, err := w.http1.Send(x.own())
	x.stale = errors.Is(err, http1.ErrStale)
	return resp, err
}

// response returns the answer of a Site.
func (s *SiteAnswer) response(x *exchange) (*http.Response, error) {
	x.rule = s.Rule
	if s.Fault != "" {
		return nil, &noAnswer{s.Fault, s.Detail}
	}
	resp := &http.Response{StatusCode: s.Status, Header: s.Header, Body: s.Body, ContentLength: s.Length}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	return resp, nil
}

// once allows a request to be sent only once. net/http sends a request again on its own where a
// kept connection ends before the answer, and up to seven times where an HTTP/2 server resets the
// stream (REFUSED_STREAM, PROTOCOL_ERROR) or goes away; neither the pace nor the counters would
// notice. once stops that before a byte is written, and the layers above try again in their own
// way.
type once struct {
	cancel context.CancelFunc
	sent   atomic.Bool
	stale  atomic.Bool
}

// watch returns ctx, which o.cancel ends, with the trace hooks of o.
func (o *once) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteHeaders: func() { o.sent.Store(true) }, GotConn: o.connected})
}

// connected is called with the connection of each attempt. An HTTP/2 stream is not begun once its
// context has ended. HTTP/1.1 would be written to without a check of the context, so that
// connection is closed.
func (o *once) connected(info httptrace.GotConnInfo) {
	if !o.sent.Load() {
		return
	}
	o.stale.Store(true)
	o.cancel()
	if c, ok := info.Conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol == "h2" {
		return
	}
	_ = info.Conn.Close() // no other request uses it
}

// wireURL returns the url.URL for which net/http writes the path and query of an address byte for
// byte: url.URL rewrites a whole path because of one byte that it does not expect, but sends Opaque
// unchanged.
//
// Opaque must not begin with "//", which would be an authority, unless it has one, as in the
// absolute form for a proxy. A path that begins with "//" is sent as RawPath if url.URL accepts it
// as well formed; where it does not ("//%zz") the absolute form of the request line is used, which
// every server must accept (RFC 9112 3.2.2).
func wireURL(a address.Address, absolute bool) url.URL {
	query, has := a.Query()
	u := url.URL{Scheme: a.Scheme(), Host: a.HostPort(), RawQuery: query, ForceQuery: has}
	path := a.Path()
	if !absolute && !strings.HasPrefix(path, "//") {
		u.Opaque = path
		return u
	}
	if plain, err := url.PathUnescape(path); err == nil && !absolute {
		u.Path, u.RawPath = plain, path
		if u.EscapedPath() == path {
			return u
		}
		u.Path, u.RawPath = "", ""
	}
	u.Opaque = "//" + u.Host + path
	return u
}
