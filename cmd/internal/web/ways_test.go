package web

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// targets are spelled in ways that URL libraries like to repair, or refuse.
var targets = []string{
	"/plain",
	"/a?x=%28",
	"/a?x=(",
	"/a?x=%e3%81",
	"/a?x=%E3%81",
	"/100%",
	"/%zz/%",
	"/raw/日本/\xa4\xcb?q=\xff",
	"/a b c",
	"/a/../b/./c//d",
	`/back\slash`,
	"/quote'\"<>^`{|}[]",
	"/?",
	"//double",
	"/tilde~%7E",
	"/x?a=http://other.example/?b=1",
	"/control\x01\x7f",
	"/" + strings.Repeat("long", 5000),
}

// way is one way to ask for a target of shop.example.
type way struct {
	via    Via
	scheme string
	dial   func(*testing.T, *Server) net.Conn
	prefix string // what stands before the target in the request line
}

func plain(t *testing.T, s *Server) net.Conn { return mustDial(t, s.HTTPAddr()) }

var ways = []way{
	{ViaOrigin, "http", plain, ""},
	{ViaProxy, "http", plain, "http://shop.example"},
	{ViaProxy, "http", plain, "HTTP://SHOP.example:80"},
	{ViaConnect, "https", func(t *testing.T, s *Server) net.Conn {
		return mustTLS(t, s, mustTunnel(t, s, "shop.example:443"), "shop.example")
	}, ""},
	{ViaConnect, "http", func(t *testing.T, s *Server) net.Conn {
		return mustTunnel(t, s, "shop.example:80")
	}, ""},
	{ViaTLS, "https", func(t *testing.T, s *Server) net.Conn {
		return mustTLS(t, s, mustDial(t, s.HTTPSAddr()), "shop.example")
	}, ""},
}

// Whatever stands in the request line is what is looked up and what is noted,
// byte for byte, on every way in.
func TestTargetsAreTakenByteForByte(t *testing.T) {
	var text strings.Builder
	for i, target := range targets {
		for _, scheme := range []string{"http", "https"} {
			text.WriteString(scheme + "://shop.example" + escape(target) + " 200\n  | " + string(rune('A'+i)) + "\n")
		}
	}
	s := serve(t, text.String(), nil)
	for _, w := range ways {
		c := w.dial(t, s)
		for i, target := range targets {
			res, body := mustSend(t, c, "GET "+w.prefix+target+" HTTP/1.1\r\nHost: Shop.Example\r\n\r\n")
			if want := string(rune('A'+i)) + "\n"; res.StatusCode != 200 || body != want {
				t.Errorf("%s %q: got %d %q, want %q", w.via, target, res.StatusCode, body, want)
			}
			asked := s.Requests()
			got := asked[len(asked)-1]
			if got.Target != target || got.Host != "shop.example" || got.Scheme != w.scheme || got.Via != w.via || got.Status != 200 {
				t.Errorf("%s %q: noted as %+v", w.via, target, got)
			}
			if want := w.scheme + "://shop.example" + target; got.URL() != want {
				t.Errorf("URL: got %q, want %q", got.URL(), want)
			}
		}
	}
}

// escape writes every byte as a description takes it.
func escape(s string) string {
	const hex = "0123456789abcdef"
	var out strings.Builder
	for i := range len(s) {
		if s[i] == '/' {
			out.WriteByte('/')
			continue
		}
		out.WriteString(`\x` + string(hex[s[i]>>4]) + string(hex[s[i]&15]))
	}
	return out.String()
}

