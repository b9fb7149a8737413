package crawler

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
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

type errand struct {
	key  string
	task Task
}

// Send implements Via.
func (e *errands) Send(ctx context.Context, key string, t Task, _ HostState) error {
	if !t.Lone || len(t.Trail) > 0 || t.Entry != (audit.Entry{}) {
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
			f := e.other.newDueHosts(audit.Want{})
			f.add(due.key, due.task)
			if err := e.other.Serve(ctx, f); err != nil {
				return err
			}
			hop, _ := e.store.Hop(due.task.Request)
			if err := take(written(e.t, Home{Key: due.key, Hops: []audit.Hop{hop}, State: e.other.hostNamed(due.key).state()})); err != nil {
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
