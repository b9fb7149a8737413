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

	"golang.org/x/net/http/httpproxy"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/fetch/internal/http1"
)

// An exchange is one request on its way through colly.
type exchange struct {
	http1.Request
	answer *answer
	header http.Header // what Lines are made from
	site   *SiteAnswer
	err    error
}

// A noAnswer is the error of a request that was not sent, that a Site has no answer to, or whose answer
// cannot be decoded.
type noAnswer struct {
	fault  answers.Fault
	detail string
}

func (e *noAnswer) Error() string { return e.detail }

// send sends one request and passes the answer to x.answer.
func (a *Client) send(x *exchange, at address.Address, as answers.Purpose) error {
	if a.echoes.masked(at) {
		return &noAnswer{answers.FaultUnreachable, "its address holds a header or password of the audit, and is not requested so"}
	}
	if a.o.Site != nil {
		ask := a.o.Site.Answer
		if x.answer.file != nil {
			ask = a.o.Site.File
		}
		if answer, ok := ask(at); ok {
			x.site = &answer
			return a.throughColly(x)
		}
	}
	x.To = a.overrides.target(at)
	h := a.headers[as.Base()].plain
	// Nothing else decides whether the user's headers and credentials are sent: the origin must be
	// audited, as it is listed, before --map, and no host that is not audited may have led there.
	if as&answers.WithoutSecrets == 0 && a.audited(at) {
		h = a.headers[as.Base()].secret
	}
	x.header, x.Lines, x.Host = h.values, h.lines, x.To.HostPort()
	if h.host != "" {
		x.Host = h.host
	}
	return a.throughColly(x)
}

// transports send requests: over package http1, over net/http's Transport where a server speaks
// HTTP/2, and over another one through a proxy.
type transports struct {
	http1          *http1.Pool
	http2, proxied *http.Transport
	proxy          func(*url.URL) (*url.URL, error) // nil without a proxy
}

func newTransports(o *Options, e *hostOverrides) transports {
	w := transports{http2: newTransport(o), proxied: newTransport(o)}
	if c := httpproxy.FromEnvironment(); !o.NoProxy && (c.HTTPProxy != "" || c.HTTPSProxy != "") {
		w.proxy = c.ProxyFunc()
	}
	w.proxied.Proxy = func(r *http.Request) (*url.URL, error) {
		to, err := w.proxy(r.URL)
		return to, errors.Join(o.Guard.Host(r.URL.Hostname()), err)
	}
	w.proxied.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
	w.http1 = http1.New(http1.Options{Dial: guardedDial(o, e), TLS: w.http2.TLSClientConfig, Timeout: o.Timeout, Idle: AtOnce()})
	w.http2.DialTLSContext = w.http1.DialTLS
	return w
}

func newTransport(o *Options) *http.Transport {
	return &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true, // the identity sets Accept-Encoding
		MaxIdleConns:           AtOnce(),
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
	w.http2.CloseIdleConnections()
	w.proxied.CloseIdleConnections()
}

// spareFiles are files other than connections: store, spool, outputs, standard streams.
const spareFiles = 48

// AtOnce returns how many requests may be under way at once over all hosts, and how many connections are
// kept open without a request, of each of two kinds: 512. It is less where the system allows this process
// few open files: a quarter of them, for a second connection that races the first over another address
// and queries to a name server need as many, too.
func AtOnce() int {
	if files := openFiles(); files > 0 {
		return min(512, max(1, (files-spareFiles)/4))
	}
	return 512
}

// A DialFunc dials as net.Dialer.DialContext does.
type DialFunc = http1.DialFunc

// guardedDial dials what --resolve names, and checks the resolved address with the guard before it
// connects.
func guardedDial(o *Options, e *hostOverrides) DialFunc {
	return func(ctx context.Context, network, hostport string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(hostport)
		dial := (&net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: o.Guard.control(host)}).DialContext
		if o.Dial != nil {
			dial = o.Dial
		}
		c, err := dial(ctx, network, e.dial(hostport))
		if err == nil && o.Guard.Connected(host, c.RemoteAddr().String()) && o.OnPrivate != nil {
			o.OnPrivate()
		}
		return c, err
	}
}

// byProxy reports whether requests for an address go through a proxy.
func (w *transports) byProxy(to address.Address) bool {
	if w.proxy == nil {
		return false
	}
	p, err := w.proxy(&url.URL{Scheme: to.Scheme(), Host: to.HostPort()})
	return p != nil || err != nil
}

// get has the fields that all requests share.
var get = &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// roundTrip sends a request, with every byte of its address unchanged, and returns the answer with its
// body open. It follows no redirects and observes all limits. cancel is to be called after the body
// was read.
func (w *transports) roundTrip(x *exchange) (resp *http.Response, cancel func(), err error) {
	cancel = func() {}
	if x.site != nil {
		resp, err = x.site.response()
		return resp, cancel, err
	}
	t := w.http2
	if w.byProxy(x.To) {
		t = w.proxied
	} else if w.http1.Speaks(&x.Request) {
		resp, err = w.http1.Send(&x.Request)
		return resp, cancel, err
	}
	ctx, cancel := x.Bounded()
	// net/http sends a request again, up to seven times, where a server resets the stream or goes
	// away; neither the pace nor the counters would notice. This stops that before a byte is written,
	// and the layers above try again in their own way.
	var sent, again atomic.Bool
	req := get.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
		GotConn: func(httptrace.GotConnInfo) {
			if sent.Load() {
				again.Store(true)
				cancel()
			}
		},
	}))
	query, has := x.To.Query()
	// Opaque is sent byte for byte; url.URL would rewrite a whole path because of one byte that it
	// does not expect. After "//" it begins with the host, as a proxy needs it; HTTP/2 removes that.
	path := x.To.Path()
	if x.To.Scheme() == "http" || strings.HasPrefix(path, "//") {
		path = "//" + x.Host + path
	}
	req.URL = &url.URL{Scheme: x.To.Scheme(), Host: x.To.HostPort(), Opaque: path, RawQuery: query, ForceQuery: has}
	req.Host, req.Header = x.Host, x.header
	if resp, err = t.RoundTrip(req); errors.Is(err, http1.ErrChosen) {
		resp, err = w.http1.Send(&x.Request)
	} else if again.Load() {
		err = http1.ErrStale
	}
	return resp, cancel, err
}

// response returns the answer of a Site.
func (s *SiteAnswer) response() (*http.Response, error) {
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
