package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

	"sitemend/crawler/address"
	"sitemend/crawler/fetch/internal/http1"
)

// A transport sends one request, with every byte of its address unchanged, and returns the answer
// with its body open. It follows no redirects and observes all limits.
type transport interface {
	send(x *exchange) (*http.Response, error)
}

// transports are those for HTTP/1.1, for HTTP/2, and for a proxy, where there is one. The first two
// dial hosts themselves, through the guard.
type transports struct {
	http1   *ownHTTP1
	direct  netHTTP
	proxied netHTTP                          // zero without a proxy
	proxy   func(*url.URL) (*url.URL, error) // nil without a proxy
	open    *conns                           // connections of all three
	own     bool                             // requests may go over http1
}

func newTransports(o *Options, e *hostOverrides, m *machine) transports {
	w := transports{direct: newNetHTTP(o)}
	open := &conns{most: connections(o.AtOnce)}
	dial := open.dialling(guardedDial(o, e, m))
	w.http1, w.open = &ownHTTP1{http1.New(
		http1.Options{Dial: dial, TLS: w.direct.TLSClientConfig, Timeout: o.Timeout,
			PerHost: o.Parallel, Idle: maxIdle})}, open
	w.direct.DialContext = dial
	if w.own = http1.Supported && !o.NetHTTP; w.own {
		w.direct.DialTLSContext, w.direct.http1 = w.http1.DialTLS, w.http1
	}
	if c := httpproxy.FromEnvironment(); !o.NoProxy && (c.HTTPProxy != "" || c.HTTPSProxy != "") {
		w.proxy = c.ProxyFunc()
		w.proxied = newNetHTTP(o)
		w.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return w.proxy(r.URL) }
		w.proxied.DialContext = open.dialling((&net.Dialer{Timeout: o.Timeout}).DialContext)
		w.proxied.OnProxyConnectResponse = connected
	}
	direct, proxied := w.direct, w.proxied
	open.letGo, open.letAll = w.http1.LetGo, func() { direct.close(); proxied.close() }
	return w
}

// ownHTTP1 sends requests over package http1.
type ownHTTP1 struct{ *http1.Pool }

func (t *ownHTTP1) send(x *exchange) (*http.Response, error) {
	resp, err := t.Send(x.own())
	if err == http1.ErrStale {
		x.stale = true
	}
	return resp, err
}

func (t *ownHTTP1) close() { t.Close() }

// errHost is the error for a Host header that cannot be sent.
var errHost = errors.New("invalid Host header")

// netHTTP sends requests over net/http's Transport.
type netHTTP struct {
	*http.Transport
	http1 *ownHTTP1 // takes connections that turn out to be HTTP/1.1; may be nil
}

// get has the fields that all requests share.
var get = &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

func (t netHTTP) send(x *exchange) (*http.Response, error) {
	url := wireURL(x.to, x.absolute)
	// net/http may use the context after the exchange has ended.
	once := once{cancel: x.cancel}
	req := get.WithContext(once.watch(x.ctx))
	req.URL, req.Host, req.Header, req.Close = &url, x.host, x.headers.values, x.headers.last
	resp, err := t.RoundTrip(req)
	x.stale = once.stale.Load()
	if errors.Is(err, http1.ErrChosen) {
		if !httpguts.ValidHostHeader(x.host) {
			return nil, errHost
		}
		return t.http1.send(x)
	}
	if err == nil && resp.Body != http.NoBody {
		x.body = flowing{resp.Body, &x.flow}
		resp.Body = &x.body
	}
	return resp, err
}

func (t netHTTP) close() {
	if t.Transport != nil {
		t.CloseIdleConnections()
	}
}

func newNetHTTP(o *Options) netHTTP {
	return netHTTP{Transport: &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true, // the identity sets Accept-Encoding
		MaxIdleConns:           max(1, connections(o.AtOnce)-o.AtOnce),
		MaxIdleConnsPerHost:    o.Parallel,
		IdleConnTimeout:        http1.IdleTime,
		MaxResponseHeaderBytes: http1.MaxHeader,
		ForceAttemptHTTP2:      true,
		// Without this, every further stream would go to a connection that died unnoticed: one that
		// is silent for half the time limit is sent a ping.
		HTTP2: &http.HTTP2Config{SendPingTimeout: o.Timeout / 2, PingTimeout: o.Timeout / 2},
	}}
}

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
		to := e.dial(hostport)
		c, err := dial(ctx, network, to)
		if err == nil {
			m.connected(c.RemoteAddr())
			o.settled(host, o.Guard.Connected(host, c.RemoteAddr().String()))
			if _, ip := literal(host); !ip && to == hostport {
				m.named(host)
			}
		}
		return c, err
	}
}

// connected makes a proxy's refusal to connect a proxyError.
func connected(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{cutBytes(strings.ToValidUTF8(resp.Status, "\uFFFD"), 60)}
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

// route chooses the transport of a request.
func (w *transports) route(x *exchange) {
	x.proxied, x.absolute = w.proxies(x.to)
	switch {
	case x.proxied:
		x.transport = w.proxied
	case w.own && w.http1.Fits(x.own()):
		x.transport = w.http1
	default:
		x.transport = w.direct
	}
}

// rest closes all idle connections.
func (w *transports) rest() {
	for w.http1.LetGo() {
	}
	w.open.letAll()
}

func (w *transports) close() {
	w.http1.close()
	w.direct.close()
	w.proxied.close()
}

// maxRetry limits a Retry-After, which could overflow a Duration.
const maxRetry = 10 * 365 * 24 * time.Hour

// retryAfter parses a Retry-After, seconds or a date (RFC 9110 10.2.3); 0 for an empty or malformed
// one and for a time in the past.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err == nil || errors.Is(err, strconv.ErrRange) { // a value out of range is the largest one
		return time.Duration(min(n, uint64(maxRetry/time.Second))) * time.Second
	}
	if t, err := http.ParseTime(value); err == nil {
		return min(max(0, t.Sub(now)), maxRetry)
	}
	return 0
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
	if absolute {
		u.Opaque = "//" + u.Host + path
		return u
	}
	if !strings.HasPrefix(path, "//") {
		u.Opaque = path
		return u
	}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
		if u.EscapedPath() == path {
			return u
		}
	}
	u.Path, u.RawPath, u.Opaque = "", "", "//"+u.Host+path
	return u
}
