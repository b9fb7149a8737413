package fleet_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fleet"
)

// hot is the site that has half of the entries.
const hot = "hot.example"

// manySites returns a web of n addresses, half of them on the hosts of one site, all of which answer.
func manySites(n int) (locs []string, answer func(http.ResponseWriter, string)) {
	for i := range n {
		site := hot
		if i%2 == 1 {
			site = fmt.Sprintf("h%d.example", i%19)
		}
		locs = append(locs, fmt.Sprintf("http://%s%s/%d", []string{"", "www.", "m."}[i%3], site, i))
	}
	return locs, func(w http.ResponseWriter, url string) {
		time.Sleep(time.Millisecond)
		if strings.HasSuffix(url, "/robots.txt") || strings.Contains(url, "/sitemap-") {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, "<title>%s</title>", url)
	}
}

// trial is an audit in the middle of which something happens.
type trial struct {
	servers int
	config  *server.Options // of the only server, for servers == 0
	timing  fleet.Timing    // steady if zero
	entries int             // 400 if zero
	rate    float64         // 60 if zero
	workers string          // their names
	again   int             // requests that may be sent again
	before  func(s *scene)
	// at is called once, with the worker that has the hot site.
	at func(s *scene, victim string)
}

// scene is where a trial takes place.
type scene struct {
	t       *testing.T
	o       fleet.Options // how workers and audit reach the servers
	servers []*server.Server
	web     *web
	how     how
	fleet   *fleet.Fleet // of the audit
	clock   clock        // of the audit
	cut     *proxy       // between the servers and the audit

	mu      sync.Mutex
	workers map[string]*worker
}

// start starts workers, each behind a proxy where there is one server.
func (s *scene) start(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		var p *proxy
		if len(s.servers) == 1 {
			p = newProxy(s.t, s.servers[0].Addr().String())
		}
		s.workers[name] = working(s.t, name, s.o, p)
	}
}

func (s *scene) worker(name string) *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.workers[name]
}

// clock is a wall clock that jumps.
type clock struct{ off atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Round(0).Add(time.Duration(c.off.Load())) }

// audited is the name of the audit of a trial.
const audited = "trial"

// run runs an audit in which something happens, and checks what it requested and kept.
func (c trial) run(t *testing.T) {
	s := &scene{t: t, workers: map[string]*worker{}, o: fleet.Options{Timing: steady}}
	if c.timing != (fleet.Timing{}) {
		s.o.Timing = c.timing
	}
	if c.config == nil {
		s.o.URL, s.servers = servers(t, max(c.servers, 1))
	} else {
		s.servers = []*server.Server{start(t, c.config)}
		s.o.URL = s.servers[0].ClientURL()
	}
	if c.before != nil {
		c.before(s)
	}
	s.cut = newProxy(t, s.servers[0].Addr().String())
	locs, answer := manySites(cmp.Or(c.entries, entries))
	rate := cmp.Or(c.rate, 60)
	s.web = newWeb(t, time.Duration(float64(time.Second)/rate), answer)
	s.how = how{Addr: s.web.Listener.Addr().String(), Rate: rate, Parallel: 2}
	o := s.o
	if c.workers == "audit is cut" {
		o.URL, c.workers = s.cut.url(), "w1"
	}
	s.fleet = connect(t, o)
	s.fleet.SetWall(s.clock.now)
	s.start(strings.Fields(c.workers)...)
	var once sync.Once
	var happening sync.WaitGroup
	s.web.when = func(n int, site, worker string) {
		if n >= len(locs)/3 && site == hot {
			once.Do(func() { happening.Go(func() { c.at(s, worker) }) })
		}
	}
	store := newMemory(locs...)
	run, crawl := begin(t, s.fleet, audited, s.how, store)
	err := crawl.Run(t.Context())
	happening.Wait()
	if errors.Is(err, fleet.ErrCanceled) { // the same command continues it
		must(t, run.Leave(t.Context(), false))
		run, crawl = begin(t, s.fleet, audited, s.how, store)
		err = crawl.Run(t.Context())
	}
	must(t, err)
	must(t, run.Leave(t.Context(), true))
	store.complete(t)
	s.web.judge(t, c.again)
	if c.timing.Slice > 0 && s.web.hands == 0 {
		t.Error("no site changed hands")
	}
	if all, err := s.fleet.Audits(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("left at the servers is %v %v", all, err)
	}
}

