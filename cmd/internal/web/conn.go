package web

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// conn is one connection of a client, or a tunnel in it.
type conn struct {
	server *Server
	tcp    *net.TCPConn // the connection that a reset closes
	stream net.Conn     // tcp, or TLS over it
	in     *bufio.Reader
	scheme string
	via    Via
}

// serve answers requests until the client or the server closes the connection.
func (c *conn) serve() {
	for c.exchange() {
	}
	c.stream.Close() // the client is gone or gets no more; nobody can be sent an error
}

// exchange reads one request and answers it. It returns false where no other request can follow.
func (c *conn) exchange() bool {
	m, err := readMessage(c.in)
	if err != nil {
		return c.refuse(err)
	}
	if m.method == http.MethodConnect {
		c.tunnel(m.target)
		return false
	}
	r, err := m.request(c.scheme, c.via)
	if err != nil {
		return c.refuse(err)
	}
	a := c.server.answer(r)
	switch {
	case a == nil: // no such origin
		return false
	case a.fault != "":
		c.fail(a.fault)
		return false
	}
	return a.write(c.stream, &r, m.last())
}

// refuse answers a request that cannot be parsed. Where the connection failed, it sends nothing.
func (c *conn) refuse(err error) bool {
	var bad *badRequest
	if errors.As(err, &bad) {
		c.say(bad.status, bad.text)
	}
	return false
}

// say sends a last answer in plain text.
func (c *conn) say(status int, text string) {
	fmt.Fprintf(c.stream, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n%s\n", status, statusText(status), len(text)+1, text)
}

// fail gives no answer, in the way that f names. Its caller closes the connection.
func (c *conn) fail(f fault) {
	switch f {
	case faultReset:
		c.tcp.SetLinger(0) // fails only where the connection is gone already
		c.tcp.Close()
	case faultGarbage:
		io.WriteString(c.stream, "\x00\x01\x02 this is not HTTP\r\n\r\n")
	case faultHang:
		io.Copy(io.Discard, c.in) // until the client goes, or the server
	}
}

// tunnel answers CONNECT, and then the requests in the tunnel, over TLS or plain.
func (c *conn) tunnel(target string) {
	web := c.server.web
	if !web.named("https", target) && !web.named("http", target) {
		c.say(http.StatusBadGateway, "no such host in this web")
		return
	}
	if _, err := io.WriteString(c.stream, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		return
	}
	first, err := c.in.Peek(1)
	if err != nil {
		return
	}
	inner := &conn{server: c.server, tcp: c.tcp, stream: c.stream, in: c.in, scheme: "http", via: ViaConnect}
	const handshake = 22 // RFC 8446 section 5.1: what a TLS connection begins with
	if first[0] == handshake {
		inner.secure(&unread{c.stream, c.in}, hostname(target))
	}
	inner.serve()
}

// secure starts TLS over stream. name is the host for clients that do not send one.
func (c *conn) secure(stream net.Conn, name string) {
	c.stream = tls.Server(stream, c.server.tlsConfig(name))
	c.in = bufio.NewReader(c.stream)
	c.scheme = "https"
}

// unread is a connection from which a buffer has read ahead.
type unread struct {
	net.Conn
	in *bufio.Reader
}

// Read returns the bytes in the buffer first.
func (u *unread) Read(p []byte) (int, error) { return u.in.Read(p) }
