package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
)

func TestSequences(t *testing.T) {
	s := serve(t, `
http://shop.example/a 503
http://shop.example/b 200
http://shop.example/a 429
  Retry-After: 1
http://shop.example/a 200
`, nil)
	c := client(t, s)
	for i, want := range []int{503, 429, 200, 200} {
		if res, _ := mustGet(t, c, "http://shop.example/a"); res.StatusCode != want {
			t.Errorf("request %d: got %d, want %d", i+1, res.StatusCode, want)
		}
	}
	again, err := s.web.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if res, _ := mustGet(t, client(t, again), "http://shop.example/a"); res.StatusCode != 503 {
		t.Errorf("a second server: got %d, want 503, the first answer", res.StatusCode)
	}
}

// Each of many clients at once gets one answer of a sequence.
func TestSequencesWithManyClients(t *testing.T) {
	s := serve(t, strings.Repeat("http://shop.example/a 201\n", 20)+"http://shop.example/a 200\n", nil)
	c := client(t, s)
	var mu sync.Mutex
	var all sync.WaitGroup
	first := 0
	for range 50 {
		all.Go(func() {
			res, err := c.Get("http://shop.example/a")
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			if res.StatusCode == 201 {
				first++
			}
		})
	}
	all.Wait()
	if first != 20 || len(s.Requests()) != 50 {
		t.Errorf("got %d of the first kind in %d requests, want 20 in 50", first, len(s.Requests()))
	}
}

func TestPrefixes(t *testing.T) {
	s := serve(t, `
http://shop.example/*         200
  | any
http://shop.example/a/b*      200
  | longer
http://shop.example/a*        200
  | long
http://shop.example/a/b       200
  | exact
http://shop.example/star\x2a  200
  | star
http://shop.example/cond*     200 if X-Mark~yes
  | marked
`, nil)
	c := client(t, s)
	for path, want := range map[string]string{
		"/": "any\n", "/x?y": "any\n", "/a": "long\n", "/a/": "long\n", "/a/b": "exact\n", "/a/bc": "longer\n",
		"/star*": "star\n", "/start": "any\n", "/cond": "any\n",
	} {
		if _, got := mustGet(t, c, "http://shop.example"+path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if _, got := mustGet(t, c, "http://shop.example/cond", "X-Mark", "yes"); got != "marked\n" {
		t.Errorf("/cond: got %q, want marked", got)
	}
}

func TestConditions(t *testing.T) {
	s := serve(t, `
http://shop.example/p 200
  | others
http://shop.example/p 404 if User-Agent~Google(bot|Other)  # a comment
http://shop.example/p 410 if User-Agent~Google(bot|Other)
http://shop.example/p 401 if Authorization!~^Basic .
http://shop.example/p 206 if Accept-Language: ^ja\b
`, nil)
	c := client(t, s)
	for i, tt := range []struct {
		header []string
		want   int
	}{
		{[]string{"User-Agent", "Mozilla Googlebot/2.1"}, 404},
		{[]string{"User-Agent", "GoogleOther"}, 410},
		{[]string{"User-Agent", "Chrome"}, 401},
		{[]string{"Authorization", "Basic x", "Accept-Language", "ja-JP"}, 206},
		{[]string{"Authorization", "Basic x", "Accept-Language", "en, ja"}, 200},
		{[]string{"User-Agent", "Googlebot", "Authorization", "Basic x"}, 410},
	} {
		if res, _ := mustGet(t, c, "http://shop.example/p", tt.header...); res.StatusCode != tt.want {
			t.Errorf("%d, %q: got %d, want %d", i, tt.header, res.StatusCode, tt.want)
		}
	}
}

func TestFaults(t *testing.T) {
	const text = "S://shop.example/reset fault=reset\nS://shop.example/empty fault=empty\nS://shop.example/garbage fault=garbage\n"
	s := serve(t, strings.ReplaceAll(text, "S:", "http:")+strings.ReplaceAll(text, "S:", "https:"), nil)
	for _, w := range ways {
		for path, is := range map[string]func(error) bool{
			"/reset":   isReset,
			"/empty":   func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) },
			"/garbage": func(err error) bool { return err != nil && strings.Contains(err.Error(), "malformed HTTP") },
		} {
			res, _, err := send(w.dial(t, s), "GET "+w.prefix+path+" HTTP/1.1\r\nHost: shop.example\r\n\r\n")
			if !is(err) {
				t.Errorf("%s %s: got %v, %v", w.via, path, res, err)
			}
		}
	}
	for _, r := range s.Requests() {
		if r.Status != 0 {
			t.Errorf("noted %+v: a fault has no status", r)
		}
	}
}

// isReset knows both names: windowsReset is what Windows calls it.
func isReset(err error) bool {
	const windowsReset = syscall.Errno(10054)
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, windowsReset)
}

