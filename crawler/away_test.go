package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// errands is a Via whose requests another Crawler sends, one after the other. Everything that
// passes is encoded and decoded.
type errands struct {
	t     *testing.T
	other *Crawler
	store *memoryStore // of other
	tasks chan errand
	most  int // answers that come home; 0 for all
	home  int

	leases []string // keys that were leased for files, and given back ("-")
	lose   func()   // ends the next lease; set by Lease
}

// Lease implements Via.
func (e *errands) Lease(ctx context.Context, key string) (*Lease, error) {
	live, lose := context.WithCancel(ctx)
	e.leases, e.lose = append(e.leases, key), lose
	return &Lease{Key: key, Elsewhere: true, Live: live}, nil
}

// Release implements Via.
func (e *errands) Release(_ context.Context, l *Lease, _ HostState) {
	e.leases = append(e.leases, "-"+l.Key)
}

// frontier hands out tasks, one key at a time.
type frontier struct {
	t      *testing.T
	tasks  map[string][]Task
	mu     sync.Mutex
	leased map[string]bool
	lose   map[string]func()
}

// Lease implements Frontier.
func (f *frontier) Lease(ctx context.Context) (*Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.tasks {
		if !f.leased[key] {
			if f.leased == nil {
				f.leased, f.lose = map[string]bool{}, map[string]func(){}
			}
			live, lose := context.WithCancel(ctx)
			f.leased[key], f.lose[key] = true, lose
			return &Lease{Key: key, Elsewhere: true, Live: live}, nil
		}
	}
	return nil, io.EOF
}

// Next implements Frontier.
func (f *frontier) Next(_ context.Context, l *Lease) ([]Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tasks := f.tasks[l.Key]
	f.tasks[l.Key] = nil
	return tasks, nil
}

// Rests implements Frontier.
func (f *frontier) Rests(*Lease) error { return nil }

// Release implements Frontier.
func (f *frontier) Release(_ context.Context, l *Lease, _ HostState) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if delete(f.lose, l.Key); len(f.tasks[l.Key]) > 0 {
		f.t.Errorf("%s is given back too early", l.Key)
	}
	return nil
}

// written encodes a value and decodes it again.
func written[T any](t *testing.T, v T) (again T) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &again)
	}
	if err != nil {
		t.Error(err)
	}
	return again
}

// A host that another holder has by now gets no more requests, and that is not a fault.
func TestALeaseThatIsLost(t *testing.T) {
	f := &frontier{t: t, tasks: map[string][]Task{}}
	for i := range 100 {
		for _, host := range []string{"a.example", "b.example"} {
			f.tasks[host] = append(f.tasks[host], Task{Request: audit.Request{URL: fmt.Sprintf("http://%s/%d", host, i)}, Lone: true})
		}
	}
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		if url == "http://a.example/20" {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.lose["a.example"]()
		}
	})
	store := newMemoryStore()
	must(t, s.crawler(t, store, "a.example", "b.example").Serve(t.Context(), f))
	answers := map[string]int{}
	for r := range store.hops {
		answers[address.Wire(r.URL).Host()]++
	}
	if n := answers["a.example"]; n < 10 || n > 24 || answers["b.example"] != 100 || len(f.lose) > 0 {
		t.Errorf("answers %v, leased still %d", answers, len(f.lose))
	}
}

type errand struct {
	key  string
	task Task
}

