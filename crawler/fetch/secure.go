package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Which protocol a server speaks over TLS is settled with its first connection
// (ALPN, RFC 7301), which net/http's Transport asks for. HTTP/2 stays there. A
// connection of HTTP/1.1 goes to http1, for this request and all others of the
// host: the Transport would take what a server sends beyond the length of an answer
// for the next one, where the next request comes quickly.

// errHTTP1 tells the Transport that there is no connection for it.
var errHTTP1 = errors.New("the server chose HTTP/1.1")

// errHost is net/http's for a Host header that cannot be sent.
var errHost = errors.New("invalid Host header")

// dialTLS dials for the Transport. What is no connection for it is kept.
func (w *http1) dialTLS(ctx context.Context, network, hostport string) (net.Conn, error) {
	c, err := w.secured(ctx, network, hostport, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		return c, nil
	}
	key := secureKey(hostport)
	w.mu.Lock()
	w.secure[key] = true
	w.mu.Unlock()
	w.keep(w.newConn(c, key))
	return nil, errHTTP1
}

// dialAgain dials a host that is known to speak HTTP/1.1 over TLS. Where it refuses
// it is asked once more what it speaks.
func (w *http1) dialAgain(ctx context.Context, key, hostport string) (net.Conn, error) {
	c, err := w.secured(ctx, "tcp", hostport, "http/1.1")
	if err == nil {
		return c, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.secure, key)
	return nil, err
}

// secured dials a host and makes the connection secure.
func (w *http1) secured(ctx context.Context, network, hostport string, protocols ...string) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	nc, err := w.dial(ctx, network, hostport)
	if err != nil {
		return nil, err
	}
	config := w.tls.Clone()
	config.ServerName, config.NextProtos = hostOnly(hostport), protocols
	c := tls.Client(nc, config)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return c, nil
}

// sendOver sends a request over the connection that dialTLS kept for it, or over
// another one where somebody else was quicker.
func (w *http1) sendOver(x *exchange) (*http.Response, error) {
	if !httpguts.ValidHostHeader(x.host) {
		return nil, errHost
	}
	return w.send(x)
}

// secureKey is the name of a host's secure connections among all that are idle.
func secureKey(hostport string) string { return "https://" + hostport }

// speaks tells whether a host is known to speak HTTP/1.1 over TLS.
func (w *http1) speaks(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.secure[key]
}

// rest tells whether a secure connection has decoded more than was read of it. It
// looks at nothing that is not here already.
func rest(c *tls.Conn) bool {
	var one [1]byte
	if c.SetReadDeadline(time.Unix(1, 0)) != nil {
		return true
	}
	n, err := c.Read(one[:])
	var late net.Error
	return n > 0 || !errors.As(err, &late) || !late.Timeout()
}
