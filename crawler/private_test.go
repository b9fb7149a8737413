package crawler

import (
	"net/http"
	"slices"
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
	const private = "10.0.0.1:80"
	_, g = begin(store)
	must(t, g.Dialled("other.example", private))
	if _, g = begin(newMemoryStore()); g.Dialled("other.example", private) == nil {
		t.Error("another audit lets strangers lead inside")
	}
}

// An audit that is continued knows which targets are on the web, from its own connections and from
// those of other processes: their names may lead to public addresses only for the rest of the
// audit.
func TestAContinuedAuditKeepsItsTargetsOnTheWeb(t *testing.T) {
	begin := func(store Store) (*Crawler, *fetch.Guard) {
		g := fetch.NewGuard([]string{"own.example", "sent.example", "unseen.example"}, nil, false)
		c := New(store, Options{Ask: fetch.Options{NoProxy: true, Guard: g}})
		t.Cleanup(c.Close)
		return c, g
	}
	store := newMemoryStore()
	c, _ := begin(store)
	c.reached("own.example", fetch.Outside)
	for range 2 { // two workers saw it
		c.takeNote(Note{Kind: noteOutside, Of: "sent.example"})
	}
	if n := c.ledger.n; n != 2 {
		t.Errorf("%d notes of two hosts", n)
	}
	_, g := begin(store)
	for host, allowed := range map[string]bool{"own.example": false, "sent.example": false, "unseen.example": true} {
		if err := g.Dialled(host, "10.0.0.1:80"); (err == nil) != allowed {
			t.Errorf("%s: %v", host, err)
		}
	}
	if kept := g.Kept(); !slices.Equal(kept, []string{"own.example", "sent.example"}) {
		t.Errorf("kept %q", kept)
	}
}
