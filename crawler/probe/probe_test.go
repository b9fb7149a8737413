package probe

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// probeWeb answers each target by a rule and records the requests.
type probeWeb struct {
	mu    sync.Mutex
	asked []string
	rule  func(target string) (status int, location string)
	title func(n int, target string) string
	robot string
}

func (w *probeWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.RequestURI == "/robots.txt" {
		rw.Write([]byte(w.robot))
		return
	}
	w.asked = append(w.asked, r.RequestURI)
	status, location := w.rule(r.RequestURI)
	if location != "" {
		rw.Header().Set("Location", location)
	}
	rw.Header().Set("Content-Type", "text/html")
	rw.WriteHeader(status)
	if w.title != nil {
		rw.Write([]byte("<title>" + w.title(len(w.asked), r.RequestURI) + "</title>"))
	}
}

// probe probes a target of the web.
func (w *probeWeb) probe(t *testing.T, target string, most int) *Result {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	s := serve(t, w.ServeHTTP)
	id, _ := fetch.LookupIdentity("googlebot")
	p := New(crawler.Options{Rules: audit.Rules{MaxHops: 10, Robots: "obey"}, GivenRate: true, Backoff: []time.Duration{1, 1},
		Ask: fetch.Options{Identity: id, Guard: fetch.NewGuard(nil, nil, true), NoProxy: true}}, most)
	defer p.Close()
	out, err := p.Probe(context.Background(), parse(t, s.URL+target))
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Findings {
		out.Findings[i] = strings.ReplaceAll(out.Findings[i], s.URL, "")
	}
	return out
}

// canonical is a server that redirects other spellings of a text to its own.
func canonical(own string, others ...string) func(string) (int, string) {
	return func(target string) (int, string) {
		switch {
		case target == own:
			return 200, ""
		case slices.Contains(others, target), others == nil:
			return 301, own
		}
		return 404, ""
	}
}

const seedTarget = "/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29"

// decoding is a server that compares a page's address by its decoded bytes and redirects all of its
// spellings to one; other is its status for everything else.
func decoding(own string, like func(string) string, other int) func(string) (int, string) {
	return func(target string) (int, string) {
		switch {
		case target == own:
			return 200, ""
		case like(target) == like(own):
			return 301, own
		}
		return other, ""
	}
}

// decodingGone is decoding for a page that is gone.
func decodingGone(own string, like func(string) string, gone int) func(string) (int, string) {
	return func(target string) (int, string) {
		if target != own && like(target) == like(own) {
			return 301, own
		}
		return gone, ""
	}
}

