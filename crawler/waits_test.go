package crawler

import (
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// A wait counts only with a final answer, not where a later attempt succeeds.
func TestAWaitThatWasKeptIsNone(t *testing.T) {
	for _, tries := range []int{1, 99} { // that are answered 429
		synctest.Test(t, func(t *testing.T) {
			left := tries
			id, _ := fetch.LookupIdentity("googlebot")
			c := New(newMemoryStore("http://a.example/1"), Options{Rate: 10, GivenRate: true, Parallel: 1, Backoff: []time.Duration{time.Second, time.Second},
				Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "ignore"},
				Ask: fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true), Dial: pipes(t, func(string) string {
					if left--; left >= 0 {
						return "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n"
					}
					return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
				})}})
			must(t, c.Run(t.Context()))
			c.Close()
			if got, stands := noted(c).Waits, tries > 3; stands != (got["a.example"] == 30*time.Second) {
				t.Errorf("%d tries answered 429: waits %v", tries, got)
			}
		})
	}
}
