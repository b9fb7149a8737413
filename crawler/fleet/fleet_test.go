package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
	"sitemend/crawler/ground"
)

// The Timing of these tests: quick where something fails, steady where a session is lost only if a test
// takes it away.
var (
	quick  = fleet.Timing{Alive: 2 * time.Second, Margin: 500 * time.Millisecond, Linger: 200 * time.Millisecond}
	steady = fleet.Timing{Alive: 20 * time.Second, Linger: 200 * time.Millisecond}
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	os.Exit(m.Run())
}

// how describes how requests for the web of a test are sent.
type how struct {
	Addr     string // of all hosts
	Rate     float64
	Parallel int
	Backoff  []time.Duration
}

// options returns the options of a process, whose name goes into the user agent.
func (h how) options(name string) crawler.Options {
	id, err := fetch.LookupIdentity("googlebot")
	if err != nil {
		panic(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, h.Addr)
	}
	o := crawler.Options{Rate: h.Rate, GivenRate: true, Parallel: h.Parallel, Backoff: h.Backoff, Grace: steady.Alive, Key: address.Address.Site,
		Rules: audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey"},
		Ask: fetch.Options{Identity: id.WithAgent(id.Agent + " " + name), NoProxy: true, Guard: fetch.NewGuard(nil, nil, true),
			Dial: dial}}
	return o
}

// open returns the Worker.Open of a worker with a name.
func open(name string) func([]byte) (crawler.Options, error) {
	return func(b []byte) (crawler.Options, error) {
		var h how
		err := json.Unmarshal(b, &h)
		return h.options(name), err
	}
}

// start starts a server on loopback.
func start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoLog, o.NoSigs, o.JetStream = "127.0.0.1", true, true, true
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if o.StoreDir == "" {
		o.StoreDir = t.TempDir()
	}
	s, err := server.NewServer(o)
	must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	return s
}

// servers starts n servers, as one cluster, and returns their address.
func servers(t testing.TB, n int) (url string, all []*server.Server) {
	t.Helper()
	var urls, routes []string
	for i := range n {
		o := &server.Options{ServerName: fmt.Sprint("n", i), JetStreamMaxStore: 8 << 30}
		if n > 1 {
			o.Cluster = server.ClusterOpts{Name: "fleet", Host: "127.0.0.1", Port: server.RANDOM_PORT}
			o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		}
		s := start(t, o)
		if n > 1 {
			routes = append(routes, "nats-route://"+s.ClusterAddr().String())
		}
		urls, all = append(urls, s.ClientURL()), append(all, s)
	}
	return strings.Join(urls, ","), all
}

