package crawler

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"sitemend/crawler/address"
)

// maxHeader is how many bytes of headers an answer may have, 1xx answers before
// it included.
const maxHeader = 1 << 20

// wires are the connections: one transport that dials hosts itself, through the
// guard, and one that goes through a proxy, where there is one.
type wires struct {
	direct  *http.Transport
	proxied *http.Transport                  // nil without a proxy
	proxy   func(*url.URL) (*url.URL, error) // nil without a proxy
}

func newWires(o *AskOptions, e *elsewhere) wires {
	w := wires{direct: newTransport(o)}
	w.direct.DialContext = guardedDial(o, e)
	if c := httpproxy.FromEnvironment(); !o.NoProxy && (c.HTTPProxy != "" || c.HTTPSProxy != "") {
		w.proxy = c.ProxyFunc()
		w.proxied = newTransport(o)
		w.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return w.proxy(r.URL) }
		w.proxied.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
		w.proxied.OnProxyConnectResponse = connected
	}
	return w
}

func newTransport(o *AskOptions) *http.Transport {
	return &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true, // Accept-Encoding is the identity's
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    o.Parallel,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
}

// guardedDial dials what --resolve says, and asks the guard about the address
// that is dialled, when it is known.
func guardedDial(o *AskOptions, e *elsewhere) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, hostport string) (net.Conn, error) {
		d := net.Dialer{Timeout: o.Timeout, Control: o.Guard.control(hostOnly(hostport))}
		return d.DialContext(ctx, network, e.dial(hostport))
	}
}

// connected makes a proxy's refusal to connect an error that can be told.
func connected(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{cutBytes(strings.ToValidUTF8(resp.Status, "\uFFFD"), 60)}
}

// route says which transport a request takes.
func (w *wires) route(to address.Address) (t *http.Transport, proxied bool) {
	if w.proxy != nil {
		if p, err := w.proxy(&url.URL{Scheme: to.Scheme(), Host: to.HostPort()}); err != nil || p != nil {
			return w.proxied, true
		}
	}
	return w.direct, false
}

func (w *wires) close() {
	w.direct.CloseIdleConnections()
	if w.proxied != nil {
		w.proxied.CloseIdleConnections()
	}
}

// maxRetry keeps a Retry-After from overflowing a Duration.
const maxRetry = 10 * 365 * 24 * time.Hour

// retryAfter reads a Retry-After, seconds or a date (RFC 9110 10.2.3); 0 for
// none, for nonsense and for a time that is over.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if n, err := strconv.ParseUint(value, 10, 63); err == nil {
		return time.Duration(min(n, uint64(maxRetry/time.Second))) * time.Second
	}
	if t, err := http.ParseTime(value); err == nil {
		return min(max(0, t.Sub(now)), maxRetry)
	}
	return 0
}
