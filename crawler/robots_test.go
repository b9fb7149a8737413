package crawler

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/robots"
)

// However many hosts a site leads to, their robots.txt files do not fill the memory; one that was
// dropped is read from the store again, without a request.
func TestRobotsFilesAreLetGo(t *testing.T) {
	store := newMemoryStore()
	const hosts = 100
	packed := (&robots.Answer{Status: 200, File: robots.Parse([]byte("User-agent: *\nDisallow: /no\n" + strings.Repeat("Disallow: /"+strings.Repeat("x", 1000)+"\n", 480)))}).Encode()
	for i := range hosts {
		store.records[fmt.Sprintf("robots.txt/http://h%d.example", i)] = packed
	}
	c := New(store, Options{Rules: audit.Rules{Robots: "obey"}})
	defer c.Close()
	for range 2 {
		for i := range hosts {
			f, err := c.robots.of(context.Background(), fmt.Sprintf("http://h%d.example", i))
			if err != nil || f.File == nil {
				t.Fatalf("host %d: %v", i, err)
			}
			if allowed, _, _ := f.File.Check("Googlebot", fmt.Sprintf("http://h%d.example/no", i)); allowed {
				t.Fatalf("host %d: its rules are gone", i)
			}
		}
	}
	if kept := len(c.robots.files); c.robots.size > maxRobots || kept > maxRobots/len(packed) || kept == 0 {
		t.Errorf("%d files of %d bytes are at hand", kept, c.robots.size)
	}
	if sent := c.Progress.Requests.Load(); sent != 0 {
		t.Errorf("%d requests were sent for what is remembered", sent)
	}
}

// Every 2xx has rules (Google's robots.txt specification), including that of a proxy that changed
// the file (203). Without a file there are none.
func TestWhichRobotsHaveRules(t *testing.T) {
	var status int
	var want audit.Verdict
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		if !strings.HasSuffix(url, "/robots.txt") {
			io.WriteString(w, "<p>shoes")
			return
		}
		w.WriteHeader(status)
		if status != 204 && status != 304 {
			io.WriteString(w, "User-agent: *\nDisallow: /no\n")
		}
	})
	for status, want = range map[int]audit.Verdict{200: audit.Disallowed, 203: audit.Disallowed, 206: audit.Disallowed, 204: audit.OK, 304: audit.OK,
		401: audit.OK, 403: audit.OK, 404: audit.OK, 410: audit.OK, 429: audit.Unverified, 500: audit.Unverified, 503: audit.Unverified} {
		store := newMemoryStore("http://a.example/no")
		c := s.crawler(t, store, "a.example")
		must(t, c.Run(t.Context()))
		if row := audit.Judge(store, store.entries[0], &c.o.Rules, audit.Want{}); row.Verdict != want {
			t.Errorf("%d: %s, want %s", status, row.Verdict, want)
		}
	}
}
