package fleet_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"sitemend/crawler/fleet"
)

// hot is the host that has half of the entries.
const hot = "hot.example"

// manyHosts returns a web of n addresses, half of them on one host, all of which answer.
func manyHosts(n int) (locs []string, answer func(http.ResponseWriter, string)) {
	for i := range n {
		host := hot
		if i%2 == 1 {
			host = fmt.Sprintf("h%d.example", i%19)
		}
		locs = append(locs, fmt.Sprintf("http://%s/%d", host, i))
	}
	return locs, func(w http.ResponseWriter, url string) {
		time.Sleep(time.Millisecond)
		if len(url) > 11 && url[len(url)-11:] == "/robots.txt" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, "<title>%s</title>", url)
	}
}

// workers are worker processes by name.
type workers struct {
	t   *testing.T
	url string
	mu  sync.Mutex
	env []string
	all map[string]*exec.Cmd
}

// start starts workers.
func (w *workers) start(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[string]*exec.Cmd{}
	}
	for _, name := range names {
		w.all[name] = process(w.t, w.url, name, w.env...)
	}
}

// signal sends a signal to a worker.
func (w *workers) signal(name string, s syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.all[name].Process.Signal(s); err != nil {
		w.t.Error(err)
	}
}

// fault is something that fails while an audit is under way.
type fault struct {
	servers int
	steady  bool // no worker dies
	again   int  // requests that may be sent again
	// at is called once, in the middle of the audit, with the worker that has the hot host.
	at func(victim string, w *workers, all []*server.Server)
}

// run runs an audit in which something fails, and checks what it requested and kept.
func (f fault) run(t *testing.T) {
	url, all := servers(t, f.servers)
	locs, answer := manyHosts(1000)
	const gap = 5 * time.Millisecond
	s := newWeb(t, gap, answer)
	w, timing := &workers{t: t, url: url}, quick
	if f.steady {
		w.env, timing = []string{steadyEnv + "=1"}, steady
	}
	w.start("w1", "w2", "w3")
	var once sync.Once
	var failing sync.WaitGroup
	s.when = func(n int, host, worker string) {
		if n >= len(locs)/3 && host == hot {
			once.Do(func() { failing.Go(func() { f.at(worker, w, all) }) })
		}
	}
	store := newMemory(locs...)
	crawl(t, connect(t, url, fleet.Options{Timing: timing}), "faults", how{Addr: s.Listener.Addr().String(), Rate: float64(time.Second / gap), Parallel: 2}, store)
	failing.Wait()
	if len(store.hops) != len(locs) {
		t.Errorf("%d of %d addresses are answered", len(store.hops), len(locs))
	}
	for r, h := range store.hops {
		if h.Status != 200 || h.Page.Title != r.URL {
			t.Errorf("%s: %d %q %s", r.URL, h.Status, h.Page.Title, h.Detail)
		}
	}
	if store.twice > 0 {
		t.Errorf("%d answers were counted twice", store.twice)
	}
	s.judge(t, f.again)
}

// oneBatch is how many requests may be sent again where a worker died: those of each host whose
// answers had not come home.
const oneBatch = 20 * 100

// Whatever dies, no address is lost, no answer is counted twice, no host gets requests from two
// workers at once, and the gap between requests is kept.
func TestFaults(t *testing.T) {
	kill := func(victim string, w *workers, _ []*server.Server) {
		w.signal(victim, syscall.SIGKILL)
		w.start("w4")
	}
	stop := func(victim string, w *workers, _ []*server.Server) {
		w.signal(victim, syscall.SIGSTOP)
		time.Sleep(2 * 2 * quick.Alive)
		w.signal(victim, syscall.SIGCONT)
	}
	for name, f := range map[string]fault{
		"a worker is killed, one server":    {servers: 1, again: oneBatch, at: kill},
		"a worker is killed, three servers": {servers: 3, again: oneBatch, at: kill},
		"a worker is stopped for a while":   {servers: 1, again: oneBatch, at: stop},
		"a worker ends":                     {servers: 1, steady: true, at: func(v string, w *workers, _ []*server.Server) { w.signal(v, syscall.SIGTERM) }},
		"a worker joins":                    {servers: 1, steady: true, at: func(_ string, w *workers, _ []*server.Server) { w.start("w4") }},
		"one of three servers is lost":      {servers: 3, again: oneBatch, at: func(_ string, _ *workers, all []*server.Server) { all[0].Shutdown() }},
		"a worker and one of three servers": {servers: 3, again: oneBatch, at: func(v string, w *workers, all []*server.Server) { all[1].Shutdown(); kill(v, w, all) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.run(t)
		})
	}
}
