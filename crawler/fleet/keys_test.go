package fleet_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler/fleet"
)

// A chain through several keys has the same result as in one process: each address is requested
// once, by the worker that has its key, though the chain leads back to where it began; and what the
// robots.txt of another key forbids is not requested.
func TestRedirectsToAnotherKey(t *testing.T) {
	t.Parallel()
	const private = "User-agent: *\nDisallow: /private\n"
	for name, c := range map[string]struct {
		web    map[string]string // where addresses redirect to; others answer 200
		robots string            // the robots.txt of b.example
		first  string
		asked  int // requests, those for robots.txt left out
	}{
		"and on to a third": {first: "http://a.example/1", asked: 3,
			web: leads("a.example/1", "b.example/1", "c.example/1")},
		"and back": {first: "http://a.example/1", asked: 3,
			web: leads("a.example/1", "b.example/1", "a.example/2")},
		"in a loop": {first: "http://a.example/1", asked: 3,
			web: leads("a.example/1", "b.example/1", "c.example/1", "a.example/1")},
		"that forbids it": {first: "http://a.example/1", asked: 1, robots: private,
			web: leads("a.example/1", "b.example/private/1")},
		"that forbids what comes next": {first: "http://a.example/1", asked: 2, robots: private,
			web: leads("a.example/1", "b.example/1", "b.example/private/1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := servers(t, 1)
			workAt(t, url, "w1", calm)
			workAt(t, url, "w2", calm)
			answer := func(w http.ResponseWriter, at string) {
				to := c.web[at]
				switch {
				case at == "http://b.example/robots.txt" && c.robots != "":
					fmt.Fprint(w, c.robots)
				case strings.HasSuffix(at, "/robots.txt"):
					w.WriteHeader(http.StatusNotFound)
				case to != "":
					w.Header().Set("Location", to)
					w.WriteHeader(http.StatusMovedPermanently)
				}
			}
			one, many := newWeb(t, 0, answer), newWeb(t, 0, answer)
			want, got := newMemory(c.first), newMemory(c.first)
			h := how{Addr: one.Listener.Addr().String(), Parallel: 2}
			near(t, h, want)
			h.Addr = many.Listener.Addr().String()
			crawl(t, connect(t, url, fleet.Options{Timing: calm}), "chain", h, got)
			sameMemory(t, got, want)
			many.judge(t, 0)
			if n := many.pages(); n != c.asked || one.pages() != n {
				t.Errorf("%d addresses are requested, %d by one process, want %d", n, one.pages(), c.asked)
			}
		})
	}
}

// leads returns redirects from each of some addresses to the next.
func leads(chain ...string) map[string]string {
	web := map[string]string{}
	for i, at := range chain[1:] {
		web["http://"+chain[i]] = "http://" + at
	}
	return web
}

// pages returns how many addresses other than robots.txt were requested.
func (s *web) pages() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for url := range s.asked {
		if !strings.HasSuffix(url, "/robots.txt") {
			n++
		}
	}
	return n
}

// A rest that the host of another key asks for holds for that host, whichever worker has redirects
// to it.
func TestTheRestOfAnotherKey(t *testing.T) {
	t.Parallel()
	const rest = 2 * time.Second
	url, _ := servers(t, 1)
	workAt(t, url, "w1", calm)
	workAt(t, url, "w2", calm)
	var mu sync.Mutex
	var refused, after time.Time
	s := newWeb(t, 0, func(w http.ResponseWriter, at string) {
		path, of := strings.CutPrefix(at, "http://a.example/p")
		switch {
		case strings.HasSuffix(at, "/robots.txt"):
			w.WriteHeader(http.StatusNotFound)
		case of:
			w.Header().Set("Location", "http://b.example/p"+path)
			w.WriteHeader(http.StatusMovedPermanently)
		default:
			mu.Lock()
			defer mu.Unlock()
			switch now := time.Now(); {
			case refused.IsZero():
				refused = now
				w.Header().Set("Retry-After", fmt.Sprint(rest.Seconds()))
				w.WriteHeader(http.StatusTooManyRequests)
			case after.IsZero():
				after = now
			}
		}
	})
	var locs []string
	for i := range 30 {
		locs = append(locs, fmt.Sprintf("http://a.example/p%d", i))
	}
	store := newMemory(locs...)
	h := how{Addr: s.Listener.Addr().String(), Parallel: 1, Backoff: []time.Duration{time.Millisecond}}
	crawl(t, connect(t, url, fleet.Options{Timing: calm}), "rest", h, store)
	if d := after.Sub(refused); d < rest {
		t.Errorf("b.example is asked again after %s", d)
	}
	if len(store.hops) != 2*len(locs) {
		t.Errorf("%d answers, want %d", len(store.hops), 2*len(locs))
	}
	for r, h := range store.hops {
		want := http.StatusOK
		if strings.HasPrefix(r.URL, "http://a.") {
			want = http.StatusMovedPermanently
		}
		if h.Status != want {
			t.Errorf("%s: %d %s", r.URL, h.Status, h.Detail)
		}
	}
	s.judge(t, 1) // the request that was refused
}
