package crawler

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/robots"
)

// Store is where a Crawler stores answers and reads entries. Its methods must be safe for
// concurrent use.
type Store interface {
	audit.Source
	// Keep stores an answer. It returns an error where that, or an earlier write, failed.
	Keep(answers.Hop) error
	// EntryCount is how many entries there are.
	EntryCount() int
	// Put and Get store small named records, such as robots.txt files.
	Put(key string, value []byte) error
	Get(key string) (value []byte, ok bool, err error)
	// Sent is how many requests the stored answers took.
	Sent() int
	// NewSettled makes room for what is said of the entries with N below n.
	NewSettled(n int) *audit.SettledRows
}

// Options configures a Crawler.
type Options struct {
	Rules audit.Rules
	Ask   fetch.Options
	Rate  float64 // requests a second for each host; 0 for no ceiling
	// GivenRate is set where the user named Rate, which is then used from the start.
	GivenRate bool
	Parallel  int // requests under way for each host; 0 for no ceiling
	// Paces are shared with other Crawlers of this process; nil for none.
	Paces *Paces
	// Key returns the name under which an address is paced: all addresses with the same name count
	// as one host. nil stands for the host name, whatever the scheme and the port.
	Key func(address.Address) string
	// Via sends the requests for entries, and lone ones, from other processes; nil sends them from
	// this one. Files are always requested by this process.
	Via Via
	// Noted is called with what the Crawler records about the audit besides its answers, for
	// another Crawler (Note); may be nil. It must not call the Crawler.
	Noted func(Note)
	// Backoff is how long to wait before each further attempt. nil means 1 s and 4 s (contract,
	// section 5).
	Backoff []time.Duration
	// Warn is called with words when requests begin to fail on this machine, and when they succeed
	// again; nil for silence.
	Warn func(format string, args ...any)
	// Grace is how long answers that are on their way may take after the audit was stopped. 0 means
	// 1.5 s.
	Grace time.Duration
}

// A Crawler sends the requests that the entries of an audit need, host by host, and stores every
// answer. It is not safe for concurrent use.
type Crawler struct {
	Progress Progress

	o      Options
	store  Store
	client *fetch.Client
	robots robotsFiles
	outage outage
	slots  chan struct{}      // one for each request that may be under way, over all hosts
	rows   *audit.SettledRows // what was said of each entry that needs nothing more

	mu     sync.Mutex
	hosts  map[string]*host // guarded by mu
	ledger ledger           // guarded by mu
	err    error            // what ended the crawl: the store cannot be written; guarded by mu
	// The first pass finds the entries of the later ones, so that none judges an entry that cannot need
	// anything from it. Guarded by mu.
	spelled sketch.Set // there is a second spelling: the sampler counts all of these, requested or not
	gone    sketch.Set // not found

	// Of the current pass.
	want     audit.Want
	frontier Frontier
	line     line
	all      sync.WaitGroup  // workers, tasks that are tried again, requests on their way
	further  atomic.Int64    // workers other than the first of each host
	soft     context.Context // when it ends, no more requests are sent
	hard     context.Context // when it ends, requests under way are given up
	stop     func()          // ends soft
}

// New returns a Crawler that uses store.
func New(store Store, o Options) *Crawler {
	if o.Backoff == nil {
		o.Backoff = []time.Duration{time.Second, 4 * time.Second}
	}
	o.Grace = cmp.Or(o.Grace, 1500*time.Millisecond)
	o.Paces = cmp.Or(o.Paces, new(Paces))
	o.Ask.Guard = cmp.Or(o.Ask.Guard, fetch.NewGuard(nil, nil, false))
	if o.Key == nil {
		o.Key = address.Address.Host
	}
	c := &Crawler{o: o, store: store, hosts: map[string]*host{}, slots: make(chan struct{}, fetch.AtOnce())}
	o.Ask.OnPrivate = func() { c.note(Note{Kind: notePrivate}) }
	c.client = fetch.New(o.Ask)
	c.outage.warn, c.outage.gone = o.Warn, make(chan struct{})
	c.robots = robotsFiles{get: store.Get, fetch: c.fetchRobots, files: map[string]*robots.Answer{}}
	c.restore()
	return c
}

