package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// rawWeb is a server of bytes: it reads one request head after another and answers each with what
// reply writes.
type rawWeb struct {
	rawConns
	head []string // the request heads in order
}

// serveRaw starts a rawWeb. reply gets the head of a request and may write anything; where it
// returns false the connection is closed.
func serveRaw(t *testing.T, reply func(c net.Conn, head string) bool) *rawWeb {
	t.Helper()
	w := new(rawWeb)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if overTLS {
		ln, err = tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: lent.TLS.Certificates})
	}
	must(t, err)
	w.accept(t, ln, func(c net.Conn) { w.serve(c, reply) })
	return w
}

func (w *rawWeb) serve(c net.Conn, reply func(net.Conn, string) bool) {
	br := bufio.NewReader(c)
	for {
		var head strings.Builder
		for !strings.HasSuffix(head.String(), "\r\n\r\n") {
			line, err := br.ReadString('\n')
			if err != nil {
				return
			}
			head.WriteString(line)
		}
		w.mu.Lock()
		w.head = append(w.head, head.String())
		w.mu.Unlock()
		if !reply(c, head.String()) {
			return
		}
	}
}

func (w *rawWeb) heads() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.head...)
}

// at returns the URL of a path.
func (w *rawWeb) at(path string) string { return w.as(w.addr) + path }

// as returns the URL of w under a host name.
func (w *rawWeb) as(host string) string {
	if overTLS {
		return "https://" + host
	}
	return "http://" + host
}

// dial connects to w without a Client.
func (w *rawWeb) dial() (net.Conn, error) {
	if overTLS {
		return tls.Dial("tcp", w.addr, &tls.Config{RootCAs: lentPool})
	}
	return net.Dial("tcp", w.addr)
}

// says returns a reply that answers every request with the same bytes.
func says(text string) func(net.Conn, string) bool {
	return func(c net.Conn, _ string) bool {
		_, err := c.Write([]byte(text))
		return err == nil && !strings.Contains(text, "Connection: close")
	}
}

// serve starts an ordinary server; its address is the URL.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// overTLS makes the raw servers of tests speak TLS, without HTTP/2, and clients trust them.
var overTLS bool

// lent is a server whose certificate is for 127.0.0.1 and example.com.
var lent, lentPool = func() (*httptest.Server, *x509.CertPool) {
	s := httptest.NewTLSServer(nil)
	s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s, pool
}()

// newTestClient returns a Client that may dial loopback, and checks when the test
// is over that no goroutine is left.
func newTestClient(t *testing.T, o Options) *Client {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	if o.Guard == nil {
		o.Guard = NewGuard(nil, nil, true)
	}
	if o.Identity.Name == "" {
		o.Identity, _ = LookupIdentity("googlebot")
	}
	if overTLS {
		o.RootCAs = lentPool
	}
	a := New(o)
	t.Cleanup(a.Close)
	return a
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustWire(t *testing.T, url string) string {
	t.Helper()
	a, err := address.Parse(url)
	must(t, err)
	return a.String()
}

func ask(t *testing.T, a *Client, url string) answers.Hop {
	t.Helper()
	hop, _ := a.Ask(context.Background(), answers.Request{URL: mustWire(t, url)})
	return hop
}
