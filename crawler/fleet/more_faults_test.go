package fleet_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/fleet"
)

// asking returns the worker that has a host.
func (s *web) asking(host string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hosts[host].worker
}

// Where most servers are lost, no request is sent once the sessions have ended.
func TestMostServersLost(t *testing.T) {
	t.Parallel()
	url, all := servers(t, 3)
	locs, answer := manyHosts(2000)
	s := newWeb(t, 0, answer)
	work(t, url, "w1")
	var lost sync.WaitGroup
	var later atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	s.when = func(n int, _, _ string) {
		if n != 300 {
			return
		}
		lost.Go(func() {
			all[0].Shutdown()
			all[1].Shutdown()
			time.Sleep(quick.Alive)
			s.mu.Lock()
			before := s.all
			s.mu.Unlock()
			time.Sleep(2 * quick.Alive)
			s.mu.Lock()
			later.Store(int32(s.all - before))
			s.mu.Unlock()
			cancel()
		})
	}
	h := how{Addr: s.Listener.Addr().String(), Rate: 50, Parallel: 2}
	_, c := begin(t, connect(t, url, fleet.Options{}), "lost", h, newMemory(locs...))
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the audit ends with %v", err)
	}
	lost.Wait()
	if later.Load() > 0 || s.all < 300 {
		t.Errorf("%d requests, %d of them without servers", s.all, later.Load())
	}
}

// begin begins an audit for a test that runs it itself.
func begin(t *testing.T, f *fleet.Fleet, id string, h how, store *memory) (*fleet.Run, *crawler.Crawler) {
	t.Helper()
	b, err := json.Marshal(h)
	must(t, err)
	o := h.options("coordinator")
	run := new(*fleet.Run)
	o.Via, o.Grace = later{f, run}, 100*time.Millisecond
	c := crawler.New(store, o)
	t.Cleanup(c.Close)
	*run, err = f.Begin(t.Context(), id, b, store, c.Take)
	must(t, err)
	return *run, c
}

// An audit whose process dies is continued by the same command, which first takes the results that
// came home in the meantime.
func TestAnAuditGoesOn(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	locs, answer := manyHosts(1000)
	s := newWeb(t, 0, answer)
	work(t, url, "w1")
	work(t, url, "w2")
	h := how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2}
	store := newMemory(locs...)
	f := connect(t, url, fleet.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	s.when = func(n int, _, _ string) {
		if n == len(locs)/3 {
			f.Close() // as when it is killed
			cancel()
		}
	}
	_, c := begin(t, f, "again", h, store)
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the audit ends with %v", err)
	}
	crawl(t, connect(t, url, fleet.Options{}), "again", h, store)
	if len(store.hops) != len(locs) || store.twice > 0 {
		t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
	}
	s.judge(t, oneBatch)
}

// Two processes cannot run one audit.
func TestTwoProcessesOfOneAudit(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	first, _ := begin(t, connect(t, url, fleet.Options{}), "one", how{}, newMemory())
	_, err := connect(t, url, fleet.Options{}).Begin(t.Context(), "one", nil, newMemory(), nil)
	hinted(t, err, "another process has requests sent for this audit")
	must(t, first.End(t.Context()))
	second, _ := begin(t, connect(t, url, fleet.Options{}), "one", how{}, newMemory())
	must(t, second.End(t.Context()))
}

// hinted checks an error that a user sees.
func hinted(t *testing.T, err error, what string) {
	t.Helper()
	var e *fleet.Error
	if !errors.As(err, &e) || !strings.Contains(e.Error(), what) || e.Hint() == "" {
		t.Errorf("%v, want %q and a hint", err, what)
	}
}

// The pace and the rest of a host go along with its key: a rest that it asked for with Retry-After
// holds for the next worker.
func TestARestOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	const rest = 12 * time.Second
	var refused, after atomic.Int64
	w := &workers{t: t, url: url}
	s := newWeb(t, 0, nil)
	s.answer = func(rw http.ResponseWriter, at string) {
		switch now := time.Now().UnixNano(); {
		case strings.HasSuffix(at, "/robots.txt"):
			rw.WriteHeader(http.StatusNotFound)
		case strings.HasSuffix(at, "/30") && refused.CompareAndSwap(0, now):
			rw.Header().Set("Retry-After", fmt.Sprint(int(rest.Seconds())))
			rw.WriteHeader(http.StatusServiceUnavailable)
			worker := s.asking("a.example")
			time.AfterFunc(3*time.Second, func() { w.signal(worker, syscall.SIGKILL) }) // the answer is home
		case refused.Load() > 0:
			after.CompareAndSwap(0, now)
		}
	}
	w.start("w1", "w2")
	var locs []string
	for i := range 60 {
		locs = append(locs, fmt.Sprintf("http://a.example/%d", i))
	}
	store := newMemory(locs...)
	crawl(t, connect(t, url, fleet.Options{}), "rest", how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 1}, store)
	if d := time.Duration(after.Load() - refused.Load()); d < rest-time.Second {
		t.Errorf("it was asked again after %s", d)
	}
	if len(store.hops) != len(locs) {
		t.Errorf("%d answers", len(store.hops))
	}
}