// connect connects to servers for a test.
func connect(t testing.TB, o fleet.Options) *fleet.Fleet {
	t.Helper()
	f, err := fleet.Connect(t.Context(), o)
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

// A worker works until the test ends, behind a proxy where it has one.
type worker struct {
	*proxy
	end context.CancelFunc
}

// working starts a worker.
func working(t testing.TB, name string, o fleet.Options, p *proxy) *worker {
	t.Helper()
	if p != nil {
		o.URL = p.url()
	}
	f := connect(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Work(ctx, fleet.Worker{Open: open(name)}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && p == nil {
			t.Errorf("worker %s: %v", name, err)
		}
	})
	return &worker{p, cancel}
}

// kill ends a worker without a word.
func (w *worker) kill() {
	w.drop(both)
	w.end()
}

// begin begins an audit whose requests workers send.
func begin(t testing.TB, f *fleet.Fleet, id string, h how, store *memory) (*fleet.Run, *crawler.Crawler) {
	t.Helper()
	b, err := json.Marshal(h)
	must(t, err)
	v := &via{Fleet: f}
	o := h.options("coordinator")
	o.Via = v
	c := crawler.New(store, o)
	t.Cleanup(c.Close)
	v.run, err = f.Begin(t.Context(), id, b, store, c.Take)
	must(t, err)
	return v.run, c
}

// crawl runs an audit whose requests workers send, and returns its progress.
func crawl(t testing.TB, f *fleet.Fleet, id string, h how, store *memory) *crawler.Progress {
	t.Helper()
	run, c := begin(t, f, id, h, store)
	must(t, c.Run(t.Context()))
	must(t, run.Leave(t.Context(), true))
	return &c.Progress
}

// via is a crawler.Via.
type via struct {
	*fleet.Fleet
	run *fleet.Run
}

func (v *via) Send(ctx context.Context, key string, t crawler.Task, s crawler.HostState) error {
	return v.run.Send(ctx, key, t, s)
}

func (v *via) Collect(ctx context.Context, take func(crawler.Home) error) error {
	return v.run.Collect(ctx, take)
}

// web is the site that is audited. It records and checks which worker requested what.
type web struct {
	*httptest.Server
	gap time.Duration // between requests of two workers to one site; on their way they may come nearer

	mu    sync.Mutex
	asked map[string]int
	sites map[string]*asker
	bad   []string
	all   int
	hands int                              // how often a site went from one worker to another
	when  func(n int, site, worker string) // called with the n-th request
}

// asker is the worker that has a site now.
type asker struct {
	worker string
	now    int // requests under way
	last   time.Time
}

func newWeb(t testing.TB, gap time.Duration, answer func(w http.ResponseWriter, url string)) *web {
	t.Helper()
	s := &web{gap: gap, asked: map[string]int{}, sites: map[string]*asker{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent := strings.Fields(r.UserAgent())
		labels := strings.Split(r.Host, ".")
		site, worker := strings.Join(labels[len(labels)-2:], "."), agent[len(agent)-1]
		s.begins("http://"+r.Host+r.RequestURI, site, worker)
		defer s.ends(site, worker)
		answer(w, "http://"+r.Host+r.RequestURI)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *web) begins(url, site, worker string) {
	s.mu.Lock()
	s.all++
	n, when := s.all, s.when
	s.asked[url]++
	a := s.sites[site]
	if a == nil {
		a = &asker{worker: worker}
		s.sites[site] = a
	}
	now := time.Now()
	if a.worker != worker {
		s.hands++
		if a.now > 0 || now.Sub(a.last) < s.gap/2 {
			s.bad = append(s.bad, fmt.Sprintf("%s is asked by %s %s after %s, of whom %d requests are under way", site, worker, now.Sub(a.last), a.worker, a.now))
		}
		a.worker, a.now = worker, 0
	}
	a.now++
	a.last = now
	s.mu.Unlock()
	if when != nil {
		when(n, site, worker)
	}
}

func (s *web) ends(site, worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.sites[site]; a.worker == worker {
		a.now--
	}
}

// count returns how many requests came so far.
func (s *web) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// quiet waits until no request has come for a while, and returns how many came.
func (s *web) quiet(t testing.TB) (n int) {
	t.Helper()
	for patient := time.Now().Add(time.Minute); time.Now().Before(patient); {
		n = s.count()
		time.Sleep(time.Second)
		if s.count() == n {
			return n
		}
	}
	t.Error("requests do not end")
	return n
}

// judge fails the test where a site got requests from two workers at once or too soon after one
// another, or where more than again requests were for an address that was requested before.
func (s *web) judge(t *testing.T, again int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bad {
		t.Error(b)
	}
	more := s.all - len(s.asked)
	if more > again {
		t.Errorf("%d requests were sent again, %d may be", more, again)
	}
	t.Logf("%d requests, %d of them again", s.all, more)
}

// memory is a crawler.Store in memory, and a fleet.Memory.
type memory struct {
	mu      sync.Mutex
	hops    map[answers.Request]answers.Hop
	entries []audit.Entry
	records map[string][]byte
	twice   int // answers that were kept again, though no other try was due
	sent    int // requests that the answers stand for
}

func newMemory(locs ...string) *memory {
	s := &memory{hops: map[answers.Request]answers.Hop{}, records: map[string][]byte{}}
	for i, l := range locs {
		s.entries = append(s.entries, audit.Entry{N: i, Loc: l})
	}
	return s
}

func (s *memory) Hop(r answers.Request) (answers.Hop, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.hops[r]
	return h, ok
}

func (s *memory) NewSettled(int) *audit.SettledRows { return new(audit.SettledRows) }

func (s *memory) Sent() int    { return s.sent }
func (s *memory) Err() error   { return nil }
func (s *memory) Flush() error { return nil }

func (s *memory) Keep(h answers.Hop) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, known := s.hops[h.Request]; known && !was.Pending {
		s.twice++
	}
	s.sent += h.Sent()
	s.hops[h.Request] = h
	return nil
}

func (s *memory) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return ground.Until(ctx, func(yield func(audit.Entry, error) bool) {
		for _, e := range s.entries[from:min(to, len(s.entries))] {
			if !yield(e, nil) {
				return
			}
		}
	})
}

func (s *memory) EntryCount() int { return len(s.entries) }

func (s *memory) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

func (s *memory) Put(key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[key] = bytes.Clone(value)
	return nil
}

func (s *memory) Get(key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.records[key]
	return bytes.Clone(v), ok, nil
}

// complete fails the test where not every address has one answer.
func (s *memory) complete(t testing.TB) {
	t.Helper()
	if len(s.hops) < len(s.entries) || s.twice > 0 {
		t.Errorf("%d of %d addresses are answered, %d twice", len(s.hops), len(s.entries), s.twice)
	}
	for r, h := range s.hops {
		if h.Status != 200 || h.Page.Title != r.URL {
			t.Errorf("%s: %d %q %s", r.URL, h.Status, h.Page.Title, h.Detail)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