func TestProbeFindings(t *testing.T) {
	parens := strings.NewReplacer("(", "%28", ")", "%29")
	all := func(status int) func(string) (int, string) { return func(string) (int, string) { return status, "" } }
	for _, c := range []struct {
		name, given string
		rule        func(string) (int, string)
		want        []string
		otherwise   bool
	}{
		{"the seed's server", seedTarget, func(target string) (int, string) {
			if target == parens.Replace(target) && strings.EqualFold(target, seedTarget) && strings.HasPrefix(target, "/wiki/wiki.cgi?mod") {
				return 200, "" // hex case does not matter
			}
			return decoding(seedTarget, parens.Replace, 404)(target)
		}, []string{
			"googlebot; ( literal in the query; ) literal in the query: answered 301, then 200, and leads back to the given form",
			"all encodings at once; text in UTF-8; a slash at the end of the path; the path in upper case: answered 404",
			"hex in lower case: answered as the given form is, 200",
		}, true},
		{"the other way round", "/a%28b%29?x", decoding("/a(b)?x", func(s string) string { return strings.ToLower(parens.Replace(s)) }, 404), []string{
			"the given form is answered 301, then 200, and leads to /a(b)?x, the same URL in another spelling",
			"googlebot; all encodings at once: answered 200 at once: that is where the given form leads",
			"a slash at the end of the path: answered 404",
			"( literal in the path; ) literal in the path; the path in upper case: answered as the given form is, 301, then 200",
		}, true},
		{"hex in upper case, given in lower", "/%e3%82%ab/", canonical("/%E3%82%AB/"), []string{
			"the given form is answered 301, then 200, and leads to /%E3%82%AB/, the same URL in another spelling",
			"googlebot; rfc3986; hex in upper case: answered 200 at once: that is where the given form leads",
			"no slash at the end of the path: answered as the given form is, 301, then 200",
		}, true},
		{"a page that moved takes its slashes along", "/%E3%82%AB/", func(target string) (int, string) {
			if target == "/new" {
				return 200, ""
			}
			return 301, "/new"
		}, []string{
			"the given form is answered 301, then 200, and leads to /new",
			"hex in lower case; no slash at the end of the path: answered as the given form is, 301, then 200",
		}, false},
		{"a space", "/?q=a%20b", canonical("/?q=a%20b", "/?q=a+b"), []string{
			"a space as + in the query: answered 301, then 200, and leads back to the given form",
		}, true},
		{"all alike", "/?q=a+(b)", all(200), []string{
			"all encodings at once; a space as %20 in the query; ( encoded in the query; ) encoded in the query: answered as the given form is, 200",
		}, false},
		{"nothing to choose", "/", all(200), []string{"there is no other spelling of this URL to request"}, false},
		{"some gone, some refused", "/x", func(target string) (int, string) {
			if target == "/X" {
				return 500, ""
			}
			return 404, ""
		}, []string{
			"the given form is answered 404",
			"the path in upper case: answered 500",
			"a slash at the end of the path: answered as the given form is, 404",
		}, true},
		{"back to what is not there", "/a(b)", decodingGone("/a(b)", parens.Replace, 404), []string{
			"the given form is answered 404",
			"all encodings at once; ( encoded in the path; ) encoded in the path: answered 301, then 404, and leads back to the given form",
			"a slash at the end of the path; the path in upper case: answered as the given form is, 404",
		}, true},
		{"elsewhere and a loop", "/?(,)", func(target string) (int, string) {
			switch target {
			case "/?(,)":
				return 200, ""
			case "/?(%2C)":
				return 302, "/else"
			case "/?%28,)", "/?(,%29":
				return 301, target
			}
			return 200, ""
		}, []string{
			"( encoded in the query; ) encoded in the query: answered 301, loop, and leads nowhere",
			", encoded in the query: answered 302, then 200, and leads elsewhere, to /else",
			"all encodings at once: answered as the given form is, 200",
		}, true},
		{"a refusal", "/?(1)", func(target string) (int, string) {
			if strings.Contains(target, "%") {
				return 403, ""
			}
			return 200, ""
		}, []string{
			"all encodings at once; ( encoded in the query; ) encoded in the query: refused to us (403), which says nothing about Googlebot",
		}, true},
		{"refused at all", "/?(1)", all(403), []string{"the given form could not be seen (403), so no other spelling was requested"}, false},
		{"both literal only", "/x?%281%29", func(target string) (int, string) {
			if target == "/x?(1)" {
				return 301, "/x?%281%29"
			}
			return 200, ""
		}, []string{
			"googlebot; all encodings at once: answered 301, then 200, and leads back to the given form",
			"( literal in the query; ) literal in the query; a slash at the end of the path; the path in upper case: answered as the given form is, 200",
		}, true},
		{"tired", "/?(1)", all(429), []string{"the given form could not be seen (429), so no other spelling was requested"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &probeWeb{rule: c.rule}
			p := w.probe(t, c.given, 40)
			if !slices.Equal(p.Findings, c.want) {
				t.Errorf("got\n%s\nwant\n%s\nasked %s", strings.Join(p.Findings, "\n"), strings.Join(c.want, "\n"), strings.Join(w.asked, " "))
			}
			if p.Respelled() && !p.Otherwise() {
				t.Error("Respelled() without Otherwise()")
			}
			if p.Otherwise() != c.otherwise {
				t.Errorf("Otherwise() = %v", p.Otherwise())
			}
		})
	}
}

// Titles that differ mean another page, but not where they differ each time.
func TestProbeTitles(t *testing.T) {
	two := func(string) (int, string) { return 200, "" }
	w := &probeWeb{rule: two, title: func(_ int, target string) string { return target }}
	if p := w.probe(t, "/?(1", 40); p.Count(LeadPage) != 1 || !strings.Contains(p.Findings[0], "another title") {
		t.Errorf("by address: %+v", p.Findings)
	}
	w = &probeWeb{rule: two, title: func(n int, _ string) string { return strings.Repeat("x", n) }}
	if p := w.probe(t, "/?(1", 40); p.Otherwise() || p.Unsteady {
		t.Errorf("by time: %+v", p.Findings)
	}
}