// Know sets in which spelling Googlebot was seen to request addresses. It must be called before any
// request other than for files.
func (c *Crawler) Know(e *audit.Evidence) { c.o.Rules.Evidence = e }

// Close closes the connections, and lets go of the paces of the hosts.
func (c *Crawler) Close() {
	c.client.Close()
	for _, h := range c.hosts {
		h.users.Add(-1)
	}
}

// Settled returns what was said of the entries, once Run is over.
func (c *Crawler) Settled() *audit.SettledRows { return c.rows }

// Run sends requests until no entry needs any: in one pass for all redirect chains and replacements;
// in as many as the sampler takes for the second spellings; and in a last one for what was not found,
// late enough for an outage of the site to be over. Run returns ctx's error when it was stopped; the
// answers until then are stored, and another Run with the same store continues from there.
func (c *Crawler) Run(ctx context.Context) error {
	if err := c.beginAll(); err != nil {
		return err
	}
	err := c.entries(ctx, nil, audit.Want{})
	for sampler := new(audit.Sampler); err == nil && sampler.Round(); {
		err = c.entries(ctx, &c.spelled, audit.Want{AltSpelling: true, Sampler: sampler})
	}
	if err != nil {
		return err
	}
	return c.entries(ctx, &c.gone, audit.Want{Recheck: true})
}

// beginAll begins with all entries, of which nothing is settled.
func (c *Crawler) beginAll() error {
	lists, err := c.store.Sitemaps()
	if err != nil {
		return err
	}
	n, others := c.store.EntryCount(), 0
	for i := range lists {
		if !lists[i].Listed() {
			others += lists[i].Entries
		}
	}
	p := &c.Progress
	p.Entries.Store(int64(n - others))
	p.Others.Store(int64(others))
	p.Done.Store(0)
	p.Problems.Store(0)
	c.spelled, c.gone, c.rows = sketch.NewSet(n), sketch.NewSet(n), c.store.NewSettled(n)
	return nil
}

// entries makes a pass over all entries, or over those of a set. What the Sampler has chosen, it requests
// to the end.
func (c *Crawler) entries(ctx context.Context, in *sketch.Set, want audit.Want) error {
	return c.pass(ctx, audit.Want{AltSpelling: want.AltSpelling, Recheck: want.Recheck}, func() error {
		j := c.judge(planHops)
		for e, err := range audit.EntriesIn(c.soft, c.store, 0, c.store.EntryCount(), in) {
			if err != nil {
				return err
			}
			if at, ok := e.Begins(); ok && in == nil {
				c.due(c.o.Key(at), e.N)
				continue
			}
			if err := j.entry(e, want); err != nil {
				return err
			}
			if want.Sampler != nil {
				want.Sampler.See(&j.row, &c.o.Rules)
			}
			if len(j.row.Needs) > 0 {
				c.due(c.keyOf(j.row.Needs[0].URL), e.N)
			}
		}
		return nil
	})
}

// due makes an entry due at a host, before a pass begins to send requests.
func (c *Crawler) due(host string, n int) {
	h := c.host(host)
	h.due = add(h.due, n)
	c.Progress.Due.Add(1)
}

// planHops is how many answers are at hand before a pass begins to send requests.
const planHops = 256

// A judge judges entries by what is known.
type judge struct {
	c   *Crawler
	mem *audit.AnswerCache // the answers to the last entries are at hand
	row audit.Row
}

func (c *Crawler) judge(hops int) judge {
	return judge{c: c, mem: audit.NewAnswerCache(c.store, hops, false)}
}

// entry judges an entry, and settles one that needs no request.
func (j *judge) entry(e audit.Entry, want audit.Want) error {
	j.row.Judge(j.mem, e, &j.c.o.Rules, want)
	err := j.mem.Err()
	if err == nil && len(j.row.Needs) == 0 { // otherwise what was not read would be requested again
		j.c.settled(&j.row)
	}
	return err
}

