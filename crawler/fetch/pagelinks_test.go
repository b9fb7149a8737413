package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/links"
)

// linksIn returns the links of an answer as "TARGET" without its origin, with "!" before one that
// is nofollow; nil where none were read.
func linksIn(t *testing.T, hop *audit.Hop) (page links.Page, out []string) {
	t.Helper()
	if hop.Links == "" {
		return page, nil
	}
	origin := address.Wire(hop.URL).Origin()
	out = []string{}
	page, err := links.Unpack(hop.Links, func(_ *links.Page, l links.Link) error {
		said := strings.TrimPrefix(l.Target, origin)
		if l.Nofollow {
			said = "!" + said
		}
		out = append(out, said)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return page, out
}

// Links are read from pages that the robot requested, and from nothing else.
func TestLinksOfAnswers(t *testing.T) {
	const body = "<title>t</title><body><h1>A page</h1><p>It has some text, and more of it than a request to wait for a while.<a href=/a><a rel=nofollow href=b>"
	type answer struct {
		status       int
		header, body string
	}
	web := map[string]answer{
		"/page":      {200, "", body},
		"/gone":      {404, "", body},
		"/moved":     {301, "Location: /page", body},
		"/text":      {200, "Content-Type: text/plain", body},
		"/nofollow":  {200, "X-Robots-Tag: googlebot: nofollow", body},
		"/leads":     {200, "", "<meta http-equiv=refresh content='0; url=/page'>" + body},
		"/shell":     {200, "", "<div id=app></div><a href=/a></a><script src=/app.js></script>"},
		"/hidden":    {200, "", body + "<template><a href=/t></template><noscript><a href=/n></noscript><textarea><a href=/x></textarea><!--<a href=/c>--><script>'<a href=/s>'</script><a href=/z>"},
		"/templates": {200, "", "<body><template><a href=/t></template><a href=/a>" + body + "<template><template><a href=/u></template></template><template shadowrootmode=open><a href=/v></template>"},
		"/long":      {200, "", body + strings.Repeat("<p>word", 300_000) + "<a href=/late>"},
		"/latin":     {200, "Content-Type: text/html; charset=iso-8859-1", body + "<a href='/caf\xe9?q=\xe9'>"},
		"/sjis":      {200, "Content-Type: text/html; charset=shift_jis", body + "<a href='/\x83e\x83X\x83g'>"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := web[r.URL.Path]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if key, value, ok := strings.Cut(a.header, ": "); ok {
			w.Header().Set(key, value)
		}
		w.WriteHeader(a.status)
		fmt.Fprint(w, a.body)
	}))
	defer s.Close()
	id, _ := LookupIdentity("googlebot")
	for _, c := range []struct {
		path  string
		as    audit.Purpose
		links []string
		page  links.Page
	}{
		{path: "/page", links: []string{"/a", "!/b"}},
		{path: "/page", as: audit.WithoutSecrets, links: []string{"/a", "!/b"}},
		{path: "/page", as: audit.AsBrowser},
		{path: "/page", as: audit.AsProof},
		{path: "/gone"}, {path: "/moved"}, {path: "/text"}, {path: "/leads"},
		{path: "/nofollow", links: []string{"/a", "!/b"}, page: links.Page{Nofollow: true}},
		{path: "/shell", links: []string{"/a"}, page: links.Page{Shell: true}},
		{path: "/hidden", links: []string{"/a", "!/b", "/z"}},
		{path: "/templates", links: []string{"/a", "!/b", "/v"}},
		{path: "/long", links: []string{"/a", "!/b"}, page: links.Page{Cut: true}},
		{path: "/latin", links: []string{"/a", "!/b", "/caf%C3%A9?q=%E9"}},
		{path: "/sjis", links: []string{"/a", "!/b", "/%E3%83%86%E3%82%B9%E3%83%88"}},
	} {
		for _, wanted := range []bool{true, false} {
			a := New(Options{Identity: id, Guard: NewGuard(nil, nil, true), Links: wanted})
			hop, _ := a.Ask(t.Context(), audit.Request{URL: s.URL + c.path, Purpose: c.as})
			a.Close()
			page, got := linksIn(t, &hop)
			if !wanted {
				c.links, c.page = nil, links.Page{}
			}
			if hop.Fault != "" || !slices.Equal(got, c.links) || page != c.page {
				t.Errorf("%s as %d, wanted %t: %q %+v, want %q %+v (%s)", c.path, c.as, wanted, got, page, c.links, c.page, hop.Fault)
			}
		}
	}
}

// A link to the host that answers in place of another one counts as a link to the other one.
func TestLinksOfAMappedHost(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>t</title><a href='http://%s/a'><a href=/b><a href=http://c.example/>", r.Host)
	}))
	defer s.Close()
	id, _ := LookupIdentity("googlebot")
	a := New(Options{Identity: id, Guard: NewGuard(nil, nil, true), Links: true, Map: map[string]string{"www.shop.example": strings.TrimPrefix(s.URL, "http://")}})
	defer a.Close()
	hop, _ := a.Ask(t.Context(), audit.Request{URL: "http://www.shop.example/"})
	if _, got := linksIn(t, &hop); !slices.Equal(got, []string{"/a", "/b", "http://c.example/"}) {
		t.Errorf("links %q (%s)", got, hop.Fault)
	}
}
