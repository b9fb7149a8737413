package http1

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// The first connection to a server over TLS, which net/http's Transport requests, settles the
// protocol (ALPN, RFC 7301). HTTP/2 stays with the Transport. A connection of HTTP/1.1 goes to a
// Pool, for this request and all others of the origin: where the next request comes quickly, the
// Transport would take bytes beyond the length of an answer for the next answer.

// ErrChosen is the error of DialTLS where a server chose HTTP/1.1: the Pool has the connection.
var ErrChosen = errors.New("the server chose HTTP/1.1")

// DialTLS dials for a Transport, to which it returns connections of HTTP/2. It keeps others for
// Send.
func (p *Pool) DialTLS(ctx context.Context, _, hostport string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	c, wire, err := p.handshake(ctx, hostport, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		wire.gather()
		return c, nil
	}
	origin := "https://" + strings.TrimSuffix(hostport, ":443")
	p.mu.Lock()
	p.secure[origin] = true
	p.mu.Unlock()
	p.keep(p.newConn(c, wire.Conn, origin))
	return nil, ErrChosen
}

// handshake dials a host and performs the TLS handshake.
func (p *Pool) handshake(ctx context.Context, hostport string, protocols ...string) (*tls.Conn, *gathering, error) {
	nc, err := p.o.Dial(ctx, "tcp", hostport)
	if err != nil {
		return nil, nil, err
	}
	config := p.o.TLS.Clone()
	config.ServerName, _, _ = net.SplitHostPort(hostport)
	config.NextProtos = protocols
	wire := newGathering(nc)
	c := tls.Client(wire, config)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		return nil, nil, err
	}
	return c, wire, nil
}

// rest reports whether a TLS connection has decoded more than was read from it. It reads nothing
// from the network.
func rest(c *tls.Conn) bool {
	var one [1]byte
	if c.SetReadDeadline(time.Unix(1, 0)) != nil {
		return true
	}
	n, err := c.Read(one[:])
	return n > 0 || !errors.Is(err, os.ErrDeadlineExceeded)
}
