package web_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"sitemend/cmd/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve serves a description until the test ends.
func serve(t *testing.T, text string, files fstest.MapFS) *web.Server {
	t.Helper()
	w, err := web.Parse(text, files)
	must(t, err)
	s, err := w.Start()
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// dial connects to a server; nothing waits ten seconds.
func dial(t *testing.T, s *web.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	must(t, err)
	must(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	t.Cleanup(func() { c.Close() })
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

// get asks for an address through the server as a proxy, as a client of net/http does.
func get(t *testing.T, s *web.Server, address string, header ...string) (*http.Response, string) {
	t.Helper()
	tr := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: s.Addr()}), DisableCompression: true,
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: s.CAPool()}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	must(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := tr.RoundTrip(req)
	must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return res, string(body)
}

// Which block answers: that of the address before that of the longest prefix, one whose condition
// holds before one without, and of a sequence the next.
func TestBlocks(t *testing.T) {
	s := serve(t, `
http://shop.example/*         201
http://shop.example/a/b*      202
http://shop.example/a*        203
http://shop.example/a/b       204
http://shop.example/star\x2a  205
http://shop.example/cond*     206
http://shop.example/cond*     404 if X-Mark~yes # a comment
http://shop.example/cond*     410 if X-Mark!~^yes.no$
http://shop.example/twice     503
http://shop.example/twice     200
https://shop.example/a        301 /new#part
http://shop.example:8080/a    207
`, nil)
	for _, x := range []struct {
		url, mark string
		want      int
	}{
		{"http://shop.example/", "", 201}, {"http://shop.example/x?y", "", 201}, {"http://shop.example/a", "", 203},
		{"http://shop.example/a/bc", "", 202}, {"http://shop.example/a/b", "", 204}, {"http://shop.example/star*", "", 205},
		{"http://shop.example/start", "", 201}, {"http://shop.example/cond", "yes", 404}, {"http://shop.example/cond", "no", 410},
		{"http://shop.example/twice", "", 503}, {"http://shop.example/twice", "", 200}, {"http://shop.example/twice", "", 200},
		{"https://SHOP.example:443/a", "", 301}, {"https://shop.example/b", "", 404}, {"http://shop.example:8080/a", "", 207},
	} {
		if res, _ := get(t, s, x.url, "X-Mark", x.mark); res.StatusCode != x.want {
			t.Errorf("%s, %q: got %d, want %d", x.url, x.mark, res.StatusCode, x.want)
		}
	}
	if asked := s.Requests(); len(asked) != 15 || asked[1].URL() != "http://shop.example/x?y" || asked[7].Header.Get("X-Mark") != "yes" {
		t.Errorf("noted %d requests", len(asked))
	}
}

// What a block says is what is sent.
func TestHeadersAndBodies(t *testing.T) {
	files := fstest.MapFS{"map.xml": {Data: []byte("<urlset/>")}, "empty.txt": {}}
	s := serve(t, `
http://shop.example/lines  200
  Content-Type: text/html; charset=EUC-JP
  x-robots-tag: bingbot: none
  |
  | two\xa4\xcb
  |  three | 3 \\
http://shop.example/map    200 file=map.xml
http://shop.example/coded  200 file=map.xml gzip
  Content-Encoding: gzip
http://shop.example/packed 200 file=map.xml gzip
http://shop.example/empty  200 file=empty.txt
http://shop.example/raw    302 /\xe3\x81\x82\x20b
http://shop.example/page?* 200
`, files)
	for _, x := range []struct{ path, kind, body string }{
		{"/lines", "text/html; charset=EUC-JP", "\ntwo\xa4\xcb\n three | 3 \\\n"}, {"/map", "application/xml", "<urlset/>"},
		{"/empty", "", ""},
	} {
		if res, body := get(t, s, "http://shop.example"+x.path); res.Header.Get("Content-Type") != x.kind || body != x.body {
			t.Errorf("%s: got %q %q, want %q %q", x.path, res.Header, body, x.kind, x.body)
		}
	}
	for path, kind := range map[string]string{"/coded": "application/xml", "/packed": "application/gzip"} {
		if res, body := get(t, s, "http://shop.example"+path); res.Header.Get("Content-Type") != kind || !strings.HasPrefix(body, "\x1f\x8b") {
			t.Errorf("%s: got %q %q", path, res.Header, body)
		}
	}
	if res, _ := get(t, s, "http://shop.example/raw"); res.Header.Get("Location") != "/\xe3\x81\x82 b" {
		t.Errorf("Location is %q", res.Header["Location"])
	}
	// Two pages that say nothing of their own must not look like one.
	_, one := get(t, s, "http://shop.example/page?a=<b>&c")
	if _, two := get(t, s, "http://shop.example/page?a=%3Cb%3E&c"); one == two || !strings.Contains(one, "<title>/page?a=&lt;b&gt;&amp;c at shop.example</title>") {
		t.Errorf("got %q and %q", one, two)
	}
}

// Whatever stands in the request line is what is looked up and what is noted, byte for byte, also
// where the server is a proxy.
func TestTargetsAreTakenByteForByte(t *testing.T) {
	s := serve(t, "http://shop.example/* 200\n", nil)
	for _, prefix := range []string{"", "HTTP://SHOP.example:80"} {
		c := dial(t, s)
		for _, target := range []string{"/a?x=%28", "/a?x=(", "/a?x=%e3%81", "/100%", "/raw/日本/\xa4\xcb?q=\xff", "/a b c", "/a/../b/./c//d", `/back\slash`,
			"/quote'\"<>^`{|}[]", "/?", "//double", "/x?a=http://other.example/?b=1", "/control\x01\x7f", "/" + strings.Repeat("long", 5000)} {
			_, _, err := send(c, "GET "+prefix+target+" HTTP/1.1\r\nHost: Shop.Example\r\n\r\n")
			must(t, err)
			asked := s.Requests()
			if got := asked[len(asked)-1]; got.Target != target || got.Host != "shop.example" || got.Scheme != "http" {
				t.Errorf("%q: noted as %+v", target, got)
			}
		}
	}
}

// What does not exist, is no request or is a fault gets no answer of a site.
func TestNoAnswers(t *testing.T) {
	s := serve(t, "http://shop.example/reset fault=reset\nhttp://shop.example/hang fault=hang\n", nil)
	const host = " HTTP/1.1\r\nHost: shop.example\r\n\r\n"
	for request, want := range map[string]int{"GET / HTTP/1.1\r\n\r\n": 400, "CONNECT other.example:443" + host: 502, "GET /robots.txt" + host: 404} {
		if res, _, err := send(dial(t, s), request); err != nil || res.StatusCode != want {
			t.Errorf("%q: got %v, %v, want %d", request, res, err, want)
		}
	}
	if _, _, err := send(dial(t, s), "GET http://other.example/"+host); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an origin that does not exist: %v", err)
	}
	const windowsReset = syscall.Errno(10054)
	if _, _, err := send(dial(t, s), "GET /reset"+host); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, windowsReset) {
		t.Errorf("reset: %v", err)
	}
	hanging := dial(t, s)
	_, err := io.WriteString(hanging, "GET /hang"+host)
	must(t, err)
	s.Close()
	if n, err := hanging.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("what hangs is still open after Close")
	}
}

// A fault of a description is said with its line.
func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"# c\n\nshop.example/ 200":       "line 3: address",
		`http://shop.example/\q 200`:     "line 1: unknown escape",
		"http://shop.example/\n":         "line 1: neither a status nor a fault",
		"http://shop.example/ 200\n  no": "line 2: \"no\" is neither a header field",
		"http://a/ 200 if Googlebot":     "line 1: condition",
		"http://a/ 200 file=b.xml":       "line 1: open b.xml",
	} {
		if _, err := web.Parse(text, fstest.MapFS{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
