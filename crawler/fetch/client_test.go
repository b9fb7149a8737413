package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

func TestAskReadsWhatAnAnswerSays(t *testing.T) {
	const html, none = "Content-Type: text/html\r\nContent-Length: 46\r\n\r\n<html><head><title>Shoes</title></head><body>!", "Content-Length: 0\r\n\r\n"
	for answer, want := range map[string]string{
		"200 OK\r\n" + html: "200 title Shoes",
		"301 Moved\r\nLocation: /\xA4\xC7?a b\r\n" + none:                        "301 to /\xA4\xC7?a b",
		"301 Moved\r\nLocation: /a\x00b\r\n" + none:                              "0 not-http", // RFC 9110, 5.5: it is to be rejected
		"302 Found\r\nLocation: \r\nLocation: /b\r\nLocation: /c\r\n" + none:     "302 to /b",
		"301 Moved\r\nLocation: /b\r\n" + html:                                   "301 to /b",
		"503 Busy\r\nRetry-After: 120\r\n" + none:                                "503 after 2m0s",
		"103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n" + none:        "200",
		"200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n" + none: "200",
		"403 Forbidden\r\ncf-mitigated: challenge\r\n" + none:                    "403 by Cloudflare",
		"999 Go away\r\nX-Robots-Tag: noindex\r\n" + none:                        "999 robots noindex",
	} {
		w := serveRaw(t, says("HTTP/1.1 "+answer))
		hop, more := newTestClient(t, Options{}).Ask(t.Context(), answers.Request{URL: "http://" + w.addr + "/x"})
		got := strings.TrimSpace(fmt.Sprint(hop.Status, " ", hop.Fault))
		for _, part := range []struct{ name, said string }{{"to", hop.Location}, {"title", hop.Page.Title}, {"robots", hop.Page.Robots}, {"by", hop.Challenge},
			{"after", more.RetryAfter.String()}} {
			if part.said != "" && part.said != "0s" {
				got += " " + part.name + " " + part.said
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
		if hop.URL != "http://"+w.addr+"/x" || hop.Tries != 1 || hop.At.IsZero() {
			t.Errorf("%+v", hop)
		}
	}
}

func TestContentCodings(t *testing.T) {
	page := "<title>日本の靴</title>" + strings.Repeat("<p>靴", 5000)
	pack := map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"deflate bare": func(w io.Writer) io.WriteCloser {
			z, _ := flate.NewWriter(w, 5)
			return z
		},
	}
	bodies := map[string][]byte{"identity": []byte(page)}
	for name, p := range pack {
		bodies[name] = packed(t, page, p)
	}
	bodies["gzip in two members"] = append(packed(t, page[:9], pack["gzip"]), packed(t, page[9:], pack["gzip"])...)
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				coding := strings.Fields(name)[0]
				w.Header().Set("Content-Encoding", coding)
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.Write(body)
			})
			a := newTestClient(t, Options{})
			if hop := ask(t, a, s.URL+"/"); hop.Page.Title != "日本の靴" || hop.Fault != "" || hop.Truncated {
				t.Errorf("%+v", hop)
			}
		})
	}
}

func packed(t testing.TB, text string, with func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	z := with(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestMappedReferences(t *testing.T) {
	e := newHostOverrides(&Options{Map: map[string]string{"shop.example": "staging.example", "b.example:81": "[::1]:8080"}})
	tests := map[string]string{
		"https://staging.example/a":      "https://shop.example/a",
		"https://staging.example:80/a":   "https://shop.example:80/a",
		` HTTPS:\\u:p@staging.example?x`: "https://shop.example/?x",
		"http://[::1]:8080/":             "http://b.example:81/",
		"/staging.example":               "/staging.example",
		"https://not.staging.example/":   "https://not.staging.example/",
		"":                               "",
	}
	for ref, want := range tests {
		if got := e.read(ref, address.Wire("http://q.example/")); got != want {
			t.Errorf("%q: got %q, want %q", ref, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 5 ": 5 * time.Second, "-1": 0, "soon": 0, "1.5": 0,
		"Sat, 21 Nov 2026 10:00:30 GMT": 30 * time.Second, "Sat, 21 Nov 2026 09:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": maxRetry,
	}
	for value, want := range tests {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}

// hops are the answers that a test remembers.
type hops map[string]answers.Hop

func (h hops) Hop(r answers.Request) (answers.Hop, bool) { hop, ok := h[r.URL]; return hop, ok }
func (h hops) Err() error                                { return nil }

// judged requests what the redirect chains of addresses need, one request after another, and judges
// them.
func judged(t *testing.T, a *Client, locs ...string) (rows []audit.Row) {
	t.Helper()
	answers, rules := hops{}, &audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "ignore"}
	for i, loc := range locs {
		row := new(audit.Row).Judge(audit.NewAnswerCache(answers, 1, true), audit.Entry{N: i, Loc: loc}, rules, audit.Want{})
		for len(row.Needs) > 0 {
			answers[row.Needs[0].URL], _ = a.Ask(t.Context(), row.Needs[0])
			row = new(audit.Row).Judge(audit.NewAnswerCache(answers, 1, true), audit.Entry{N: i, Loc: loc}, rules, audit.Want{})
		}
		rows = append(rows, *row)
	}
	return rows
}

// leadsTo returns a Client that finds some hosts at an address, and no others in private networks.
func leadsTo(t *testing.T, addr string, o Options, hosts ...string) *Client {
	t.Helper()
	o.Identity, _ = LookupIdentity("googlebot")
	o.Resolve, o.NoProxy = map[string]string{}, true
	for _, h := range hosts {
		o.Resolve[h+":80"], o.Resolve[h+":443"] = addr, addr
	}
	o.Guard = NewGuard(nil, hosts, false)
	if o.RootCAs == nil {
		o.RootCAs = lentPool
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	a := New(o)
	t.Cleanup(a.Close)
	return a
}