// All hosts of a site share one pace and are held by one worker at a time, where the audit asks for
// that.
func TestOneSiteOneWorker(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	var mu sync.Mutex
	askers := map[string]int{}
	s := newWeb(t, 0, nil)
	s.answer = func(w http.ResponseWriter, at string) {
		mu.Lock()
		defer mu.Unlock()
		askers[s.asking(strings.Split(at, "/")[2])]++
		if strings.HasSuffix(at, "/robots.txt") {
			w.WriteHeader(http.StatusNotFound)
		}
	}
	for i := range 4 {
		workAt(t, url, fmt.Sprint("w", i), steady)
	}
	var locs []string
	for i := range 60 {
		locs = append(locs, fmt.Sprintf("http://h%d.shop.example/%d", i%10, i))
	}
	store := newMemory(locs...)
	h := how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2, Sites: true}
	began := time.Now()
	crawl(t, connect(t, url, fleet.Options{Timing: steady}), "site", h, store)
	if len(askers) != 1 || len(store.hops) != len(locs) || time.Since(began) < 500*time.Millisecond {
		t.Errorf("%d answers of workers %v in %s", len(store.hops), askers, time.Since(began))
	}
}

// An audit that is paused sends no requests until it is resumed.
func TestPause(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	locs, answer := manyHosts(600)
	s := newWeb(t, 0, answer)
	workAt(t, url, "w1", steady)
	f := connect(t, url, fleet.Options{Timing: steady})
	var pausing sync.WaitGroup
	s.when = func(n int, _, _ string) {
		if n != 150 {
			return
		}
		pausing.Go(func() {
			must(t, f.Control(t.Context(), "pause", fleet.Paused))
			before, later := -1, 0
			for patient := time.Now().Add(time.Minute); later != before && time.Now().Before(patient); {
				before = s.count()
				time.Sleep(time.Second)
				later = s.count()
			}
			later -= before
			all, err := f.Audits(t.Context())
			if err != nil || len(all) != 1 || all[0].State != fleet.Paused || all[0].Keys == 0 || later > 0 || before >= len(locs) {
				t.Errorf("%v %v: %d requests before, %d while it was paused", all, err, before, later)
			}
			must(t, f.Control(t.Context(), "pause", fleet.Running))
		})
	}
	store := newMemory(locs...)
	crawl(t, f, "pause", how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2}, store)
	pausing.Wait()
	if len(store.hops) != len(locs) {
		t.Errorf("%d answers", len(store.hops))
	}
	s.judge(t, 0)
	hinted(t, f.Control(t.Context(), "pause", fleet.Paused), "no audit pause is known there")
}

// A server on another machine is used without credentials only where the user allows it.
func TestOnlyServersThatAreTrusted(t *testing.T) {
	for at, want := range map[string]string{
		"nats://192.0.2.1:4222":                    "is not on this machine, and no credentials are given",
		"nats://127.0.0.1:4222,nats://example.org": "is not on this machine, and no credentials are given",
		"no address":                   "is not the address of a NATS server",
		"nats://127.0.0.1:1":           "no NATS server answers at nats://127.0.0.1:1",
		"nats://me:secret@127.0.0.1:1": "no NATS server answers at nats://127.0.0.1:1",
	} {
		_, err := fleet.Connect(t.Context(), fleet.Options{URL: at})
		hinted(t, err, want)
	}
}

// A server without credentials, at an address that is not known to be of this machine, is not used.
func TestAServerThatLetsInAnybody(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	url = strings.Replace(url, "127.0.0.1", "0.0.0.0", 1) // which net.Dial takes for this machine
	_, err := fleet.Connect(t.Context(), fleet.Options{URL: url})
	hinted(t, err, "is not on this machine, and no credentials are given")
}

// No error repeats a password, a token, or the text given in place of the name of a file.
func TestConnectingShowsNoSecret(t *testing.T) {
	const secret = "SUADD-secret"
	for _, o := range []fleet.Options{
		{URL: "nats://me:" + secret + "@127.0.0.1:1x"},
		{URL: "nats://me:" + secret + " @127.0.0.1:1,nats://127.0.0.1:1"},
		{URL: "me:" + secret + "@127.0.0.1:1"},
		{URL: "nats://" + secret + "@127.0.0.1:1"},
		{URL: "nats://127.0.0.1:1", Creds: secret},
		{URL: "nats://127.0.0.1:1", Creds: "-----BEGIN NATS USER JWT-----\n" + secret + "\n"},
		{URL: "nats://127.0.0.1:1", Creds: strings.Repeat(secret, 500)},
	} {
		_, err := fleet.Connect(t.Context(), o)
		hinted(t, err, "")
		if said := fmt.Sprintf("%v %+v", err, err); strings.Contains(said, secret) {
			t.Errorf("%q is told: %s", secret, said)
		}
	}
}

