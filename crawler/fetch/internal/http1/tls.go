package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// The first connection to a server over TLS, which net/http's Transport requests, settles the
// protocol (ALPN, RFC 7301). HTTP/2 stays with the Transport. A connection of HTTP/1.1 goes to a
// Pool, for this request and all others of the host: where the next request comes quickly, the
// Transport would take bytes beyond the length of an answer for the next answer.

// ErrChosen is the error of DialTLS where a server chose HTTP/1.1: the Pool has the connection.
var ErrChosen = errors.New("the server chose HTTP/1.1")

// DialTLS dials for a Transport, to which it returns connections of HTTP/2. It keeps others for
// Send.
func (p *Pool) DialTLS(ctx context.Context, network, hostport string) (net.Conn, error) {
	c, err := p.secured(ctx, network, hostport, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		c.NetConn().(*gathering).gather()
		return c, nil
	}
	key := secureKey(hostport)
	p.mu.Lock()
	p.secure[key] = true
	p.mu.Unlock()
	p.keep(p.newConn(c, key))
	return nil, ErrChosen
}

// dialAgain dials a host that is known to speak HTTP/1.1 over TLS. Where the host refuses that,
// dialAgain negotiates the protocol once more.
func (p *Pool) dialAgain(ctx context.Context, key, hostport string) (net.Conn, error) {
	c, err := p.secured(ctx, "tcp", hostport, "http/1.1")
	if err == nil {
		return c, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.secure, key)
	return nil, err
}

// secured dials a host and performs the TLS handshake.
func (p *Pool) secured(ctx context.Context, network, hostport string,
	protocols ...string) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	nc, err := p.o.Dial(ctx, network, hostport)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	config := p.o.TLS.Clone()
	config.ServerName, config.NextProtos = host, protocols
	c := tls.Client(newGathering(nc), config)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return c, nil
}

// secureKey returns the key of a host's TLS connections among all idle ones.
func secureKey(hostport string) string { return "https://" + hostport }

// speaks reports whether a host is known to speak HTTP/1.1 over TLS.
func (p *Pool) speaks(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.secure[key]
}

// rest reports whether a TLS connection has decoded more than was read from it. It reads nothing
// from the network.
func rest(c *tls.Conn) bool {
	var one [1]byte
	if c.SetReadDeadline(time.Unix(1, 0)) != nil {
		return true
	}
	n, err := c.Read(one[:])
	var late net.Error
	return n > 0 || !errors.As(err, &late) || !late.Timeout()
}