// entries are those of a trial.
const entries = 400

// oneBatch is how many requests may be sent again where a worker died: those of each site whose
// answers had not come home.
const oneBatch = 20 * 100

// lose drops bytes between the server and the worker, or the audit, for long.
func lose(way direction, ofAudit bool) func(*scene, string) {
	return func(s *scene, victim string) {
		p := s.cut
		if !ofAudit {
			p = s.worker(victim).proxy
			s.start("w2")
		}
		p.drop(way)
		time.Sleep(3 * quick.Alive)
		p.drop(nothing)
	}
}

// Whatever happens, no address is lost, no answer is counted twice, no site gets requests from two
// workers at once, and the gap between requests is kept. Where nobody dies, nothing is requested again.
func TestWhateverHappens(t *testing.T) {
	back := &server.Options{}
	for name, c := range map[string]trial{
		"a worker is killed": {timing: quick, workers: "w1 w2 w3", again: oneBatch, at: func(s *scene, victim string) { s.worker(victim).kill(); s.start("w4") }},
		"a worker ends":      {workers: "w1 w2 w3", at: func(s *scene, victim string) { s.worker(victim).end() }},
		"a worker and one of three servers": {servers: 3, timing: quick, workers: "w1 w2", again: oneBatch,
			at: func(s *scene, victim string) { s.servers[1].Shutdown(); s.worker(victim).end(); s.start("w3") }},
		"a worker is cut off":               {timing: quick, workers: "w1", again: oneBatch, at: lose(both, false)},
		"what is sent to a worker is lost":  {timing: quick, workers: "w1", again: oneBatch, at: lose(fromServer, false)},
		"what is sent to the audit is lost": {timing: quick, workers: "audit is cut", again: oneBatch, at: lose(fromServer, true)},
		"the clock jumps back":              {workers: "w1 w2", at: func(s *scene, _ string) { s.clock.off.Store(-int64(time.Hour)) }},
		"the only server is killed and comes back": {config: back, timing: quick, workers: "w1 w2", again: oneBatch, at: func(s *scene, _ string) {
			port := s.servers[0].Addr().(*net.TCPAddr).Port
			s.servers[0].Shutdown()
			s.servers[0].WaitForShutdown()
			time.Sleep(2 * quick.Alive)
			start(s.t, &server.Options{Port: port, StoreDir: back.StoreDir})
		}},
		// Which worker gets a site next is chance: with fifteen messages of requests for the hot site, it is not always the same one.
		"sites change hands": {timing: fleet.Timing{Alive: steady.Alive, Slice: time.Millisecond, Linger: steady.Linger}, workers: "w1 w2 w3", entries: 3000, rate: 800,
			at: func(*scene, string) {}},
		"the storage of the servers is full": {config: &server.Options{JetStreamMaxStore: 1 << 20}, before: unlimited, timing: quick, workers: "w1 w2",
			entries: 3 * entries, rate: 30, again: oneBatch, at: fill},
		"the stream of the answers is full": {workers: "w1", before: func(s *scene) {
			stream(s, jetstream.StreamConfig{Name: "SITEMEND_RESULTS", Subjects: []string{"sitemend.r.>"}, MaxBytes: 60_000, Discard: jetstream.DiscardNew})
		}, at: func(*scene, string) {}},
		"it is paused": {workers: "w1", at: func(s *scene, _ string) {
			must(s.t, s.fleet.Control(s.t.Context(), audited, fleet.Paused))
			n := s.web.quiet(s.t)
			all, err := s.fleet.Audits(s.t.Context())
			for patient := time.Now().Add(steady.Alive); err == nil && all[0].Keys == 0 && time.Now().Before(patient); { // it says so with its next renewal
				all, err = s.fleet.Audits(s.t.Context())
			}
			if err != nil || len(all) != 1 || all[0].State != fleet.Paused || all[0].Keys == 0 || n >= entries {
				s.t.Errorf("%v %v: %d requests", all, err, n)
			}
			must(s.t, s.fleet.Control(s.t.Context(), audited, fleet.Running))
		}},
		"files of another audit are read": {workers: "w1", rate: 50, at: func(s *scene, _ string) { readFiles(s) }},
		"it is canceled": {workers: "w1", again: oneBatch, at: func(s *scene, _ string) {
			must(s.t, s.fleet.Control(s.t.Context(), audited, fleet.Canceled))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// stream creates a stream.
func stream(s *scene, c jetstream.StreamConfig) jetstream.JetStream {
	nc, err := nats.Connect(s.o.URL)
	must(s.t, err)
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	must(s.t, err)
	_, err = js.CreateStream(s.t.Context(), c)
	must(s.t, err)
	return js
}

// unlimited creates streams that have no limit of their own.
func unlimited(s *scene) {
	for _, c := range []jetstream.StreamConfig{{Name: "SITEMEND_TICKETS", Subjects: []string{"sitemend.t.>"}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true}, {Name: "SITEMEND_RESULTS", Subjects: []string{"sitemend.r.>"}},
		{Name: "SITEMEND_STATE", Subjects: []string{"sitemend.l.>", "sitemend.s.>", "sitemend.c.>"}, MaxMsgsPerSubject: 1, AllowMsgTTL: true}} {
		stream(s, c)
	}
}

// fill fills the storage of the server, which then accepts no message, not even a renewal; and makes
// room again.
func fill(s *scene, _ string) {
	js := stream(s, jetstream.StreamConfig{Name: "OTHERS", Subjects: []string{"others"}})
	filled := time.Now().Add(4 * quick.Alive)
	for size := 10_000; time.Now().Before(filled); {
		// A server that is full may not answer at all.
		soon, cancel := context.WithTimeout(context.Background(), quick.Alive/10)
		if _, err := js.Publish(soon, "others", make([]byte, size)); err != nil {
			size = max(size/10, 1)
		}
		cancel()
	}
	if n := s.web.count(); n >= 3*entries { // deleted messages make room for a moment
		s.t.Errorf("%d requests while the storage was full", n)
	}
	must(s.t, js.DeleteStream(context.Background(), "OTHERS"))
}

// Where most servers are lost, no request is sent once the sessions have ended.
func TestMostServersLost(t *testing.T) {
	t.Parallel()
	url, all := servers(t, 3)
	locs, answer := manySites(2000)
	s := newWeb(t, 0, answer)
	o := fleet.Options{URL: url, Timing: quick}
	working(t, "w1", o, nil)
	var lost sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	s.when = func(n int, _, _ string) {
		if n == 300 {
			lost.Go(func() {
				defer cancel()
				all[0].Shutdown()
				all[1].Shutdown()
				time.Sleep(quick.Alive)
				before := s.count()
				time.Sleep(2 * quick.Alive)
				if n := s.count() - before; n > 0 {
					t.Errorf("%d requests without servers", n)
				}
			})
		}
	}
	_, c := begin(t, connect(t, o), "lost", how{Addr: s.Listener.Addr().String(), Rate: 50, Parallel: 2}, newMemory(locs...))
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the audit ends with %v", err)
	}
	lost.Wait()
}

// noFiles is the store of an audit that reads files which do not exist.
type noFiles struct{ discover.Store } // nil: no other method of it is called

func (noFiles) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

func (noFiles) SpoolWriter(string) (io.WriteCloser, error) { return discarded{io.Discard}, nil }

type discarded struct{ io.Writer }

func (discarded) Close() error { return nil }

// readFiles reads files of the hot site in the process of another audit.
func readFiles(s *scene) {
	o := s.how.options("files")
	o.Via = &via{Fleet: connect(s.t, s.o)}
	c := crawler.New(newMemory(), o)
	defer c.Close()
	var files []audit.Sitemap
	for i := range 5 {
		url := fmt.Sprintf("http://%s/sitemap-%d.xml", hot, i)
		files = append(files, audit.Sitemap{N: i, Parent: -1, URL: url, AnsweredAt: url, Spool: "s"})
	}
	changed, err := c.Changed(s.t.Context(), noFiles{}, files, time.Now())
	if err != nil || len(changed) != len(files) || s.web.count() >= entries {
		s.t.Errorf("%d of %d files are read: %v", len(changed), len(files), err)
	}
}

// Two processes cannot run one audit; one that was not heard of for so long that another has taken over
// does not take it back.
func TestTwoProcessesOfOneAudit(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	o := fleet.Options{URL: url, Timing: quick}
	p := newProxy(t, strings.TrimPrefix(url, "nats://"))
	first, _ := begin(t, connect(t, fleet.Options{URL: p.url(), Timing: quick}), "one", how{}, newMemory())
	none := func(crawler.Home) error { return errors.New("something comes home") }
	_, err := connect(t, o).Begin(t.Context(), "one", nil, newMemory(), none)
	hinted(t, err, "another process has requests sent for this audit")
	p.drop(both)
	f := connect(t, o)
	second, _ := begin(t, f, "one", how{}, newMemory())
	ctx, cancel := context.WithCancel(t.Context())
	var collecting sync.WaitGroup
	collecting.Go(func() { _ = second.Collect(ctx, none) }) // or it looks dead, too, on a busy machine
	p.drop(nothing)
	hinted(t, first.Collect(t.Context(), none), "another process has taken over")
	must(t, first.Leave(t.Context(), false))
	if all, err := f.Audits(t.Context()); err != nil || len(all) != 1 || all[0].State != fleet.Running {
		t.Errorf("known is %v %v", all, err)
	}
	cancel()
	collecting.Wait()
	must(t, second.Leave(t.Context(), true))
	hinted(t, f.Control(t.Context(), "one", fleet.Paused), "no audit one is known there")
}

// The pace and the rest of a site go along with its key: a rest that it asked for with Retry-After holds
// for the next worker. Meanwhile the audit shows the same progress as where it sends the requests itself.
func TestARestOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	url, all := servers(t, 1)
	const rest = 8 * time.Second
	var refused, after atomic.Int64
	w := &scene{t: t, workers: map[string]*worker{}, servers: all, o: fleet.Options{URL: url, Timing: quick}}
	var s *web
	store := newMemory()
	s = newWeb(t, 0, func(rw http.ResponseWriter, at string) {
		switch now := time.Now().UnixNano(); {
		case strings.HasSuffix(at, "/30") && refused.CompareAndSwap(0, now):
			rw.Header().Set("Retry-After", fmt.Sprint(int(rest.Seconds())))
			rw.WriteHeader(http.StatusServiceUnavailable)
			go func(victim string) { // killed once the answer is home
				for home := false; !home; time.Sleep(10 * time.Millisecond) {
					_, home = store.Hop(answers.Request{URL: at})
				}
				w.worker(victim).kill()
			}(s.sites["a.example"].worker)
		case refused.Load() > 0:
			after.CompareAndSwap(0, now)
		}
	})
	w.start("w1", "w2")
	for i := range 60 {
		store.entries = append(store.entries, audit.Entry{N: i, Loc: fmt.Sprintf("http://a.example/%d", i)})
	}
	began := time.Now()
	p := crawl(t, connect(t, w.o), "rest", how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 1}, store)
	if d := time.Duration(after.Load() - refused.Load()); d < rest-time.Second || len(store.hops) != len(store.entries) {
		t.Errorf("%d answers; it was asked again after %s", len(store.hops), d)
	}
	shown, rested := p.Resting(began)
	if !rested || shown.Host != "a.example" || shown.Status != http.StatusServiceUnavailable || p.Requests.Load() < int64(len(store.entries)) {
		t.Errorf("shown are %d requests; the rest is %+v", p.Requests.Load(), shown)
	}
}

// direction says which bytes are lost on their way through a proxy.
type direction int32

const (
	nothing direction = iota
	toServer
	fromServer
	both
)

// proxy passes on the bytes to and from a server, except those that it drops.
type proxy struct {
	net.Listener
	lost atomic.Int32
}

func (p *proxy) url() string { return "nats://" + p.Addr().String() }

// drop drops the bytes of a direction from now on.
func (p *proxy) drop(d direction) { p.lost.Store(int32(d)) }

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go p.pass(in, out, toServer)
			go p.pass(out, in, fromServer)
		}
	}()
	return p
}

// pass passes on the bytes of one direction. A connection that lost bytes is useless: it is closed
// when the next ones come.
func (p *proxy) pass(from, to net.Conn, way direction) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 64<<10)
	for torn := false; ; {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		lost := direction(p.lost.Load())
		if torn = torn || lost == both || lost == way; torn && lost != both && lost != way {
			return
		}
		if !torn {
			_, _ = to.Write(b[:n])
		}
	}
}
