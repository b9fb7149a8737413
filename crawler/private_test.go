package crawler

import (
	"net/http"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// An audit of a private network that is continued may request another host of it before it dials
// the target.
func TestAContinuedAuditKnowsThatItsTargetIsPrivate(t *testing.T) {
	s := serveSite(t, func(http.ResponseWriter, string) {})
	begin := func(store Store) (*Crawler, *fetch.Guard) {
		g := fetch.NewGuard([]string{"intra.example"}, nil, false)
		c := New(store, Options{Rules: audit.Rules{MaxHops: 10, Robots: "ignore"}, GivenRate: true,
			Ask: fetch.Options{NoProxy: true, Guard: g, Resolve: map[string]string{"intra.example:80": s.Listener.Addr().String()}}})
		t.Cleanup(c.Close)
		return c, g
	}
	store := newMemoryStore("http://intra.example/")
	c, g := begin(store)
	if g.Relaxed() {
		t.Fatal("it is relaxed before anything is known")
	}
	must(t, c.Run(t.Context()))
	if _, g = begin(store); !g.Relaxed() {
		t.Error("an audit that is continued does not know that its target is private")
	}
	if _, g = begin(newMemoryStore()); g.Relaxed() {
		t.Error("another audit lets strangers lead inside")
	}
}