// An old server is refused by name and version.
func TestAnOldServer(t *testing.T) {
	t.Parallel()
	bin, err := exec.LookPath("nats-server")
	if err != nil {
		if bin = "/usr/sbin/nats-server"; !exists(bin) {
			if os.Getenv("SITEMEND_NO_SKIP") != "" {
				t.Fatal("there is no nats-server")
			}
			t.Skip("there is no nats-server of the system to refuse")
		}
	}
	dir := t.TempDir()
	cmd := exec.Command(bin, "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", dir, "--ports_file_dir", dir)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var ports struct{ Nats []string }
	for range 200 {
		if b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("nats-server_%d.ports", cmd.Process.Pid))); err == nil && json.Unmarshal(b, &ports) == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(ports.Nats) == 0 {
		t.Fatal("the server does not say where it is")
	}
	_, err = fleet.Connect(t.Context(), fleet.Options{URL: ports.Nats[0]})
	if err == nil {
		t.Skip("it is not old")
	}
	hinted(t, err, "which is too old")
	if !strings.Contains(err.Error(), "nats-server 2.") {
		t.Errorf("%v does not name its version", err)
	}
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// Full streams hold up the processes that write to them, and nothing else: the audit goes on once
// results that came home are deleted.
func TestFullStreams(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]jetstream.StreamConfig{
		"results": {Name: "SITEMEND_RESULTS", Subjects: []string{"sitemend.r.>"}, MaxBytes: 60_000, Discard: jetstream.DiscardNew},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := servers(t, 1)
			nc, err := nats.Connect(url)
			must(t, err)
			defer nc.Close()
			js, err := jetstream.New(nc)
			must(t, err)
			_, err = js.CreateStream(t.Context(), config)
			must(t, err)
			locs, answer := manyHosts(4000)
			s := newWeb(t, 0, answer)
			workAt(t, url, "w1", steady)
			store := newMemory(locs...)
			crawl(t, connect(t, url, fleet.Options{Timing: steady}), "full", how{Addr: s.Listener.Addr().String(), Parallel: 4}, store)
			if len(store.hops) != len(locs) || store.twice > 0 {
				t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
			}
			s.judge(t, 0)
		})
	}
}

// A server whose disk is full (max_file_store, where streams have no limit of their own) accepts no
// message, not even a renewal, so the audit stops. All processes wait; the audit goes on once there
// is room.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	o := &server.Options{JetStreamMaxStore: 1 << 20}
	url := guarded(t, o)
	nc, err := nats.Connect(url)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	_, err = fleet.Connect(t.Context(), fleet.Options{URL: url})
	hinted(t, err, "does not take the stream")
	for _, c := range []jetstream.StreamConfig{
		{Name: "SITEMEND_TICKETS", Subjects: []string{"sitemend.t.>"}, Retention: jetstream.WorkQueuePolicy, MaxMsgsPerSubject: 1,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true},
		{Name: "SITEMEND_RESULTS", Subjects: []string{"sitemend.r.>"}},
		{Name: "SITEMEND_STATE", Subjects: []string{"sitemend.l.>", "sitemend.s.>", "sitemend.c.>"}, MaxMsgsPerSubject: 1, AllowMsgTTL: true},
		{Name: "OTHERS", Subjects: []string{"others"}}} {
		_, err = js.CreateStream(t.Context(), c)
		must(t, err)
	}
	locs, answer := manyHosts(1000)
	s := newWeb(t, 5*time.Millisecond, answer)
	work(t, url, "w1")
	work(t, url, "w2")
	var filling sync.WaitGroup
	s.when = func(n int, _, _ string) {
		if n != len(locs)/3 {
			return
		}
		filling.Go(func() {
			filled := time.Now().Add(4 * quick.Alive)
			for size := 10_000; time.Now().Before(filled); { // written by another client
				// A server that is full may not answer at all. What it accepts in the meantime
				// would be messages of others.
				soon, cancel := context.WithTimeout(context.Background(), quick.Alive/10)
				_, err := js.Publish(soon, "others", make([]byte, size))
				cancel()
				if err != nil {
					size = max(size/10, 1)
				}
			}
			if n := s.count(); n >= len(locs) { // deleted messages make room for a moment
				t.Errorf("%d requests while the disk was full", n)
			}
			must(t, js.DeleteStream(context.Background(), "OTHERS"))
		})
	}
	store := newMemory(locs...)
	crawl(t, connect(t, url, fleet.Options{}), "disk", how{Addr: s.Listener.Addr().String(), Rate: 200, Parallel: 2}, store)
	filling.Wait()
	if len(store.hops) != len(locs) || store.twice > 0 {
		t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
	}
	s.judge(t, oneBatch)
}