// Ask sends requests that belong to no entry, with at most that many attempts for each; 0 for as many as
// Options.Backoff allows. Its error is that of ctx or of the store.
func (c *Crawler) Ask(ctx context.Context, rs []answers.Request, tries int) error {
	return c.pass(ctx, audit.Want{}, func() error {
		for _, r := range rs {
			h := c.host(c.keyOf(r.URL))
			h.tasks = append(h.tasks, Task{Request: r, Lone: true, Most: tries})
			c.Progress.Due.Add(1)
		}
		return nil
	})
}

// settled records what later passes have to do for an entry that needs nothing more in this one.
func (c *Crawler) settled(row *audit.Row) {
	c.rows.Put(row, &c.o.Rules)
	n, p := row.Entry.N, &c.Progress
	if c.want != (audit.Want{}) {
		return
	}
	c.mu.Lock()
	if !row.Entry.Also.File() && c.o.Rules.Second(row.Address) != row.Address {
		c.spelled.Add(n)
	}
	if row.Verdict == audit.NotFound {
		c.gone.Add(n)
	}
	c.mu.Unlock()
	if !row.Entry.Listed() {
		return
	}
	p.Done.Add(1)
	if row.Verdict.Facts().Problem {
		p.Problems.Add(1)
	}
}

// keyOf returns the name under which an address is paced.
func (c *Crawler) keyOf(url string) string { return c.o.Key(address.Wire(url)) }

// pass sends the requests that fill makes due, and those that follow, until nothing is due. When ctx
// ends no further request is sent; answers that are on their way may still arrive for a while, so that
// these requests need not be sent again.
func (c *Crawler) pass(ctx context.Context, want audit.Want, fill func() error) error {
	if c.err != nil { // no other goroutine works now
		return c.err
	}
	defer c.until(ctx)()
	if c.o.Ask.Site == nil { // else nobody waits for a network
		useCores(1)
		defer useCores(-1)
	}
	c.want = want
	c.Progress.Due.Store(0)
	c.line = line{most: hostsBusy * cap(c.slots)}
	for _, h := range c.hosts { // what a pass before had claimed when it was stopped
		h.tasks, h.fresh, h.ahead, h.due, h.away, h.asking = nil, nil, nil, nil, map[answers.Request]int{}, map[answers.Request][]int{}
	}
	collected := c.collect()
	c.all.Add(1)
	if err := fill(); err != nil {
		c.fail(err)
	}
	c.mu.Lock()
	hosts := slices.Collect(maps.Values(c.hosts))
	c.mu.Unlock()
	for _, h := range hosts {
		h.mu.Lock()
		c.wake(h)
		h.mu.Unlock()
	}
	c.all.Done()
	c.all.Wait()
	collected()
	return cmp.Or(c.err, ctx.Err())
}

// cores is how many cores this process may use, and crawling its passes that are under way.
var (
	cores    = runtime.GOMAXPROCS(0)
	crawling int
	using    sync.Mutex // guards crawling, and how many cores are used
)

// useCores notes that so many passes begin. While there is one, the process uses a quarter of its
// cores: another core would take longer to wake up than what there is to do for an answer.
func useCores(passes int) {
	using.Lock()
	defer using.Unlock()
	use := cores
	if crawling += passes; crawling > 0 {
		use = max(1, cores/4)
	}
	runtime.GOMAXPROCS(use)
}

// until sets when requests end: none is sent once ctx has ended, and those under way are given up
// some time later. The returned function releases both contexts.
func (c *Crawler) until(ctx context.Context) (done func()) {
	soft, stop := context.WithCancel(ctx)
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(soft, func() {
		_ = pause(hard, c.o.Grace)
		cancel()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.soft, c.hard, c.stop = soft, hard, stop
	return func() { release(); stop(); cancel() }
}

// fail ends the crawl with an error of the store; it ignores the error of an audit that was
// stopped.
func (c *Crawler) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.soft.Err() == nil || !errors.Is(err, c.soft.Err()) {
		c.err = cmp.Or(c.err, err)
	}
	c.stop()
}

// failAt is fail, unless err is nil or says that another holder has h by now: then its tasks are
// dropped.
func (c *Crawler) failAt(h *host, err error) {
	switch {
	case errors.Is(err, ErrFenced):
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tasks = nil
	case err != nil:
		c.fail(err)
	}
}
