package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/ground"

	"pgregory.net/rapid"
)

// memoryStore is a Store in memory.
type memoryStore struct {
	mu      sync.Mutex
	hops    map[answers.Request]answers.Hop
	entries []audit.Entry
	records map[string][]byte
	sent    int   // requests that the answers stand for
	fail    error // what Keep returns
}

func newMemoryStore(locs ...string) *memoryStore {
	s := &memoryStore{hops: map[answers.Request]answers.Hop{}, records: map[string][]byte{}}
	for i, l := range locs {
		s.entries = append(s.entries, audit.Entry{N: i, Loc: l})
	}
	return s
}

func (s *memoryStore) Hop(r answers.Request) (answers.Hop, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.hops[r]
	return h, ok
}

func (s *memoryStore) Err() error { return nil }

func (s *memoryStore) Keep(h answers.Hop) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hops[h.Request] = h
	s.sent += h.Sent()
	return s.fail
}

func (s *memoryStore) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return ground.Until(ctx, func(yield func(audit.Entry, error) bool) {
		for _, e := range s.entries[min(max(0, from), len(s.entries)):min(max(from, to, 0), len(s.entries))] {
			if !yield(e, nil) {
				return
			}
		}
	})
}

func (s *memoryStore) EntryCount() int { return len(s.entries) }

func (s *memoryStore) Sent() int { return s.sent }

func (s *memoryStore) NewSettled(int) *audit.SettledRows { return new(audit.SettledRows) }

func (s *memoryStore) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

func (s *memoryStore) Put(key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[key] = bytes.Clone(value)
	return nil
}

func (s *memoryStore) Get(key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.records[key]
	return bytes.Clone(v), ok, nil
}

// site is a web in a function, on loopback; it counts how often each address was requested, and by
// whom.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	all   int
	seen  func(n int) // called with the n-th request
}

func serveSite(t *testing.T, answer func(w http.ResponseWriter, url string)) *site {
	t.Helper()
	s := &site{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		url := "http://" + r.Host + r.RequestURI
		s.mu.Lock()
		who := "robot "
		if !strings.Contains(r.UserAgent(), "Googlebot") {
			who = "browser "
		}
		s.asked[who+url]++
		s.all++
		n, seen := s.all, s.seen
		s.mu.Unlock()
		if seen != nil {
			seen(n)
		}
		answer(w, url)
	}))
	t.Cleanup(s.Close)
	return s
}

// crawler returns a Crawler for which every host of the test is at the site.
func (s *site) crawler(t *testing.T, store Store, hosts ...string) *Crawler {
	t.Helper()
	id, err := fetch.LookupIdentity("googlebot")
	must(t, err)
	resolve := map[string]string{}
	for _, h := range hosts {
		resolve[h+":80"] = s.Listener.Addr().String()
	}
	c := New(store, Options{
		Rules:     audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey"},
		GivenRate: true, Parallel: 4, Backoff: []time.Duration{}, Grace: time.Minute,
		Ask: fetch.Options{Identity: id, Resolve: resolve, NoProxy: true, Guard: fetch.NewGuard(hosts, hosts, true)},
	})
	t.Cleanup(c.Close)
	return c
}

// randomWeb is a web of n addresses on three hosts that redirect to one another
// at random.
func randomWeb(n int, seed uint64) (locs, hosts []string, answer func(http.ResponseWriter, string)) {
	r := rand.New(rand.NewPCG(seed, 1))
	hosts = []string{"a.example", "b.example", "www.a.example"}
	for i := range n {
		locs = append(locs, fmt.Sprintf("http://%s/p%%28%d%%29", hosts[r.IntN(3)], i))
	}
	type reply struct {
		status   int
		location string
	}
	replies := map[string]reply{}
	for _, l := range locs {
		reply := reply{status: []int{200, 200, 200, 301, 301, 302, 308, 404, 418, 403}[r.IntN(10)]}
		if answers.Redirects(reply.status) {
			reply.location = locs[r.IntN(n)]
		}
		replies[l] = reply
		if r.IntN(5) == 0 { // the other spelling redirects back
			replies[strings.NewReplacer("%28", "(", "%29", ")").Replace(l)] = struct {
				status   int
				location string
			}{301, l}
		}
	}
	return locs, hosts, func(w http.ResponseWriter, url string) {
		reply, ok := replies[url]
		if !ok {
			reply.status = 404
		}
		if reply.location != "" {
			w.Header().Set("Location", reply.location)
		}
		w.WriteHeader(reply.status)
	}
}

// However entries share hops, every address is requested once, and every entry is decided.
func TestEveryAddressOnce(t *testing.T) {
	for seed := range uint64(5) {
		locs, hosts, answer := randomWeb(300, seed)
		s := serveSite(t, answer)
		store := newMemoryStore(append(locs, locs[:50]...)...)
		c := s.crawler(t, store, hosts...)
		must(t, c.Run(context.Background()))
		for url, n := range s.asked {
			if n != 1 {
				t.Errorf("seed %d: %s was asked %d times", seed, url, n)
			}
		}
		decided(t, store, c)
		if int(c.Progress.Requests.Load()) != s.all {
			t.Errorf("%d requests counted, %d sent", c.Progress.Requests.Load(), s.all)
		}
	}
}

