package fetch

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"sitemend/crawler/address"
)

// What a site repeats of --header and --user is masked in all that is kept of its answers; where it
// is part of an address, that address is not requested.
func TestEchoedSecretsAreMasked(t *testing.T) {
	var strange atomic.Value
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, auth := r.Header.Get("X-Key"), r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/to":
			w.Header().Set("Location", "/there?key="+url.QueryEscape(key)+"&by=preview#"+auth)
			w.WriteHeader(301)
		case "/away":
			w.Header().Set("Location", "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/strange?key="+url.QueryEscape(key))
			w.WriteHeader(301)
		case "/broken":
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", key)
			_ = c.Close()
		case "/strange":
			strange.Store(r.RequestURI)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("X-Robots-Tag", key)
			fmt.Fprintf(w, `<title>preview of %s by %s</title><link rel=canonical href="?k=%s"><a href="/x?k=%s">x</a><h1>pass4 pass45 %s</h1>`,
				key, auth, url.PathEscape(key), key, "preview:pass4")
		}
	}))
	a := newTestClient(t, Options{User: "preview", Pass: "pass4", Links: true,
		Headers: []Header{{"X-Key", "K3y/a b"}, {"Accept-Language", "preview/x"}, {"Cookie", "lang=german; sid=c00k1e"}},
		Audited: func(at address.Address) bool { return at.Origin() == s.URL }})
	basic := base64.StdEncoding.EncodeToString([]byte("preview:pass4"))
	hop := ask(t, a, s.URL+"/to")
	if hop.Location != "/there?key=***&by=***#Basic ***" {
		t.Errorf("Location %q", hop.Location)
	}
	hop = ask(t, a, s.URL+"/page")
	p := hop.Page
	if p.Canonical != "?k=***" || p.Title != "preview of *** by Basic ***" || p.Heading != "*** pass45 ***" {
		t.Errorf("%+v", p)
	}
	if all := fmt.Sprintf("%+v", hop); strings.Contains(strings.ToLower(all), "k3y") || strings.Contains(all, basic[:8]) {
		t.Error(all)
	}
	if listed := ask(t, a, s.URL+"/K3y/a%20b?by=preview"); !strings.Contains(listed.Page.Title, "K3y/a b") {
		t.Errorf("what the address itself says is masked: %q", listed.Page.Title)
	}
	if hop = ask(t, a, s.URL+"/broken"); hop.Fault == "" || strings.Contains(hop.Detail, "K3y") {
		t.Errorf("a fault repeats a secret: %+v", hop)
	}
	if hop = ask(t, a, s.URL+"/there?key=***&by=***"); hop.Fault == "" {
		t.Errorf("an address that holds a secret: %+v", hop)
	}
	ask(t, a, s.URL+"/away")
	if hop = ask(t, a, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/strange?key=***"); hop.Fault == "" || strange.Load() != nil {
		t.Errorf("a stranger got a secret: %v, %+v", strange.Load(), hop)
	}
	var b bytes.Buffer
	got, err := a.Get(t.Context(), File{URL: address.Wire(s.URL + "/to"), Redirects: 5}, &b)
	if err != nil || got.Fault == "" || strings.Contains(fmt.Sprintf("%+v", got), "K3y") {
		t.Errorf("%+v, %v", got, err)
	}
}

// A value counts as a whole word, in any spelling of an address; a plain word only as a parameter.
func TestSecretsInText(t *testing.T) {
	e := newEchoes(&Options{User: "demo", Pass: "Shop", Headers: []Header{{"X-Proto", "https"}, {"Authorization", "Bearer abc.def-ghi"}}})
	for _, tt := range []struct{ ref, want string }{
		{"https://demo.example/Shop/Shops?u=demo&v=demos", "https://demo.example/***/Shops?u=***&v=demos"},
		{"/%53%68op?a=%2553hop", "/***?a=***"},
		{"/x%20Shop", "/x%20***"},
		{"/demo?t=xabc.def-ghi", "/demo?t=x***"},
		{"/?u=demo%3AShop", "/?u=***"},
		{"/%", "/%"},
	} {
		if got := e.maskRef(tt.ref); got != tt.want {
			t.Errorf("%s -> %s, want %s", tt.ref, got, tt.want)
		}
	}
}
