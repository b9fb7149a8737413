package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"sitemend/crawler/audit"
)

// conditionalWeb answers according to the conditions of a request, and records the requests.
type conditionalWeb struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func serveConditional(t *testing.T, with, without http.HandlerFunc) *conditionalWeb {
	w := &conditionalWeb{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		tag, since := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
		w.mu.Lock()
		w.asked = append(w.asked, strings.TrimSpace(tag+" "+since))
		w.mu.Unlock()
		if tag+since != "" {
			with(rw, r)
			return
		}
		without(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

func status(code int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		if code != http.StatusNotModified {
			fmt.Fprint(w, "<title>now</title>")
		}
	}
}

// A 304 returns the remembered answer; any other answer is returned as it came.
func TestAskAgain(t *testing.T) {
	last := audit.Hop{Status: 200, ETag: `W/"v1"`, LastModified: "Sat, 21 Nov 2026 10:00:00 GMT",
		Page: audit.Page{Title: "then", Canonical: "/c", Robots: "nofollow", ContentType: "text/html"}}
	const both = `W/"v1" Sat, 21 Nov 2026 10:00:00 GMT`
	for name, tt := range map[string]struct {
		with  http.HandlerFunc
		want  string
		asked []string
	}{
		"not modified":                           {status(304), "200 then nofollow /c, not modified, 1 tries", []string{both}},
		"now with a header":                      {status(304, "X-Robots-Tag", "noindex"), "200 then nofollow, noindex /c, not modified, 1 tries", []string{both}},
		"changed":                                {status(200), "200 now, 1 tries", []string{both}},
		"gone":                                   {status(404), "404 now, 1 tries", []string{both}},
		"redirects":                              {status(301, "Location", "/new"), "301 , 1 tries", []string{both}},
		"refused":                                {status(403), "403 now, 1 tries", []string{both}},
		"busy":                                   {status(503), "503 now, 1 tries", []string{both}},
		"the same, packed":                       {status(304, "Etag", `"v1-gzip"`), "200 then nofollow /c, not modified, 1 tries", []string{both}},
		"not modified, but another version":      {status(304, "Etag", `W/"v2"`), "200 now, 2 tries", []string{both, ""}},
		"not modified since, but later":          {status(304, "Last-Modified", "Sat, 21 Nov 2026 11:00:00 GMT"), "200 now, 2 tries", []string{both, ""}},
		"a server that does not like conditions": {status(412), "200 now, 2 tries", []string{both, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			w := serveConditional(t, tt.with, status(200))
			turns := 0
			turn := func(first *audit.Hop, _ Answer) error {
				if turns++; first.Status != 304 && first.Status != 412 {
					t.Errorf("a turn after %d", first.Status)
				}
				return nil
			}
			hop, _, err := newTestClient(t, Options{Conditional: true}).AskAgain(context.Background(), audit.Request{URL: w.URL + "/x"}, last, turn)
			if err != nil || turns != len(tt.asked)-1 {
				t.Errorf("%d turns for %d requests, %v", turns, len(tt.asked), err)
			}
			got := fmt.Sprint(hop.Status, " ", hop.Page.Title)
			if hop.Page.Robots != "" {
				got += " " + hop.Page.Robots + " " + hop.Page.Canonical
			}
			if hop.NotModified {
				got += ", not modified"
			}
			if got += fmt.Sprintf(", %d tries", hop.Tries); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(w.asked, tt.asked) {
				t.Errorf("asked with %q, want %q", w.asked, tt.asked)
			}
			if hop.NotModified && (hop.ETag != last.ETag || hop.LastModified != last.LastModified) {
				t.Errorf("the next audit cannot ask for changes: %+v", hop)
			}
		})
	}
}

// A turn that fails before the second request ends AskAgain without an answer.
func TestAskAgainStops(t *testing.T) {
	w := serveConditional(t, status(412), status(200))
	a := newTestClient(t, Options{Conditional: true})
	_, _, err := a.AskAgain(context.Background(), audit.Request{URL: w.URL + "/x"}, audit.Hop{Status: 200, ETag: `"v1"`},
		func(*audit.Hop, Answer) error { return context.Canceled })
	if !errors.Is(err, context.Canceled) || len(w.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(w.asked))
	}
}

// A 304 to a request without conditions is not accepted; validators are kept where Conditional is
// set and where they can be sent back.
func TestValidators(t *testing.T) {
	w := serveConditional(t, status(304), status(304))
	if hop := ask(t, newTestClient(t, Options{Conditional: true}), w.URL+"/x"); hop.Status != 304 || hop.NotModified {
		t.Errorf("%+v", hop)
	}
	for name, tt := range map[string]struct{ sent, kept string }{
		"strong":     {`"v1"`, `"v1"`},
		"weak":       {`W/"v1"`, `W/"v1"`},
		"high bytes": {"\"\xe9\"", ""},
		"long":       {strings.Repeat("x", maxValidator+1), ""},
	} {
		w := serveConditional(t, nil, status(200, "Etag", tt.sent, "Last-Modified", "then"))
		if hop := ask(t, newTestClient(t, Options{Conditional: true}), w.URL+"/x"); hop.ETag != tt.kept || hop.LastModified != "then" {
			t.Errorf("%s: kept %q %q", name, hop.ETag, hop.LastModified)
		}
		if hop := ask(t, newTestClient(t, Options{}), w.URL+"/x"); hop.ETag != "" || hop.LastModified != "" {
			t.Errorf("%s: kept though nobody wants it: %+v", name, hop)
		}
	}
	w = serveConditional(t, nil, status(404, "Etag", `"v1"`))
	if hop := ask(t, newTestClient(t, Options{Conditional: true}), w.URL+"/x"); hop.ETag != "" {
		t.Errorf("the validator of a 404 is kept: %+v", hop)
	}
}
