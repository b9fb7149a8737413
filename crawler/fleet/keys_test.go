package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
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

// A request that comes while the worker ends the ticket of its key still finds that ticket, so no
// other one is written. The worker notices the request: nothing else would for an hour here.
func TestARequestAtTheLastMoment(t *testing.T) {
	t.Parallel()
	_, all := servers(t, 1)
	ending, refused, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	on := sync.OnceFunc(func() { close(goOn) })
	at := all[0].Addr().String()
	ofWorker := watchedProxy(t, at, toServer, "+ACK\r\n", func() { close(ending); <-goOn })
	ofAudit := watchedProxy(t, at, fromServer, "maximum messages per subject", func() { close(refused) })
	timing := calm
	timing.Alive, timing.Ticket = time.Hour, time.Hour
	workAt(t, "nats://"+ofWorker.Addr().String(), "w1", timing)
	t.Cleanup(on) // otherwise the worker would wait for it
	s := newWeb(t, 0, func(http.ResponseWriter, string) {})
	f := connect(t, "nats://"+ofAudit.Addr().String(), fleet.Options{Timing: timing})
	run, _ := begin(t, f, "moment", how{Addr: s.Listener.Addr().String(), Parallel: 1}, newMemory())
	home := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	var collecting sync.WaitGroup
	collecting.Go(func() {
		_ = run.Collect(ctx, func(h crawler.Home) error {
			for i := range h.Hops {
				home <- h.Hops[i].URL
			}
			return nil
		})
	})
	defer collecting.Wait()
	defer cancel()
	send := func(at string) {
		task := crawler.Task{Request: audit.Request{URL: at}, Lone: true}
		must(t, run.Send(t.Context(), "a.example", task, crawler.HostState{}))
	}
	comes := func(what string, from <-chan struct{}) {
		t.Helper()
		select {
		case <-from:
		case <-time.After(time.Minute):
			t.Fatal("after a minute there is no " + what)
		}
	}
	answered := func(at string) {
		t.Helper()
		select {
		case got := <-home:
			if got != at {
				t.Errorf("%s is answered, want %s", got, at)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is not answered after a minute", at)
		}
	}
	send("http://a.example/1")
	answered("http://a.example/1")
	comes("end of the ticket", ending)
	send("http://a.example/2")
	comes("refusal of the second ticket", refused)
	on()
	answered("http://a.example/2")
}

// watchedProxy is a proxy that calls a function when a text passes in a direction for the first
// time, before the end of the text does.
func watchedProxy(t *testing.T, to string, way direction, text string, passes func()) *proxy {
	t.Helper()
	var once sync.Once
	return newProxyThat(t, to, func() func(direction, []byte) {
		var tail []byte // what passed last on this connection
		return func(w direction, b []byte) {
			if w != way {
				return
			}
			if tail = append(tail, b...); bytes.Contains(tail, []byte(text)) {
				once.Do(passes)
			}
			tail = bytes.Clone(tail[max(0, len(tail)-len(text)):])
		}
	})
}
