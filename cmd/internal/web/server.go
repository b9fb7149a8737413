package web

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Request is one request as it came. CONNECT is no request of its own: those
// that came through the tunnel are.
type Request struct {
	Method string
	Scheme string // "http" or "https"
	Host   string // in lower case, with the port unless it is the default
	// Target is path and query byte for byte, whatever they are. For a target in
	// absolute form it is what follows the host.
	Target string
	Header http.Header // names in canonical form; Host is among them
}

// URL is scheme, host and target as one address.
func (r Request) URL() string { return r.Scheme + "://" + r.Host + r.Target }

// A Server serves a Web on a port of loopback. All methods may be called
// from several goroutines at once.
type Server struct {
	web      *Web
	ca       *CA
	listener net.Listener
	running  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	conns    map[net.Conn]bool
	asked    map[*group]int // requests so far
	requests []Request

	watching sync.Mutex // held while watch runs
	watch    func(Request)
}

// Start serves w until Close. The system chooses the port. Each Server counts
// requests for itself, so that sequences begin anew.
func (w *Web) Start() (*Server, error) {
	ca, err := NewCA()
	if err != nil {
		return nil, err
	}
	s := &Server{web: w, ca: ca, conns: map[net.Conn]bool{}, asked: map[*group]int{}}
	if s.listener, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.running.Go(s.accept)
	return s, nil
}

// Addr is host and port of the server. It is an origin server for HTTP and for TLS, whose
// certificate is for the name that the client sends, a proxy for http addresses, and a proxy that
// takes CONNECT and ends TLS itself.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// CAPEM is the certificate of the authority that signs for all hosts, in PEM. It
// is made anew at each Start.
func (s *Server) CAPEM() []byte { return s.ca.PEM() }

// CAPool holds the authority of CAPEM alone. Each call returns a new pool.
func (s *Server) CAPool() *x509.CertPool { return s.ca.Pool() }

// Requests returns a copy of the requests so far, in the order in which they
// were answered.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Watch has fn called with each request that comes from now on, before it is
// answered and one at a time; nil ends that.
func (s *Server) Watch(fn func(Request)) {
	s.watching.Lock()
	defer s.watching.Unlock()
	s.watch = fn
}

// Close ends all connections and waits until nothing of the server runs. The
// second call does nothing. Requests can be read afterwards.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.listener.Close() // closing twice is an error that says nothing
	for c := range s.conns {
		c.Close() // unblocks a reader; a connection that fails is gone, too
	}
	s.mu.Unlock()
	s.running.Wait()
}

// accept serves what comes until Close.
func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			if err == nil {
				c.Close() // nobody reads an answer
			}
			return
		case err == nil:
			s.conns[c] = true
			s.running.Go(func() { s.serve(c) })
		}
		s.mu.Unlock()
		if err != nil { // no file descriptor is left: the next try fails as well
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// serve answers the requests of a connection.
func (s *Server) serve(tcp net.Conn) {
	c := &conn{server: s, tcp: tcp, stream: tcp, scheme: "http", name: "127.0.0.1"}
	c.in = bufio.NewReader(tcp)
	if c.secure() {
		for c.exchange() {
		}
	}
	c.stream.Close() // the client is gone or gets no more; nobody can be sent an error
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, tcp)
	tcp.Close()
}

// conn is one connection of a client, or a tunnel in it.
type conn struct {
	server *Server
	tcp    net.Conn // the connection that a reset closes
	stream net.Conn // tcp, or TLS over it
	in     *bufio.Reader
	scheme string
	name   string // for which a certificate is signed where the client sends none
}

// secure starts TLS where the client does.
func (c *conn) secure() bool {
	first, err := c.in.Peek(1)
	const handshake = 22 // RFC 8446 section 5.1: what a TLS connection begins with
	if err != nil || first[0] != handshake {
		return err == nil
	}
	config := &tls.Config{NextProtos: []string{"http/1.1"}, GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		host := hello.ServerName
		if host == "" {
			host = c.name
		}
		for _, origin := range c.server.web.origins { // TLS says no more than the name
			if rest, secure := strings.CutPrefix(origin, "https://"); secure && hostname(rest) == strings.ToLower(host) {
				return c.server.ca.Certificate(host)
			}
		}
		return nil, nil // crypto/tls sends unrecognized_name
	}}
	c.stream = tls.Server(&unread{c.stream, c.in}, config)
	c.in, c.scheme = bufio.NewReader(c.stream), "https"
	return true
}

