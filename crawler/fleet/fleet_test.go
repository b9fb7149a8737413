package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
)

// quick is the Timing of these tests.
var quick = fleet.Timing{Alive: 2 * time.Second, Margin: 500 * time.Millisecond,
	Linger: 200 * time.Millisecond}

// workerEnv makes a process of this test a worker of the servers that it names.
const workerEnv = "SITEMEND_TEST_WORKER"

// calm is the Timing where nothing fails, for machines that are as busy as they like.
var calm = fleet.Timing{Alive: time.Minute, Linger: 200 * time.Millisecond}

// steady is in between: a session is lost only where a test takes it away.
var steady = fleet.Timing{Alive: 10 * time.Second, Linger: 200 * time.Millisecond}

// steadyEnv makes the process of a worker one with that Timing.
const steadyEnv = "SITEMEND_TEST_STEADY"

func TestMain(m *testing.M) {
	if spec := os.Getenv(serverEnv); spec != "" {
		os.Exit(asServer(spec))
	}
	if url := os.Getenv(workerEnv); url != "" {
		os.Exit(asWorker(url))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	os.Exit(m.Run())
}

// asWorker runs a worker in this process; its name is the last argument.
func asWorker(url string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	timing := quick
	if os.Getenv(steadyEnv) != "" {
		timing = steady
	}
	f, err := fleet.Connect(ctx, fleet.Options{URL: url, Timing: timing})
	if err == nil {
		defer f.Close()
		err = f.Work(ctx, fleet.Worker{Open: open(os.Args[len(os.Args)-1])})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// how describes how requests for the web of a test are sent.
type how struct {
	Addr     string // of all hosts
	Rate     float64
	Parallel int
	Backoff  []time.Duration
	Sites    bool   // one pace for all hosts of a site
	Instant  bool   // there is no web: answers are made on the spot
	Missing  string // audit.Rules.MissingPath
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
	o := crawler.Options{Rate: h.Rate, GivenRate: true, Parallel: h.Parallel, Backoff: h.Backoff,
		Rules: audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey", MissingPath: h.Missing},
		Ask: fetch.Options{Identity: id.WithAgent(id.Agent + " " + name), NoProxy: true, Guard: fetch.NewGuard(nil, nil, true),
			Parallel: h.Parallel, Dial: dial}}
	if h.Instant {
		o.Ask.Site = instant{}
	}
	if h.Sites {
		o.Key = address.Address.Site
	}
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

// servers starts n servers on loopback, as one cluster, and returns their address.
func servers(t testing.TB, n int) (url string, all []*server.Server) {
	t.Helper()
	var urls, routes []string
	for i := range n {
		o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(),
			ServerName: fmt.Sprint("n", i), JetStreamMaxStore: 8 << 30}
		if n > 1 {
			o.Cluster = server.ClusterOpts{Name: "fleet", Host: "127.0.0.1", Port: server.RANDOM_PORT}
			o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		}
		s, err := server.NewServer(o)
		must(t, err)
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("the server is not ready")
		}
		if n > 1 {
			routes = append(routes, "nats-route://"+s.ClusterAddr().String())
		}
		urls, all = append(urls, s.ClientURL()), append(all, s)
	}
	return strings.Join(urls, ","), all
}

// connect connects to servers for a test.
func connect(t testing.TB, url string, o fleet.Options) *fleet.Fleet {
	t.Helper()
	o.URL = url
	if o.Timing == (fleet.Timing{}) {
		o.Timing = quick
	}
	f, err := fleet.Connect(t.Context(), o)
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

// work starts a worker in this process; stop ends it, and waits for that.
func work(t testing.TB, url, name string) (stop func()) {
	t.Helper()
	return workAt(t, url, name, quick)
}

// workAt is work with a Timing of its own.
func workAt(t testing.TB, url, name string, timing fleet.Timing) (stop func()) {
	t.Helper()
	return working(t, connect(t, url, fleet.Options{Name: name, Timing: timing}), name)
}

// working makes a connection work; stop ends that, and waits for it.
func working(t testing.TB, f *fleet.Fleet, name string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Work(ctx, fleet.Worker{Open: open(name)}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("worker %s: %v", name, err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// process starts a worker as a process of its own.
func process(t testing.TB, url, name string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], name)
	cmd.Env = append(append(os.Environ(), workerEnv+"="+url), env...)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// crawl runs an audit of locs whose requests workers send, and returns its progress.
func crawl(t testing.TB, f *fleet.Fleet, id string, h how, store *memory) *crawler.Progress {
	t.Helper()
	return crawlShown(t, f, id, h, store, func(*crawler.Progress) {})
}

// crawlShown is crawl that calls begins with the progress beforehand.
func crawlShown(t testing.TB, f *fleet.Fleet, id string, h how, store *memory, begins func(*crawler.Progress)) *crawler.Progress {
	t.Helper()
	ctx := t.Context()
	b, err := json.Marshal(h)
	must(t, err)
	o := h.options("coordinator")
	var run *fleet.Run
	o.Via = later{f, &run}
	c := crawler.New(store, o)
	defer c.Close()
	run, err = f.Begin(ctx, id, b, store, c.Take)
	must(t, err)
	begins(&c.Progress)
	must(t, c.Run(ctx))
	must(t, run.End(ctx))
	return &c.Progress
}

// near runs an audit that sends its requests from this process.
func near(t testing.TB, h how, store *memory) {
	t.Helper()
	c := crawler.New(store, h.options("near"))
	defer c.Close()
	must(t, c.Run(t.Context()))
}

// later is a Run that does not exist yet.
type later struct {
	*fleet.Fleet
	run **fleet.Run
}

func (l later) Send(ctx context.Context, key string, t crawler.Task, s crawler.HostState) error {
	return (*l.run).Send(ctx, key, t, s)
}

func (l later) Collect(ctx context.Context, take func(crawler.Home) error) error {
	return (*l.run).Collect(ctx, take)
}

// web is the site that is audited. It records and checks which worker requested what.
type web struct {
	*httptest.Server
	answer func(w http.ResponseWriter, url string)
	gap    time.Duration // between requests of two workers to one host

	mu    sync.Mutex
	asked map[string]int
	hosts map[string]*asker
	bad   []string
	all   int
	when  func(n int, host, worker string) // called with the n-th request
}

// asker is the worker that has a host now.
type asker struct {
	worker string
	now    int // requests under way
	last   time.Time
}

func newWeb(t testing.TB, gap time.Duration, answer func(w http.ResponseWriter, url string)) *web {
	t.Helper()
	s := &web{answer: answer, gap: gap, asked: map[string]int{}, hosts: map[string]*asker{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		url := "http://" + r.Host + r.RequestURI
		agent := strings.Fields(r.UserAgent())
		worker := agent[len(agent)-1]
		s.begins(url, r.Host, worker)
		defer s.ends(r.Host, worker)
		s.answer(w, url)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *web) begins(url, host, worker string) {
	s.mu.Lock()
	s.all++
	n, when := s.all, s.when
	s.asked[url]++
	a := s.hosts[host]
	if a == nil {
		a = &asker{worker: worker}
		s.hosts[host] = a
	}
	now := time.Now()
	if a.worker != worker {
		if a.now > 0 {
			s.bad = append(s.bad, fmt.Sprintf("%s is asked by %s while %s asks it", host, worker, a.worker))
		}
		if now.Sub(a.last) < s.gap*9/10 {
			s.bad = append(s.bad, fmt.Sprintf("%s is asked by %s %s after %s", host, worker, now.Sub(a.last), a.worker))
		}
		a.worker, a.now = worker, 0
	}
	a.now++
	a.last = now
	s.mu.Unlock()
	if when != nil {
		when(n, host, worker)
	}
}

func (s *web) ends(host, worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.hosts[host]; a.worker == worker {
		a.now--
	}
}

// count returns how many requests came so far.
func (s *web) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// judge fails the test where a host got requests from two workers at once or too soon after one
// another, or where more than again addresses were requested more than once.
func (s *web) judge(t *testing.T, again int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bad {
		t.Error(b)
	}
	more := 0
	for url, n := range s.asked {
		if more += n - 1; n > 1 && again == 0 {
			t.Errorf("%s was asked %d times", url, n)
		}
	}
	if more > again {
		t.Errorf("%d requests were sent again, %d may be", more, again)
	}
	t.Logf("%d requests, %d of them again", s.all, more)
}

// memory is a crawler.Store in memory, and a fleet.Memory.
type memory struct {
	mu      sync.Mutex
	hops    map[audit.Request]audit.Hop
	entries []audit.Entry
	records map[string][]byte
	twice   int // answers that were kept again, though no other try was due
	sent    int // requests that the answers stand for
}

func newMemory(locs ...string) *memory {
	s := &memory{hops: map[audit.Request]audit.Hop{}, records: map[string][]byte{}}
	for i, l := range locs {
		s.entries = append(s.entries, audit.Entry{N: i, Loc: l})
	}
	return s
}

func (s *memory) Hop(r audit.Request) (audit.Hop, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.hops[r]
	return h, ok
}

func (s *memory) Err() error   { return nil }
func (s *memory) Flush() error { return nil }

func (s *memory) Keep(h audit.Hop) error {
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
	return audit.Until(ctx, func(yield func(audit.Entry, error) bool) {
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

// answers returns what is remembered, without times.
func (s *memory) answers() map[string]string {
	out := map[string]string{}
	for r, h := range s.hops {
		h.At, h.MS = time.Time{}, 0
		out[fmt.Sprint(r)] = fmt.Sprintf("%+v", h)
	}
	for name, v := range s.records {
		out[name] = fmt.Sprintf("%q", v)
	}
	return out
}

// sameMemory fails the test where two audits of one web remember different answers.
func sameMemory(t *testing.T, got, want *memory) {
	t.Helper()
	if got.twice > 0 {
		t.Errorf("%d answers were kept twice", got.twice)
	}
	g, w := got.answers(), want.answers()
	for k := range maps.Keys(w) {
		if g[k] != w[k] {
			t.Errorf("%s:\n got %s\nwant %s", k, g[k], w[k])
		}
	}
	for k := range maps.Keys(g) {
		if _, ok := w[k]; !ok {
			t.Errorf("%s: %s, of which one process knows nothing", k, g[k])
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