// Send implements Via.
func (e *errands) Send(ctx context.Context, key string, t Task, _ HostState) error {
	if !t.Lone || t.Entry != (audit.Entry{}) {
		e.t.Errorf("%s is sent with its entry", t.Request.URL)
	}
	select {
	case e.tasks <- errand{key, written(e.t, t)}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Collect implements Via.
func (e *errands) Collect(ctx context.Context, take func(Home) error) error {
	for e.most == 0 || e.home < e.most {
		select {
		case due := <-e.tasks:
			if err := e.other.Serve(ctx, &frontier{t: e.t, tasks: map[string][]Task{due.key: {due.task}}}); err != nil {
				return err
			}
			hop, _ := e.store.Hop(due.task.Request)
			if err := take(written(e.t, Home{Key: due.key, Hops: []audit.Hop{hop}, State: e.other.host(due.key).State()})); err != nil {
				return err
			}
			e.home++
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errNoMore
}

var errNoMore = errors.New("nothing comes home any more")

// elsewhere returns a Crawler whose requests another one sends.
func (s *site) elsewhere(t *testing.T, store *memoryStore, most int, hosts ...string) *Crawler {
	far := newMemoryStore()
	c := s.crawler(t, store, hosts...)
	c.o.Via = &errands{t: t, other: s.crawler(t, far, hosts...), store: far, tasks: make(chan errand, 100_000), most: most}
	return c
}

// Each request for a file is sent under a lease of its host, one at a time, and again where the
// lease was lost meanwhile.
func TestFilesAreLeased(t *testing.T) {
	var e *errands
	asked := 0
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch asked++; {
		case strings.HasPrefix(url, "http://a.example/"):
			w.Header().Set("Location", "http://b.example/file")
			w.WriteHeader(http.StatusFound)
		case asked == 2:
			e.lose()
			<-e.t.Context().Done() // no answer comes
		}
	})
	c := s.elsewhere(t, newMemoryStore(), 0, "a.example", "b.example")
	e = c.o.Via.(*errands)
	defer c.until(t.Context())()
	a, err := address.Parse("http://a.example/file")
	must(t, err)
	got, err := c.file(t.Context(), fetch.File{URL: a, Redirects: 1}, false, func() (io.WriteCloser, error) { return memoryFile{io.Discard}, nil })
	must(t, err)
	want := []string{"a.example", "-a.example", "b.example", "-b.example"}
	if want = append(want, want...); got.Status != http.StatusOK || !slices.Equal(e.leases, want) {
		t.Errorf("%d, leased were %v, want %v", got.Status, e.leases, want)
	}
}

// Whichever process sends the requests, each address is requested once, and the same is stored.
func TestRequestsSentElsewhere(t *testing.T) {
	for seed := range uint64(3) {
		locs, hosts, answer := randomWeb(300, seed)
		s := serveSite(t, answer)
		near, far := newMemoryStore(locs...), newMemoryStore(locs...)
		must(t, s.crawler(t, near, hosts...).Run(t.Context()))
		n := s.all
		clear(s.asked)
		c := s.elsewhere(t, far, 0, hosts...)
		must(t, c.Run(t.Context()))
		decided(t, far, c)
		for url, n := range s.asked {
			if n != 1 {
				t.Errorf("%s was asked %d times", url, n)
			}
		}
		if !maps.Equal(near.statuses(), far.statuses()) {
			t.Errorf("%d answers, want the %d of one process", len(far.hops), len(near.hops))
		}
		if s.all != 2*n {
			t.Errorf("%d requests, want %d", s.all-n, n)
		}
	}
}

// Where no answers come home any more the crawl ends with that error, and continues later with the
// missing ones.
func TestNothingComesHome(t *testing.T) {
	locs, hosts, answer := randomWeb(300, 1)
	s := serveSite(t, answer)
	store := newMemoryStore(locs...)
	first := s.elsewhere(t, store, 100, hosts...)
	first.o.Grace = time.Millisecond
	if err := first.Run(t.Context()); !errors.Is(err, errNoMore) {
		t.Errorf("it ends with %v", err)
	}
	c := s.elsewhere(t, store, 0, hosts...)
	must(t, c.Run(t.Context()))
	decided(t, store, c)
	for url, n := range s.asked {
		if n != 1 && !strings.HasSuffix(url, "/robots.txt") {
			t.Errorf("%s was asked %d times", url, n)
		}
	}
}
