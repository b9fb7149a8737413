package web

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Server serves a Web on two ports of loopback. All methods may be called
// from several goroutines at once.
type Server struct {
	web         *Web
	ca          *CA
	plain, safe *net.TCPListener
	running     sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	conns    map[*net.TCPConn]struct{}
	asked    map[*group]int // requests so far
	requests []Request

	watching sync.Mutex // held while watch runs
	watch    func(Request)
}

// Start serves w until Close. The system chooses the ports. Each Server counts
// requests for itself, so that sequences begin anew.
func (w *Web) Start() (*Server, error) {
	ca, err := NewCA()
	if err != nil {
		return nil, err
	}
	s := &Server{web: w, ca: ca, conns: map[*net.TCPConn]struct{}{}, asked: map[*group]int{}}
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	if s.plain, err = net.ListenTCP("tcp4", loopback); err != nil {
		return nil, err
	}
	if s.safe, err = net.ListenTCP("tcp4", loopback); err != nil {
		s.plain.Close() // the first error counts
		return nil, err
	}
	s.running.Go(func() { s.accept(s.plain, s.servePlain) })
	s.running.Go(func() { s.accept(s.safe, s.serveTLS) })
	return s, nil
}

// HTTPAddr is host and port of the plain listener. It is an origin server for
// plain HTTP, a proxy for http addresses, and a proxy that takes CONNECT and
// ends TLS itself.
func (s *Server) HTTPAddr() string { return s.plain.Addr().String() }

// HTTPSAddr is host and port of the listener that speaks TLS at once. Its
// certificate is for the name that the client sends (RFC 6066 section 3).
func (s *Server) HTTPSAddr() string { return s.safe.Addr().String() }

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
// answered and one at a time; nil ends that. Status is not set yet.
func (s *Server) Watch(fn func(Request)) {
	s.watching.Lock()
	defer s.watching.Unlock()
	s.watch = fn
}

func (s *Server) handle(r Request) {
	s.watching.Lock()
	defer s.watching.Unlock()
	if s.watch != nil {
		s.watch(r)
	}
}

// Close ends all connections and waits until nothing of the server runs. The
// second call does nothing. Requests can be read afterwards.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.plain.Close() // closing twice is an error that says nothing
	s.safe.Close()
	for c := range s.conns {
		c.Close() // unblocks a reader; a connection that fails is gone, too
	}
	s.mu.Unlock()
	s.running.Wait()
}

// acceptPause is waited after a connection that could not be taken: where no
// file descriptor is left, the next try fails as well.
const acceptPause = 5 * time.Millisecond

// accept serves what comes to l until l is closed.
func (s *Server) accept(l *net.TCPListener, serve func(*net.TCPConn)) {
	for {
		c, err := l.AcceptTCP()
		if err != nil {
			if s.isClosed() {
				return
			}
			time.Sleep(acceptPause)
			continue
		}
		if s.take(c) {
			s.running.Go(func() {
				defer s.release(c)
				serve(c)
			})
		}
	}
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// take notes c, so that Close ends it. It returns false where Close came first.
func (s *Server) take(c *net.TCPConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close() // nobody reads an answer
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) release(c *net.TCPConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	c.Close() // most often closed before
}

func (s *Server) servePlain(tcp *net.TCPConn) {
	c := &conn{server: s, tcp: tcp, stream: tcp, in: bufio.NewReader(tcp), scheme: "http", via: ViaOrigin}
	c.serve()
}

func (s *Server) serveTLS(tcp *net.TCPConn) {
	c := &conn{server: s, tcp: tcp, via: ViaTLS}
	c.secure(tcp, hostname(tcp.LocalAddr().String()))
	c.serve()
}

// tlsConfig signs for the name that the client sends, for name where it sends
// none, and for no host that the web does not have.
func (s *Server) tlsConfig(name string) *tls.Config {
	return &tls.Config{
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			host := hello.ServerName
			if host == "" {
				host = name
			}
			if !s.web.namedName(host) {
				return nil, nil // crypto/tls sends unrecognized_name
			}
			return s.ca.Certificate(host)
		},
	}
}

// answer chooses the answer to r and notes r. It returns nil where the origin
// does not exist.
func (s *Server) answer(r Request) *answer {
	s.handle(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.choose(r.Scheme, r.Host, r.Target, r.Header)
	if a != nil {
		r.Status = a.status
	}
	s.requests = append(s.requests, r)
	return a
}

func (s *Server) choose(scheme, host, target string, h http.Header) *answer {
	o := s.web.origins[originKey(scheme, host)]
	if o == nil {
		return nil
	}
	g := o.choose(target, h)
	if g == nil {
		return notFound
	}
	n := s.asked[g]
	s.asked[g]++
	return g.answers[min(n, len(g.answers)-1)]
}