// An audit that is canceled ends; the same command continues it.
func TestCancel(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	locs, answer := manyHosts(600)
	s := newWeb(t, 0, answer)
	work(t, url, "w1")
	f := connect(t, url, fleet.Options{})
	store, h := newMemory(locs...), how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2}
	run, c := begin(t, f, "cancel", h, store)
	var canceling sync.WaitGroup
	s.when = func(n int, _, _ string) {
		if n == 150 {
			canceling.Go(func() { must(t, f.Control(t.Context(), "cancel", fleet.Canceled)) })
		}
	}
	if err := c.Run(t.Context()); !errors.Is(err, fleet.ErrCanceled) {
		t.Errorf("the audit ends with %v", err)
	}
	canceling.Wait()
	must(t, run.Stop(t.Context()))
	if len(store.hops) == len(locs) {
		t.Error("nothing was canceled")
	}
	crawl(t, f, "cancel", h, store)
	if len(store.hops) != len(locs) || store.twice > 0 {
		t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
	}
	s.judge(t, oneBatch)
	if all, err := f.Audits(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("left at the servers is %v %v", all, err)
	}
}

// Keys change hands where there are several workers: each worker continues where the other was,
// after a gap, and requests nothing again.
func TestKeysChangeHands(t *testing.T) {
	t.Parallel()
	url, _ := servers(t, 1)
	locs, answer := manyHosts(800)
	s := newWeb(t, 10*time.Millisecond, answer)
	timing := calm
	timing.Slice = 300 * time.Millisecond
	for _, name := range []string{"w1", "w2", "w3"} {
		workAt(t, url, name, timing)
	}
	var mu sync.Mutex
	hands, holder := 0, map[string]string{}
	s.when = func(_ int, host, worker string) {
		mu.Lock()
		defer mu.Unlock()
		if last := holder[host]; last != "" && last != worker {
			hands++
		}
		holder[host] = worker
	}
	store := newMemory(locs...)
	crawl(t, connect(t, url, fleet.Options{Timing: calm}), "hands", how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2}, store)
	if len(store.hops) != len(locs) || store.twice > 0 || hands == 0 {
		t.Errorf("%d of %d addresses are answered, %d twice; hosts changed hands %d times", len(store.hops), len(locs), store.twice, hands)
	}
	s.judge(t, 0)
}

// known returns the audits that the servers know of.
func known(t *testing.T, url string) ([]fleet.Audit, error) {
	t.Helper()
	f, err := fleet.Connect(t.Context(), fleet.Options{URL: url, Timing: quick})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Audits(t.Context())
}

// The only server is killed and comes back: all processes wait for it, and nothing is lost.
func TestTheOnlyServerComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(port int) *server.Server {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true, JetStream: true, StoreDir: dir})
		must(t, err)
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("the server is not ready")
		}
		return s
	}
	first := start(server.RANDOM_PORT)
	url, port := first.ClientURL(), first.Addr().(*net.TCPAddr).Port
	locs, answer := manyHosts(800)
	s := newWeb(t, 5*time.Millisecond, answer)
	work(t, url, "w1")
	work(t, url, "w2")
	var restart sync.WaitGroup
	s.when = func(n int, _, _ string) {
		switch n {
		case 300:
			restart.Go(func() {
				first.Shutdown()
				first.WaitForShutdown()
				time.Sleep(quick.Alive)
				start(port)
			})
		case 400: // its session has ended in the meantime
			restart.Go(func() {
				for patient := time.Now().Add(20 * time.Second); ; {
					all, err := known(t, url)
					if err == nil && len(all) == 1 && all[0].State == fleet.Running {
						return
					}
					if time.Now().After(patient) || err == nil && len(all) == 0 {
						t.Errorf("the audit is known as %v %v", all, err)
						return
					}
				}
			})
		}
	}
	store := newMemory(locs...)
	crawl(t, connect(t, url, fleet.Options{}), "back", how{Addr: s.Listener.Addr().String(), Rate: 200, Parallel: 2}, store)
	restart.Wait()
	if len(store.hops) != len(locs) || store.twice > 0 {
		t.Errorf("%d of %d addresses are answered, %d twice", len(store.hops), len(locs), store.twice)
	}
	s.judge(t, oneBatch)
}