// What hangs hangs until the client goes; then its connection is released.
func TestHang(t *testing.T) {
	s := serve(t, "http://shop.example/ fault=hang\n", nil)
	c := mustDial(t, s.HTTPAddr()).(*net.TCPConn)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || len(got) > 0 {
		t.Errorf("got %q, %v, want nothing and the end", got, err)
	}
	if got := s.Requests(); len(got) != 1 || got[0].Status != 0 {
		t.Errorf("noted %+v", got)
	}
}

func TestHeadersAndBodies(t *testing.T) {
	files := fstest.MapFS{
		"map.xml":   {Data: []byte("<urlset/>")},
		"urls.txt":  {Data: []byte("http://shop.example/\n")},
		"empty.txt": {},
	}
	s := serve(t, `
http://shop.example/lines  200
  Content-Type: text/html; charset=EUC-JP
  X-Robots-Tag: noindex
  x-robots-tag: bingbot: none
  |
  | two\xa4\xcb
  |  three | 3 \\
  | # four
http://shop.example/map    200 file=map.xml
http://shop.example/map.gz 200 file=map.xml gzip
http://shop.example/coded  200 file=map.xml gzip
  Content-Encoding: gzip
http://shop.example/urls   200 file=urls.txt
http://shop.example/empty  200 file=empty.txt
http://shop.example/none   200
  Content-Length: 0
http://shop.example/chunks 200 file=map.xml
  Transfer-Encoding: chunked
http://shop.example/odd    999
http://shop.example/no     204
`, files)
	c := client(t, s)
	for _, tt := range []struct{ path, kind, body string }{
		{"/lines", "text/html; charset=EUC-JP", "\ntwo\xa4\xcb\n three | 3 \\\n# four\n"},
		{"/map", "application/xml", "<urlset/>"},
		{"/map.gz", "application/gzip", string(mustPack(t, "<urlset/>"))},
		{"/coded", "application/xml", string(mustPack(t, "<urlset/>"))},
		{"/urls", "text/plain; charset=utf-8", "http://shop.example/\n"},
		{"/empty", "", ""},
		{"/none", "", ""},
		{"/chunks", "application/xml", "<urlset/>"},
		{"/no", "", ""},
	} {
		res, body := mustGet(t, c, "http://shop.example"+tt.path)
		if kind := res.Header.Get("Content-Type"); kind != tt.kind || body != tt.body {
			t.Errorf("%s: got %q %q, want %q %q", tt.path, kind, body, tt.kind, tt.body)
		}
	}
	res, _ := mustGet(t, c, "http://shop.example/lines")
	if got := strings.Join(res.Header.Values("X-Robots-Tag"), "|"); got != "noindex|bingbot: none" {
		t.Errorf("X-Robots-Tag: got %q", got)
	}
	if res, _ := mustGet(t, c, "http://shop.example/odd"); res.StatusCode != 999 {
		t.Errorf("got %d, want 999", res.StatusCode)
	}
}

func mustPack(t *testing.T, s string) []byte {
	t.Helper()
	packed, err := pack([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != s {
		t.Fatalf("unpacked: %q, %v", got, err)
	}
	return packed
}

func TestLocations(t *testing.T) {
	s := serve(t, `
http://shop.example/plain 301 /new#part   # comment
http://shop.example/raw   302 /\xe3\x81\x82\x20b\x23c
http://shop.example/empty 301
  Location:
http://shop.example/two   301
  Location:
  Location: /second
http://shop.example/none  301
http://shop.example/made  201 /created
http://shop.example/back  308 http:\\\\other.example
`, nil)
	c := client(t, s)
	for path, want := range map[string]string{
		"/plain": "/new#part",
		"/raw":   "/\xe3\x81\x82 b#c",
		"/empty": "",
		"/two":   "|/second",
		"/made":  "/created",
		"/back":  `http:\\other.example`,
	} {
		res, body := mustGet(t, c, "http://shop.example"+path)
		if got := strings.Join(res.Header.Values("Location"), "|"); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		if body == "" {
			t.Errorf("%s: no body", path)
		}
	}
	if res, _ := mustGet(t, c, "http://shop.example/none"); res.Header.Values("Location") != nil {
		t.Errorf("/none: got %q, want no Location", res.Header["Location"])
	}
}

// Two pages that say nothing of their own must not look like one.
func TestPagesAreSeparate(t *testing.T) {
	s := serve(t, "http://shop.example/* 200\n", nil)
	c := client(t, s)
	_, one := mustGet(t, c, "http://shop.example/?a=<b>&c")
	_, two := mustGet(t, c, "http://shop.example/?a=%3Cb%3E&c")
	if !strings.Contains(one, "<title>/?a=&lt;b&gt;&amp;c at shop.example</title>") {
		t.Errorf("got %q", one)
	}
	if one == two {
		t.Errorf("both are %q", one)
	}
}

// A length that is not that of the body is sent as written, and the connection
// ends there: the client sees a cut-off answer.
func TestCutOffAnswer(t *testing.T) {
	s := serve(t, "http://shop.example/ 200\n  Content-Length: 999\n  | short\n", nil)
	_, body, err := send(mustDial(t, s.HTTPAddr()), "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
	if body != "short\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v, want the short body and an unexpected end", body, err)
	}
}