// decided checks that no entry needs further requests.
func decided(t *testing.T, store *memoryStore, c *Crawler) {
	t.Helper()
	for _, e := range store.entries {
		if row := new(audit.Row).Judge(audit.NewAnswerCache(store, 1, true), e, &c.o.Rules, audit.Want{Recheck: true}); len(row.Needs) > 0 {
			t.Errorf("%s still needs %v", e.Loc, row.Needs)
		}
	}
	if c.Progress.Done.Load() != int64(len(store.entries)) {
		t.Errorf("%d of %d entries are done", c.Progress.Done.Load(), len(store.entries))
	}
	if n := c.Progress.Due.Load(); n != 0 {
		t.Errorf("%d entries are said to need requests still", n)
	}
}

// A request for which another attempt may help is sent two more times, and no more.
func TestTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &moody{pages: map[string][]string{"/heals": {"500 Oh", "200 OK"}, "/never": {"500 Oh"}}, asked: map[string]int{}}
		store := newMemoryStore("http://a.example/heals", "http://a.example/never", "http://a.example/404")
		_, err := m.crawl(t, store, 0, time.Minute)
		must(t, err)
		if want := map[string]int{"/heals": 2, "/never": 3, "/404": 2, "/robots.txt": 1}; !maps.Equal(m.asked, want) { // a 404 by robot and browser
			t.Errorf("asked %v", m.asked)
		}
		if h := store.hops[answers.Request{URL: "http://a.example/heals"}]; h.Status != 200 || h.Tries != 2 {
			t.Errorf("healed: %+v", h)
		}
	})
}

// A host that refuses 20 times in a row is abandoned; the others go on.
func TestHostIsLeft(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		if strings.HasPrefix(url, "http://no.example") && !strings.HasSuffix(url, "/robots.txt") {
			w.WriteHeader(403)
		}
	})
	store := newMemoryStore(append(numbered("http://no.example/", 100), numbered("http://yes.example/", 100)...)...)
	c := s.crawler(t, store, "no.example", "yes.example")
	must(t, c.Run(context.Background()))
	if left := noted(c).Abandoned; len(left) != 1 || left["no.example"] != 403 {
		t.Errorf("left %v", left)
	}
	all := s.all
	if no := all - 101; no < 21 || no > 30 { // robots.txt, and what was under way then
		t.Errorf("%d requests to the host that refuses", no)
	}
	decided(t, store, c)
	c2 := s.crawler(t, store, "no.example", "yes.example")
	if left := noted(c2).Abandoned; len(left) != 1 || left["no.example"] != 403 {
		t.Errorf("run again: left %v", left)
	}
	if err := c2.Run(context.Background()); err != nil || s.all != all {
		t.Errorf("run again: %v, %d requests more", err, s.all-all)
	}
}

// robots.txt is requested once for each origin and obeyed for every hop.
func TestRobotsForEveryHop(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		switch url {
		case "http://a.example/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		case "http://down.example/robots.txt":
			w.WriteHeader(503)
		case "http://a.example/to-private":
			w.Header().Set("Location", "/private")
			w.WriteHeader(301)
		case "http://a.example/to-down":
			w.Header().Set("Location", "http://down.example/x")
			w.WriteHeader(301)
		default:
			w.WriteHeader(404)
		}
	})
	store := newMemoryStore("http://a.example/private/x", "http://a.example/to-private", "http://a.example/to-down", "http://down.example/y")
	c := s.crawler(t, store, "a.example", "down.example")
	must(t, c.Run(context.Background()))
	want := []audit.Verdict{audit.Disallowed, audit.Disallowed, audit.Unverified, audit.Unverified}
	for i, e := range store.entries {
		if row := new(audit.Row).Judge(audit.NewAnswerCache(store, 1, true), e, &c.o.Rules, audit.Want{}); row.Verdict != want[i] {
			t.Errorf("%s: %s, want %s", e.Loc, row.Verdict, want[i])
		}
	}
	for _, url := range []string{"http://a.example/private/x", "http://a.example/private", "http://down.example/x", "http://down.example/y"} {
		if s.asked["robot "+url] != 0 {
			t.Errorf("%s was asked", url)
		}
	}
	if n := s.asked["robot http://a.example/robots.txt"]; n != 1 {
		t.Errorf("robots.txt was asked %d times", n)
	}
	if h := store.hops[answers.Request{URL: "http://a.example/private"}]; h.Forbidden != "Disallow: /private" || h.ForbiddenLine != 2 {
		t.Errorf("forbidden by %q, line %d", h.Forbidden, h.ForbiddenLine)
	}
	if bad := noted(c).RobotsBad; len(bad) != 1 || bad[0] != "http://down.example" {
		t.Errorf("robots.txt unreachable: %v", bad)
	}
}

