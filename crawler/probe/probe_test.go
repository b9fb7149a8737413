package probe

import (
	"context"
	"net/http"
	"net/http/httptest"
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
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	id, _ := fetch.LookupIdentity("googlebot")
	p := New(crawler.Options{Rules: audit.Rules{MaxHops: 10, Robots: "obey"}, GivenRate: true, Backoff: []time.Duration{1, 1},
		Ask: fetch.Options{Identity: id, Guard: fetch.NewGuard(nil, nil, true), NoProxy: true}}, most)
	defer p.Close()
	out, err := p.Probe(context.Background(), address.Wire(s.URL+target))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const seedTarget = "/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29"

var parens = strings.NewReplacer("(", "%28", ")", "%29")

// decoding is a server that compares a page's address by its decoded bytes and redirects all of its
// spellings to one, which has a status; other is its status for everything else.
func decoding(own string, status, other int) func(string) (int, string) {
	return func(target string) (int, string) {
		switch {
		case target == own:
			return status, ""
		case strings.EqualFold(parens.Replace(target), parens.Replace(own)):
			return 301, own
		}
		return other, ""
	}
}

func TestProbe(t *testing.T) {
	all := func(status int) func(string) (int, string) { return func(string) (int, string) { return status, "" } }
	for _, c := range []struct {
		name, given string
		rule        func(string) (int, string)
		want        string // the given form; the spellings by their leads
		respelled   bool
	}{
		{"the seed's server", seedTarget, decoding(seedTarget, 200, 404), "200; googlebot, all encodings at once, ( literal in the query, ) literal in the query, hex in lower case: back to the given form 301, 200; " +
			"text in UTF-8, a slash at the end of the path: another answer 404; the path in upper case: back to the given form 301, 200", true},
		{"the other way round", "/a%28b%29?x", decoding("/a(b)?x", 200, 404), "301, 200; googlebot, all encodings at once: it is where the given form leads 200; " +
			"( literal in the path, ) literal in the path: the same 301, 200; a slash at the end of the path: another answer 404; the path in upper case: the same 301, 200", true},
		{"a page that moved takes its slashes along", "/%E3%82%AB/", func(target string) (int, string) {
			if target == "/new" {
				return 200, ""
			}
			return 301, "/new"
		}, "301, 200; hex in lower case, no slash at the end of the path: the same 301, 200", false},
		{"a space", "/?q=a%20b", func(target string) (int, string) {
			if target == "/?q=a+b" {
				return 301, "/?q=a%20b"
			}
			return 200, ""
		}, "200; a space as + in the query: back to the given form 301, 200", true},
		{"back to what is not there", "/a(b)/", decoding("/a(b)/", 404, 404), "404; all encodings at once, ( encoded in the path, ) encoded in the path: back to the given form 301, 404; " +
			"no slash at the end of the path: the same 404; the path in upper case: back to the given form 301, 404", true},
		{"elsewhere and a loop", "/?(,)", func(target string) (int, string) {
			switch target {
			case "/?(%2C)":
				return 302, "/else"
			case "/?%28,)":
				return 301, target
			}
			return 200, ""
		}, "200; all encodings at once: the same 200; ( encoded in the query: nowhere: redirected without an end 301, loop; , encoded in the query: elsewhere 302, 200; ) encoded in the query: the same 200", true},
		{"a refusal says nothing", "/?(", func(target string) (int, string) {
			if strings.Contains(target, "%") {
				return 403, ""
			}
			return 200, ""
		}, "200; ( encoded in the query: could not be seen 403", false},
		{"tired", "/?(1)", all(429), "429", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &probeWeb{rule: c.rule}
			p := w.probe(t, c.given, 40)
			if got := told(p); got != c.want || p.Respelled() != c.respelled {
				t.Errorf("respelled %v, got\n%s\nwant\n%s\nasked %s", p.Respelled(), got, c.want, strings.Join(w.asked, " "))
			}
		})
	}
}

// told is a result in a line.
func told(p *Result) string {
	out, last := Statuses(&p.Trail), ""
	for i := range p.Answers {
		s := &p.Answers[i]
		names, how := strings.Join(s.Names, ", "), ": "+string(s.Lead)+" "+Statuses(&s.Trail)
		if how == last {
			out = strings.TrimSuffix(out, how) + ", " + names + how
		} else {
			out += "; " + names + how
		}
		last = how
	}
	return out
}

// Titles that differ mean another page, but not where they differ each time; a given form that has
// another answer the second time proves nothing.
func TestProbeLooksTwice(t *testing.T) {
	fine, n := func(string) (int, string) { return 200, "" }, 0
	for _, c := range []struct {
		web      *probeWeb
		lead     Lead
		unsteady bool
	}{
		{&probeWeb{rule: fine, title: func(_ int, target string) string { return target }}, LeadPage, false},
		{&probeWeb{rule: fine, title: func(n int, _ string) string { return strings.Repeat("x", n) }}, LeadSame, false},
		{&probeWeb{rule: func(string) (int, string) { n++; return 200 + 300*min(n-1, 1), "" }}, LeadAnswer, true},
	} {
		if p := c.web.probe(t, "/?(", 40); p.Answers[0].Lead != c.lead || p.Unsteady != c.unsteady {
			t.Errorf("%s, unsteady %v, want %s", told(p), p.Unsteady, c.lead)
		}
	}
}

// No more requests are sent than allowed.
func TestProbeBudget(t *testing.T) {
	for name, rule := range map[string]func(string) (int, string){
		"fine": func(string) (int, string) { return 200, "" }, "hops": func(target string) (int, string) { return 301, target + "x" },
		"broken": func(string) (int, string) { return 500, "" }, "seed": decoding(seedTarget, 200, 404),
	} {
		for most := 1; most < 12; most++ {
			w := &probeWeb{rule: rule}
			if p := w.probe(t, seedTarget, most); len(w.asked) > most || p.Requests != len(w.asked)+1 {
				t.Errorf("%s: %d requests, told %d, allowed %d", name, len(w.asked), p.Requests, most)
			}
		}
	}
}
