package web

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deadline is for what must not happen: nothing waits that long.
const deadline = 10 * time.Second

// serve serves a description until the test ends.
func serve(t *testing.T, text string, files fstest.MapFS) *Server {
	t.Helper()
	w, err := Parse(text, files)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// mustDial connects to a listener.
func mustDial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, deadline)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(deadline))
	t.Cleanup(func() { c.Close() })
	return c
}

// mustTLS puts TLS over c, as a client that trusts the server's authority.
func mustTLS(t *testing.T, s *Server, c net.Conn, name string) net.Conn {
	t.Helper()
	secure := tls.Client(c, &tls.Config{RootCAs: s.CAPool(), ServerName: name})
	if err := secure.Handshake(); err != nil {
		t.Fatalf("handshake for %s: %v", name, err)
	}
	return secure
}

// mustTunnel asks for a tunnel to host.
func mustTunnel(t *testing.T, s *Server, host string) net.Conn {
	t.Helper()
	c := mustDial(t, s.HTTPAddr())
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", host, host)
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: "CONNECT"})
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("CONNECT %s: %v, %v", host, res, err)
	}
	return c
}

// send writes a request byte for byte and reads the answer.
func send(c net.Conn, head string) (*http.Response, string, error) {
	if _, err := io.WriteString(c, head); err != nil {
		return nil, "", err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// mustSend is send where nothing may go wrong.
func mustSend(t *testing.T, c net.Conn, head string) (*http.Response, string) {
	t.Helper()
	res, body, err := send(c, head)
	if err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	return res, body
}

// client is a client as people have it, with the server as its proxy.
func client(t *testing.T, s *Server) *http.Client {
	t.Helper()
	proxy := &url.URL{Scheme: "http", Host: s.HTTPAddr()}
	tr := &http.Transport{
		Proxy:              http.ProxyURL(proxy),
		TLSClientConfig:    &tls.Config{RootCAs: s.CAPool()},
		DisableCompression: true,
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{
		Transport:     tr,
		Timeout:       deadline,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// mustGet asks for an address through the proxy.
func mustGet(t *testing.T, c *http.Client, address string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return mustDo(t, c, req)
}

func mustDo(t *testing.T, c *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: %v", req.URL, err)
	}
	return res, string(body)
}