func TestOriginsAreSeparate(t *testing.T) {
	s := serve(t, `
http://shop.example/       200
  | plain
https://shop.example/      200
  | secure
http://shop.example:8080/  200
  | port
https://shop.example:8443/ 200
  | secure port
http://[::1]:81            200
  | six
https://www.shop.example/  200
  | www
`, nil)
	origins := []string{"http://[::1]:81", "http://shop.example", "http://shop.example:8080",
		"https://shop.example", "https://shop.example:8443", "https://www.shop.example"}
	if got := s.web.Origins(); !slices.Equal(got, origins) {
		t.Errorf("origins: got %q, want %q", got, origins)
	}
	c := client(t, s)
	for address, want := range map[string]string{
		"http://shop.example/":       "plain\n",
		"http://shop.example:80/":    "plain\n",
		"https://shop.example/":      "secure\n",
		"https://SHOP.example:443/":  "secure\n",
		"http://shop.example:8080/":  "port\n",
		"https://shop.example:8443/": "secure port\n",
		"http://[::1]:81/":           "six\n",
		"https://www.shop.example/":  "www\n",
	} {
		if _, got := mustGet(t, c, address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestWhatIsNotNamed(t *testing.T) {
	s := serve(t, "http://shop.example/ 200\n", nil)
	c := client(t, s)
	for _, path := range []string{"/robots.txt", "/%2f", "/?"} {
		if res, body := mustGet(t, c, "http://shop.example"+path); res.StatusCode != 404 || !strings.Contains(body, "404 Not Found") {
			t.Errorf("%s: got %d %q, want 404", path, res.StatusCode, body)
		}
	}
	if res, err := c.Get("http://other.example/"); err == nil {
		t.Errorf("an origin that does not exist answered %d", res.StatusCode)
	}
	if res, err := c.Get("https://shop.example/"); err == nil {
		t.Errorf("a scheme that does not exist answered %d", res.StatusCode)
	}
	tlsConn := tls.Client(mustDial(t, s.HTTPSAddr()), &tls.Config{RootCAs: s.CAPool(), ServerName: "shop.example"})
	if err := tlsConn.Handshake(); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("handshake: got %v, want unrecognized name", err)
	}
	last := s.Requests()[3]
	if last.Host != "other.example" || last.Status != 0 {
		t.Errorf("the request without an answer is noted as %+v", last)
	}
}

func TestRequestsAreNotedInOrder(t *testing.T) {
	s := serve(t, "http://shop.example/* 200\nhttps://shop.example/* 301 /\n", nil)
	c := client(t, s)
	mustGet(t, c, "http://shop.example/1", "X-Mark", "one")
	mustGet(t, c, "https://shop.example/2", "User-Agent", "robot")
	req, _ := http.NewRequest("POST", "http://shop.example/3", strings.NewReader("a body"))
	mustDo(t, c, req)
	req4, _ := http.NewRequest("HEAD", "http://shop.example/4", nil)
	if res, body := mustDo(t, c, req4); res.ContentLength <= 0 || body != "" {
		t.Errorf("HEAD: got length %d and %q, want a length and no body", res.ContentLength, body)
	}
	// One that has no known length is sent in chunks; after it, the connection goes on.
	req, _ = http.NewRequest("POST", "http://shop.example/5", io.MultiReader(strings.NewReader("a body")))
	mustDo(t, c, req)
	mustGet(t, c, "http://shop.example/6")
	var got []string
	for _, r := range s.Requests() {
		got = append(got, r.Method+" "+r.Target)
	}
	want := []string{"GET /1", "GET /2", "POST /3", "HEAD /4", "POST /5", "GET /6"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	first, second := s.Requests()[0], s.Requests()[1]
	if first.Header.Get("X-Mark") != "one" || second.Header.Get("User-Agent") != "robot" || second.Status != 301 {
		t.Errorf("noted %+v and %+v", first, second)
	}
}

// A client that sends several requests at once gets the answers in order, and
// one that says so gets no more.
func TestConnectionsGoOn(t *testing.T) {
	s := serve(t, "http://shop.example/* 200\n", nil)
	c := mustDial(t, s.HTTPAddr())
	io.WriteString(c, "\r\nGET /1 HTTP/1.1\r\nHost: shop.example\r\n\r\n"+
		"GET /2 HTTP/1.1\nHost: shop.example\nConnection: keep-alive, Close\n\n"+
		"GET /3 HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	all, err := io.ReadAll(c)
	if err != nil && !isReset(err) { // what was not read makes the system reset
		t.Fatal(err)
	}
	if n := strings.Count(string(all), "HTTP/1.1 200 OK"); n != 2 {
		t.Errorf("got %d answers, want 2: %q", n, all)
	}
	old := mustDial(t, s.HTTPAddr())
	io.WriteString(old, "GET /old HTTP/1.0\r\nHost: shop.example\r\n\r\n")
	if all, err := io.ReadAll(old); err != nil || !strings.Contains(string(all), "/old at shop.example") {
		t.Errorf("HTTP/1.0: got %q, %v", all, err)
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	s := serve(t, "http://shop.example/ 200\n", nil)
	const host = "Host: shop.example\r\n"
	for _, c := range []struct {
		request string
		want    int
	}{
		{"GET\r\n\r\n", 400},
		{"GET /\r\n\r\n", 400},
		{"GET / HTTP/2.0\r\n" + host + "\r\n", 505},
		{"GET / HTTP/1.1\r\n\r\n", 400}, // no host
		{"GET shop HTTP/1.1\r\n" + host + "\r\n", 400},
		{"GET http:///x HTTP/1.1\r\n" + host + "\r\n", 400},
		{"GET / HTTP/1.1\r\n" + host + " folded\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		{"GET /" + strings.Repeat("x", maxHead) + " HTTP/1.1\r\n" + host + "\r\n", 431},
		{"CONNECT other.example:443 HTTP/1.1\r\n\r\n", 502},
		{"CONNECT shop.example:443 HTTP/1.1\r\n\r\n", 502},
		{"OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 404},
		{"GET http://shop.example?x HTTP/1.1\r\n\r\n", 404},
		{"GET http://shop.example HTTP/1.1\r\nHost: other.example\r\n\r\n", 200},
	} {
		res, _, err := send(mustDial(t, s.HTTPAddr()), c.request)
		if err != nil || res.StatusCode != c.want {
			t.Errorf("%.60q: got %v, %v, want %d", c.request, res, err, c.want)
		}
	}
}

// Close waits for those who are in the middle of something, and takes no more.
func TestCloseEndsEverything(t *testing.T) {
	s := serve(t, "http://shop.example/ fault=hang\nhttps://shop.example/ 200\n", nil)
	idle := mustDial(t, s.HTTPAddr())
	secure := mustTLS(t, s, mustDial(t, s.HTTPSAddr()), "shop.example")
	hanging := mustDial(t, s.HTTPAddr())
	io.WriteString(hanging, "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	tunnel := mustTunnel(t, s, "shop.example:443")
	s.Close()
	s.Close()
	for name, c := range map[string]net.Conn{"idle": idle, "secure": secure, "hanging": hanging, "tunnel": tunnel} {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: still open after Close", name)
		}
	}
	for _, addr := range []string{s.HTTPAddr(), s.HTTPSAddr()} {
		var op *net.OpError
		if _, err := net.Dial("tcp", addr); !errors.As(err, &op) {
			t.Errorf("%s still listens: %v", addr, err)
		}
	}
}