// numbered are n addresses that end with their numbers.
func numbered(url string, n int) (locs []string) {
	for i := range n {
		locs = append(locs, fmt.Sprint(url, i))
	}
	return locs
}

// A store that cannot be written ends the audit with its error.
func TestStoreFails(t *testing.T) {
	_, hosts, answer := randomWeb(1, 1)
	s := serveSite(t, answer)
	store := newMemoryStore("http://a.example/1", "http://a.example/2")
	store.fail = errors.New("disk full")
	if err := s.crawler(t, store, hosts...).Run(context.Background()); !errors.Is(err, store.fail) {
		t.Errorf("got %v", err)
	}
}

// A kept connection that ended is not a fault of the address: the request is sent again at once, as
// the first of its two more attempts.
func TestAnOldConnectionCostsOneTry(t *testing.T) {
	var crash atomic.Int64
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		if strings.HasSuffix(url, "/ends") && crash.Add(1) == 1 {
			c, _, err := http.NewResponseController(w).Hijack()
			must(t, err)
			c.Close()
		}
	})
	store := newMemoryStore("http://a.example/1", "http://a.example/ends", "http://a.example/2")
	c := s.slowCrawler(t, store, "a.example")
	c.o.Backoff = []time.Duration{time.Hour, time.Hour}
	must(t, c.Run(context.Background()))
	if h := store.hops[answers.Request{URL: "http://a.example/ends"}]; h.Status != 200 || h.Tries != 2 || crash.Load() != 2 {
		t.Errorf("%+v, asked %d times", h, crash.Load())
	}
	if n := c.Progress.Requests.Load(); int(n) != s.all {
		t.Errorf("%d requests counted, %d sent", n, s.all)
	}
	if r := c.hosts["a.example"].Rate(); r != 0 {
		t.Errorf("the pace fell to %v/s", r)
	}
}

// slowCrawler returns a crawler that sends one request to a host at a time, and requests no
// robots.txt.
func (s *site) slowCrawler(t *testing.T, store Store, hosts ...string) *Crawler {
	t.Helper()
	c := s.crawler(t, store, hosts...)
	c.o.Rules.Robots, c.o.Parallel = "ignore", 1
	return c
}

// A host that asks five times in a row for a rest of more than ten minutes is abandoned, without waiting; where
// one page asks for it, that page is not requested again, and the others are.
func TestARetryAfterThatIsTooLong(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, url string) {
		if strings.HasPrefix(url, "http://busy.example") || url == "http://a.example/2" {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	store := newMemoryStore(append(numbered("http://busy.example/", 9), numbered("http://a.example/", 9)...)...)
	c := s.slowCrawler(t, store, "a.example", "busy.example")
	c.o.Backoff = []time.Duration{time.Hour, time.Hour}
	must(t, c.Run(t.Context()))
	if left := noted(c).Abandoned; s.all != 5+9 || !maps.Equal(left, map[string]int{"busy.example": 503}) {
		t.Errorf("%d requests, left %v", s.all, left)
	}
	waits := map[string]time.Duration{"busy.example": time.Hour, "a.example": time.Hour}
	for _, c := range []*Crawler{c, New(store, c.o)} { // the other after a kill
		if got := noted(c).Waits; !maps.Equal(got, waits) {
			t.Errorf("waits %v", got)
		}
	}
	for _, e := range store.entries {
		row := new(audit.Row).Judge(audit.NewAnswerCache(store, 1, true), e, &c.o.Rules, audit.Want{})
		if busy := strings.Contains(e.Loc, "busy") || strings.HasSuffix(e.Loc, "/2"); busy != (row.Verdict == audit.Unverified) {
			t.Errorf("%s: %s", e.Loc, row.Verdict)
		}
	}
}

// A host that does not answer holds up no other: here it answers once all entries of the other host
// were requested.
func TestADeadHostHoldsUpNobody(t *testing.T) {
	const n = 200
	var asked atomic.Int64
	all := make(chan struct{})
	s := serveSite(t, func(_ http.ResponseWriter, url string) {
		if strings.HasPrefix(url, "http://dead.example") {
			<-all
		} else if asked.Add(1) == n {
			close(all)
		}
	})
	store := newMemoryStore(append(numbered("http://dead.example/", n), numbered("http://good.example/", n)...)...)
	c := s.slowCrawler(t, store, "dead.example", "good.example")
	must(t, c.Run(t.Context()))
	decided(t, store, c)
	if h := store.hops[answers.Request{URL: "http://dead.example/0"}]; h.Status != 200 {
		t.Errorf("%+v", h)
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noted returns what a Crawler noted.
func noted(c *Crawler) (info audit.Info) {
	c.Learned(&info)
	return info
}