// A server that gives the given form another answer the second time proves nothing.
func TestProbeUnsteady(t *testing.T) {
	n := 0
	w := &probeWeb{rule: func(string) (int, string) {
		if n++; n > 1 {
			return 403, ""
		}
		return 200, ""
	}}
	p := w.probe(t, "/?(1", 40)
	if !p.Unsteady || p.Findings[0] != "the given form was answered 200 at first and 403 at the end: what follows is not certain" {
		t.Errorf("unsteady %v: %+v", p.Unsteady, p.Findings)
	}
}

// No more requests are sent than allowed, and a finding says what was left out.
func TestProbeBudget(t *testing.T) {
	rules := map[string]func(string) (int, string){
		"fine":   func(string) (int, string) { return 200, "" },
		"hops":   func(target string) (int, string) { return 301, target + "x" },
		"broken": func(target string) (int, string) { return 500, "" },
		"seed":   decoding(seedTarget, strings.NewReplacer("(", "%28", ")", "%29").Replace, 404),
	}
	for name, rule := range rules {
		for most := 1; most < 12; most++ {
			w := &probeWeb{rule: rule}
			p := w.probe(t, seedTarget, most)
			if len(w.asked) > most || p.Requests != len(w.asked)+1 {
				t.Errorf("%s: %d requests, told %d, allowed %d", name, len(w.asked), p.Requests, most)
			}
			left := p.Count(LeadLeftOut)
			last := p.Findings[len(p.Findings)-1]
			if (left > 0) != strings.Contains(last, "left out for want of requests") {
				t.Errorf("%s, %d: %d left out, but %q", name, most, left, last)
			}
		}
	}
}

// Secrets are sent neither to other hosts, nor after a redirect back from them, nor after one from
// https to http, as in an audit.
func TestProbeSecrets(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	note := func(r *http.Request, name string) {
		mu.Lock()
		defer mu.Unlock()
		got[name+r.RequestURI] = r.Header.Get("X-Secret")
	}
	var here, there string
	foreign := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		note(r, "foreign ")
		http.Redirect(rw, r, here+"/back", http.StatusFound)
	})
	there = strings.Replace(foreign.URL, "127.0.0.1", "localhost", 1)
	own := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		note(r, "own ")
		if r.RequestURI == "/start" {
			http.Redirect(rw, r, there+"/over", http.StatusFound)
		}
	})
	here = own.URL
	var audited fetch.Audited
	start := parse(t, here+"/start")
	audited.Add(start)
	id, _ := fetch.LookupIdentity("googlebot")
	p := New(crawler.Options{Rules: audit.Rules{MaxHops: 10, Robots: "ignore", Secret: audited.Origins()}, GivenRate: true, Ask: fetch.Options{Identity: id, NoProxy: true,
		Guard: fetch.NewGuard(nil, nil, true), Headers: []fetch.Header{{Key: "X-Secret", Value: "s"}}, Audited: audited.Has}}, 3)
	defer p.Close()
	if _, err := p.Probe(context.Background(), start); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"own /start": "s", "foreign /over": "", "own /back": ""}
	for k, v := range want {
		if sent, asked := got[k]; !asked || sent != v {
			t.Errorf("%s: asked %v, secret %q, want %q", k, asked, sent, v)
		}
	}
}

// Every spelling of a seed is requested once and is a wire form.
func TestSpellingsOf(t *testing.T) {
	a := address.Wire("http://h.example" + seedTarget)
	var got []string
	for _, s := range spellings(a) {
		got = append(got, strings.Join(s.Names, " = ")+": "+strings.TrimPrefix(s.URL.String(), "http://h.example"))
	}
	want := []string{
		"googlebot: /wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)",
		"all encodings at once: /wiki/wiki.cgi?mod_cache%a4%c7Wiki%a4%f2%b9%e2%c2%ae%b2%bd(4)",
		"( literal in the query: /wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4%29",
		") literal in the query: /wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284)",
		"hex in lower case: /wiki/wiki.cgi?mod_cache%a4%c7Wiki%a4%f2%b9%e2%c2%ae%b2%bd%284%29",
		"text in UTF-8: /wiki/wiki.cgi?mod_cache%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96%284%29",
		"a slash at the end of the path: /wiki/wiki.cgi/?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29",
		"the path in upper case: /WIKI/WIKI.CGI?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func parse(t *testing.T, url string) address.Address {
	t.Helper()
	a, err := address.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
