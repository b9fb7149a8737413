package crawler

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

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
