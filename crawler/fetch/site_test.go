package fetch_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// folder is a Site of the host build.example: its pages, a rule, and an address that it cannot
// answer.
type folder map[string]fetch.SiteAnswer

func (f folder) Answer(at address.Address) (fetch.SiteAnswer, bool) {
	if at.Host() != "build.example" {
		return fetch.SiteAnswer{Fault: audit.FaultOutside, Detail: "another host"}, true
	}
	return f[at.Target()], true
}

func (f folder) File(at address.Address) (fetch.SiteAnswer, bool) {
	if a, ok := f["file "+at.Target()]; ok {
		return a, true
	}
	return f.Answer(at)
}

func page(text string) fetch.SiteAnswer {
	return fetch.SiteAnswer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}},
		Body: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))}
}

// Answers of a Site are read like those of the network: pages, redirects byte for byte, headers,
// files; and nothing is dialled.
func TestSite(t *testing.T) {
	c := fetch.New(fetch.Options{Site: folder{
		"/":        page("<title>Home</title><link rel=canonical href=/x>"),
		"/a%28b?q": {Status: 301, Header: http.Header{"Location": {"/x%28\xff"}}, Rule: audit.RuleAt{File: "_redirects", Line: 3}},
		"/hidden":  {Status: 200, Header: http.Header{"X-Robots-Tag": {"noindex"}, "Content-Type": {"text/html"}}},
		"/fn":      {Fault: audit.FaultUnmodelled, Detail: "functions"},
		"/s.xml":   {Fault: audit.FaultUnmodelled, Detail: "as a page"},

		"file /s.xml": page("<urlset/>"),
		"/r.xml":      {Status: 301, Header: http.Header{"Location": {"/r.xml"}}, Rule: audit.RuleAt{File: "_redirects", Line: 4}},
	}})
	defer c.Close()
	ask := func(url string) audit.Hop {
		hop, _ := c.Ask(context.Background(), audit.Request{URL: url})
		return hop
	}
	if h := ask("https://build.example/"); h.Status != 200 || h.Page.Title != "Home" || h.Page.Canonical != "/x" {
		t.Errorf("the page is %+v", h)
	}
	if h := ask("https://build.example/a%28b?q"); h.Status != 301 || h.Location != "/x%28\xff" || h.Rule != (audit.RuleAt{File: "_redirects", Line: 3}) {
		t.Errorf("the redirect is %+v", h)
	}
	if h := ask("https://build.example/hidden"); h.Page.Robots != "noindex" {
		t.Errorf("X-Robots-Tag is %+v", h.Page)
	}
	if h := ask("https://build.example/fn"); h.Fault != audit.FaultUnmodelled || h.Detail != "functions" || h.Status != 0 {
		t.Errorf("a function is %+v", h)
	}
	if h := ask("https://other.example/"); h.Fault != audit.FaultOutside {
		t.Errorf("another host is %+v", h)
	}
	var body bytes.Buffer
	got, err := c.Get(context.Background(), fetch.File{URL: address.Wire("https://build.example/s.xml")}, &body)
	if err != nil || got.Status != 200 || body.String() != "<urlset/>" {
		t.Errorf("the file is %q, %+v, %v", body.String(), got, err)
	}
	got, err = c.Get(context.Background(), fetch.File{URL: address.Wire("https://build.example/r.xml")}, &body)
	if err != nil || !got.Redirecting || got.Trail[0].Rule != (audit.RuleAt{File: "_redirects", Line: 4}) {
		t.Errorf("the file that a rule answers is %+v, %v", got, err)
	}
}
