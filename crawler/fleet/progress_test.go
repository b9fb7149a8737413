package fleet_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/fleet"
)

// An audit shows the same progress as where it sends the requests itself: how many there were, that
// they waited for their turn and their answers, that the host asked for a slower pace, and a rest.
func TestProgressComesHome(t *testing.T) {
	t.Parallel()
	var busy atomic.Int64
	s := newWeb(t, 0, func(w http.ResponseWriter, url string) {
		if strings.HasSuffix(url, "/p9") && busy.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	url, _ := servers(t, 1)
	workAt(t, url, "w1", steady)
	var locs []string
	for i := range 30 {
		locs = append(locs, fmt.Sprintf("http://shop.example/p%d", i))
	}
	h := how{Addr: s.Listener.Addr().String(), Rate: 40, Parallel: 2, Backoff: []time.Duration{time.Millisecond}}
	began := time.Now()
	p := crawl(t, connect(t, url, fleet.Options{Timing: steady}), "progress", h, newMemory(locs...))
	if got, want := p.Requests.Load(), int64(s.count()); got != want {
		t.Errorf("%d requests are shown, %d were sent", got, want)
	}
	if got, want := p.Settled.Load(), int64(len(locs)); got < want {
		t.Errorf("%d of %d entries are shown", got, want)
	}
	if waited := time.Duration(p.Waited.Load()); waited <= 0 || waited > time.Since(began) {
		t.Errorf("they waited %s for their turn", waited)
	}
	if p.Answering.Load() <= 0 {
		t.Error("they did not wait for answers")
	}
	if !p.Slowed.Load() {
		t.Error("nothing is shown of the host that wanted a slower pace")
	}
	rest, rested := p.Resting(began)
	if !rested || rest.Host != "shop.example" || rest.Status != http.StatusTooManyRequests {
		t.Errorf("the rest that is shown is %+v", rest)
	}
}

// Entries are finished while others are requested, though all entries of a host wait for one
// answer: that for a page that cannot exist.
func TestEntriesAreFinishedInBetween(t *testing.T) {
	t.Parallel()
	var locs []string
	for i := range 200 {
		locs = append(locs, fmt.Sprintf("http://shop.example/section/p%d", i))
	}
	var shown atomic.Pointer[crawler.Progress]
	var done atomic.Int64
	s := newWeb(t, 0, func(w http.ResponseWriter, url string) {
		if !strings.Contains(url, "/section/p") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, "<title>%s</title><p>A page of its own.", url)
	})
	s.when = func(n int, _, _ string) {
		if n == 150 {
			done.Store(shown.Load().Done.Load())
		}
	}
	url, _ := servers(t, 1)
	workAt(t, url, "w1", steady)
	crawlShown(t, connect(t, url, fleet.Options{Timing: steady}), "finished", how{Addr: s.Listener.Addr().String(), Rate: 200, Parallel: 2, Missing: "missing"},
		newMemory(locs...), func(p *crawler.Progress) { shown.Store(p) })
	if done.Load() == 0 {
		t.Error("after 150 of 200 requests no entry is finished")
	}
}
