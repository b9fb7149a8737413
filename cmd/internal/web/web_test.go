package web_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

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

// Whatever stands in the request line is what is looked up and what is noted, byte for byte, also
// where the server is a proxy.
func TestTargetsAreTakenByteForByte(t *testing.T) {
	s := serve(t, "http://shop.example/* 200\n", nil)
	for _, prefix := range []string{"", "HTTP://SHOP.example:80"} {
		c, err := net.Dial("tcp", s.Addr())
		must(t, err)
		t.Cleanup(func() { c.Close() })
		answers := bufio.NewReader(c)
		for _, target := range []string{"/a?x=%28", "/a?x=(", "/a?x=%e3%81", "/100%", "/raw/日本/\xa4\xcb?q=\xff", "/a b c", "/a/../b/./c//d", `/back\slash`,
			"/quote'\"<>^`{|}[]", "/?", "//double", "/x?a=http://other.example/?b=1", "/control\x01\x7f", "/" + strings.Repeat("long", 5000)} {
			_, err := io.WriteString(c, "GET "+prefix+target+" HTTP/1.1\r\nHost: Shop.Example\r\n\r\n")
			must(t, err)
			res, err := http.ReadResponse(answers, nil)
			must(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			must(t, err)
			asked := s.Requests()
			if got := asked[len(asked)-1]; got.Target != target || got.Host != "shop.example" || got.Scheme != "http" {
				t.Errorf("%q: noted as %+v", target, got)
			}
		}
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