// hostname is hostport without its port and the brackets of an IPv6 address.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// unread is a connection from which a buffer has read ahead.
type unread struct {
	net.Conn
	in *bufio.Reader
}

// Read returns the bytes in the buffer first.
func (u *unread) Read(p []byte) (int, error) { return u.in.Read(p) }

// exchange reads one request and answers it. It returns false where no other request can follow.
func (c *conn) exchange() bool {
	r, err := c.read()
	switch {
	case errors.Is(err, errRequest):
		c.say(http.StatusBadRequest, err.Error())
		return false
	case err != nil:
		return false
	case r.Method == http.MethodConnect:
		return c.tunnel(r.Target)
	}
	a := c.server.answer(r)
	switch {
	case a == nil: // no such origin
		return false
	case a.fault == faultReset:
		if tcp, ok := c.tcp.(*net.TCPConn); ok {
			tcp.SetLinger(0) // fails only where the connection is gone already
		}
		c.tcp.Close()
		return false
	case a.fault == faultHang:
		io.Copy(io.Discard, c.in) // until the client goes, or the server
		return false
	}
	return a.write(c.stream, r) && !strings.EqualFold(r.Header.Get("Connection"), "close")
}

// say sends an answer in plain text.
func (c *conn) say(status int, text string) {
	fmt.Fprintf(c.stream, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", status, statusText(status), len(text), text)
}

// tunnel answers CONNECT; the requests in the tunnel follow.
func (c *conn) tunnel(target string) bool {
	origins := c.server.web.origins
	if !slices.Contains(origins, originKey("https", target)) && !slices.Contains(origins, originKey("http", target)) {
		c.say(http.StatusBadGateway, "no such host in this web")
		return false
	}
	c.name = hostname(target)
	_, err := io.WriteString(c.stream, "HTTP/1.1 200 Connection Established\r\n\r\n")
	return err == nil && c.secure()
}

// errRequest is that of a request that is no HTTP/1.1.
var errRequest = errors.New("this is no request")

// read reads a request, its body included, which is thrown away. What stands between the first and
// the last space of its first line is the target, so that spaces in it are seen as they came; one in
// absolute form overrules the scheme of the connection and the Host header (RFC 9112 section 3.2.2).
func (c *conn) read() (*Request, error) {
	in := textproto.NewReader(c.in)
	line, err := in.ReadLine()
	if err != nil {
		return nil, err
	}
	header, err := in.ReadMIMEHeader()
	first, last := strings.IndexByte(line, ' '), strings.LastIndexByte(line, ' ')
	if err != nil || first <= 0 || first == last {
		return nil, errRequest
	}
	n, _ := strconv.ParseInt(header.Get("Content-Length"), 10, 64) // 0 for none
	if _, err := io.CopyN(io.Discard, c.in, n); err != nil {
		return nil, err
	}
	r := &Request{Method: line[:first], Scheme: c.scheme, Host: header.Get("Host"), Target: line[first+1 : last], Header: http.Header(header)}
	if r.Method == http.MethodConnect {
		return r, nil
	}
	if scheme, rest, ok := strings.Cut(r.Target, "://"); ok && !strings.HasPrefix(r.Target, "/") {
		i := strings.IndexAny(rest+"/", "/?")
		r.Scheme, r.Host, r.Target = strings.ToLower(scheme), rest[:i], rest[i:]
		if !strings.HasPrefix(r.Target, "/") {
			r.Target = "/" + r.Target
		}
	}
	if r.Host = trimHost(r.Scheme, r.Host); r.Host == "" {
		return nil, errRequest
	}
	return r, nil
}

// answer chooses the answer to r and notes r. It returns nil where the origin
// does not exist.
func (s *Server) answer(r *Request) *answer {
	s.watching.Lock()
	if s.watch != nil {
		s.watch(*r)
	}
	s.watching.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, *r)
	if !slices.Contains(s.web.origins, originKey(r.Scheme, r.Host)) {
		return nil
	}
	g := s.web.choose(r)
	if g == nil {
		return notFound
	}
	n := s.asked[g]
	s.asked[g]++
	return g.answers[min(n, len(g.answers)-1)]
}
