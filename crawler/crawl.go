package crawler

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
)

// Store is where a Crawler stores answers and reads entries. Its methods must be safe for
// concurrent use.
type Store interface {
	audit.Answers
	// Keep stores an answer. It returns an error where that, or an earlier write, failed.
	Keep(audit.Hop) error
	// Entries yields the entries with from <= N < to in order, until ctx ends; EntryCount is how
	// many there are.
	Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error]
	EntryCount() int
	// Sitemaps returns the files, and the lists made by this program, that the entries come from.
	Sitemaps() ([]audit.Sitemap, error)
	// Put and Get store small named records, such as robots.txt files.
	Put(key string, value []byte) error
	Get(key string) (value []byte, ok bool, err error)
}

// Options configures a Crawler.
type Options struct {
	Rules audit.Rules
	Ask   fetch.Options
	Rate  float64 // requests a second for each host; 0 for no ceiling
	// GivenRate is set where the user named Rate, which is then used from the start.
	GivenRate bool
	Parallel  int // requests under way for each host; 0 for no ceiling
	// Politeness is shared with other Crawlers of this process; nil for none.
	Politeness *Politeness
	// Key returns the name under which an address is paced: all addresses with the same name count
	// as one host. nil stands for the host name, whatever the scheme and the port.
	Key func(address.Address) string
	// Via sends the requests for entries, and lone ones, from other processes; nil sends them from
	// this one. Files are always requested by this process.
	Via Via
	// Noted is called with what the Crawler records about the audit besides its answers, for
	// another Crawler (Note); may be nil. It must not call the Crawler.
	Noted func(Note)
	// Backoff is how long to wait before each further attempt where that may help. nil means 1 s
	// and 4 s (contract, section 5).
	Backoff []time.Duration
	// Warn is called with words when requests begin to fail on this machine, and when they succeed
	// again; nil for silence.
	Warn func(format string, args ...any)
	// Grace is how long answers that are on their way may take after the audit was stopped. 0 means
	// 1.5 s.
	Grace time.Duration
}

// Progress counts what a Crawler has done. Its fields may be read at any time.
type Progress struct {
	Entries  atomic.Int64 // entries of the audit that sitemaps list
	Done     atomic.Int64 // of these, those whose redirect chain is known to its end
	Crawled  atomic.Int64 // of Done, those that were requested (audit.Row.Unrequested)
	Filtered atomic.Int64 // of Done, those that are left out (audit.Row.Filtered)
	Others   atomic.Int64 // others (exports, alternates) whose redirect chain is unknown
	Requests atomic.Int64 // requests that were sent, retries, robots.txt and sitemaps included
	Problems atomic.Int64 // entries found so far that are in the group `problem`
	// Needed is how many entries are known to need requests still, at least one each: those whose
	// redirect chain is not known, and those that were not found and are requested once more at the
	// end. Second spellings are added when it is known which are requested.
	Needed atomic.Int64
	// Settled counts the entries that were requested and need no more requests for now; an entry
	// that is taken up again later counts again.
	Settled atomic.Int64
	// Waited is the longest time, in nanoseconds, for which requests for entries waited for their
	// turn at one host; Answering is the sum of the times for which all requests waited for their
	// answers. Slowed is set where a host asked for a slower pace than it was given.
	Waited, Answering atomic.Int64
	Slowed            atomic.Bool
	discover.Progress
	resting atomic.Pointer[Rest]
	slow    atomic.Pointer[Slowing]
}

// A Slowing is the pace of a host that answered 429 or 503, where it is less than one request a
// second.
type Slowing struct {
	Host   string // with its port, where it is not the default one
	Status int
	Every  time.Duration // between two requests
}

// Slowest returns the last Slowing; ok is false where there was none, or that host answers well
// again.
func (p *Progress) Slowest() (s Slowing, ok bool) {
	if at := p.slow.Load(); at != nil {
		return *at, true
	}
	return s, false
}

// paced records the pace of the host at, in requests a second (0 for no limit), after an answer
// with a status.
func (p *Progress) paced(at string, status int, rate float64) {
	was := p.slow.Load()
	switch {
	case (status == 429 || status == 503) && rate > 0 && rate < 1:
		p.slow.Store(&Slowing{at, status, time.Duration(float64(time.Second) / rate)})
	case was != nil && was.Host == at && (rate == 0 || rate >= 1):
		p.slow.CompareAndSwap(was, nil)
	}
}

// A Rest is the time for which a host has asked for no requests, with Retry-After.
type Rest struct {
	Host   string // with its port, where it is not the default
	Status int    // of the answer that asked for it
	Until  time.Time
}

// Resting returns the rest that ends last; ok is false where none lasts at now.
func (p *Progress) Resting(now time.Time) (r Rest, ok bool) {
	if at := p.resting.Load(); at != nil && at.Until.After(now) {
		return *at, true
	}
	return r, false
}

// Rest records a rest.
func (p *Progress) Rest(r Rest) {
	for {
		last := p.resting.Load()
		if last != nil && !last.Until.Before(r.Until) || p.resting.CompareAndSwap(last, &r) {
			return
		}
	}
}

// A Crawler sends the requests that the entries of an audit need, host by host, and stores every
// answer. It is not safe for concurrent use.
type Crawler struct {
	Progress Progress

	o      Options
	store  Store
	client *fetch.Client
	robots *robotsCache
	state  auditState
	open   open // guarded by mu
	looks  int  // confirmations that are due; guarded by mu, read between phases
	outage outage
	rows   *audit.SettledRows // what was said of each entry that needs nothing more
	others []run              // entries of lists made by this program

	mu       sync.Mutex
	hosts    map[string]*host // guarded by mu
	err      error            // what ended the crawl: the store cannot be written; guarded by mu
	phase    phase
	frontier Frontier
	leases   sync.WaitGroup  // hosts that are leased
	waiting  atomic.Int64    // entries that wait for an answer
	further  atomic.Int64    // workers other than the first of each host
	cut      atomic.Bool     // an entry was put off to the next round
	soft     context.Context // when it ends, no more requests are sent
	hard     context.Context // when it ends, requests under way are given up
	abandon  func()          // ends soft
}

// New returns a Crawler that uses store.
func New(store Store, o Options) *Crawler {
	if o.Backoff == nil {
		o.Backoff = []time.Duration{time.Second, 4 * time.Second}
	}
	if o.Grace == 0 {
		o.Grace = 1500 * time.Millisecond
	}
	if o.Key == nil {
		o.Key = address.Address.Host
	}
	if o.Politeness == nil {
		o.Politeness = NewPoliteness()
	}
	if o.Ask.Guard == nil {
		o.Ask.Guard = fetch.NewGuard(nil, nil, false)
	}
	o.Ask.AtOnce = fetch.AtOnce(o.Ask.AtOnce)
	c := &Crawler{o: o, store: store}
	o.Ask.OnTarget = c.reached
	c.client = fetch.New(o.Ask)
	c.hosts, c.outage.warn, c.outage.gone = map[string]*host{}, o.Warn, make(chan struct{})
	c.robots = newRobotsCache(c)
	c.restore()
	return c
}

// Rules returns the rules of the audit. Discover adds to them the hosts that receive secrets.
func (c *Crawler) Rules() audit.Rules { return c.o.Rules }

// Close closes the connections.
func (c *Crawler) Close() { c.client.Close() }

// Run sends requests until no entry needs any: first those for all redirect chains and
// replacements; then those for the second spellings that are sampled; then those that confirm what
// was not found, after pages of the same hosts that were fine. Each phase consists of a few rounds; a
// round makes a plan, which reads the entries that the phase has not settled in order, and sends the
// requests. Run returns ctx's error when it was stopped; the answers until then are stored, and
// another Run with the same store continues from there.
func (c *Crawler) Run(ctx context.Context) error {
	n := c.store.EntryCount()
	if err := c.findOthers(); err != nil {
		return err
	}
	others := 0
	for _, r := range c.others {
		others += r.to - r.from
	}
	c.Progress.Entries.Store(int64(n - others))
	c.Progress.Others.Store(int64(others))
	c.Progress.Done.Store(0)
	c.Progress.Crawled.Store(0)
	c.Progress.Filtered.Store(0)
	c.Progress.Problems.Store(0)
	c.Progress.Needed.Store(int64(n))
	c.looks = 0
	c.open = open{trail: allNumbers(n), spelled: noNumbers(n), gone: noNumbers(n)}
	c.rows = audit.NewSettledRows(n)
	if err := c.rounds(ctx, phase{first: true, open: c.open.trail}); err != nil {
		return err
	}
	sampler := audit.NewSampler(&c.o.Rules)
	second := phase{plan: audit.Want{AltSpelling: true, Sampler: sampler}, ask: audit.Want{AltSpelling: true}, open: c.open.spelled}
	if err := c.rounds(ctx, second); err != nil {
		return err
	}
	if err := c.askControls(ctx); err != nil {
		return err
	}
	look := audit.Want{Recheck: true}
	return c.rounds(ctx, phase{plan: look, ask: look, open: c.open.gone})
}

// findOthers records which numbers are those of entries in lists made by this program, not in
// sitemaps.
func (c *Crawler) findOthers() error {
	lists, err := c.store.Sitemaps()
	if err != nil {
		return err
	}
	c.others = nil
	for i := range lists {
		if s := &lists[i]; !s.Listed() && s.Entries > 0 {
			c.others = append(c.others, run{s.First, s.First + s.Entries})
		}
	}
	return nil
}

// isOther reports whether an entry, by its number, is in a list made by this program.
func (c *Crawler) isOther(n int) bool {
	return slices.ContainsFunc(c.others, func(r run) bool { return r.from <= n && n < r.to })
}

// Recount adds to Progress what follows from answers that came for other entries, or after which
// another attempt is due. It is for a Run that was stopped, and sends no requests. It returns ctx's
// error, or that of the store: then Progress may be too low.
func (c *Crawler) Recount(ctx context.Context) error {
	if c.Progress.Done.Load() == c.Progress.Entries.Load() {
		return ctx.Err()
	}
	_, err := c.plan(ctx, phase{first: true, known: c.store, open: c.open.trail})
	return err
}

// Settled returns what was said of the entries, once Run is over.
func (c *Crawler) Settled() *audit.SettledRows { return c.rows }

// askControls requests pages that were fine once more, of each host of which entries may be dropped:
// before these are looked at again, for the same outage would meet both.
func (c *Crawler) askControls(ctx context.Context) error {
	var needs []audit.Request
	known := audit.WithoutPending(c.store)
	for _, n := range c.rows.Controls() {
		for e, err := range c.store.Entries(ctx, n, n+1) {
			if err != nil {
				return err
			}
			r, _ := e.Control(&c.o.Rules)
			if _, ok := known.Hop(r); !ok {
				needs = append(needs, r)
			}
		}
	}
	if err := c.store.Err(); err != nil || len(needs) == 0 {
		return err
	}
	return c.AskAll(ctx, needs)
}

// open is the entries that each phase of Run has not settled. The later phases get theirs from the
// rows that the first one completes, so that no phase judges an entry that cannot need anything
// from it. An audit that is continued finds them again: its first plan judges all entries.
type open struct {
	trail   numbers // the redirect chain is not known to its end
	spelled numbers // there is a second spelling: the sampler counts all of these, requested or not
	gone    numbers // not found
}

// phase is one phase of Run: what its plan wants, what an entry needs once it is planned, and which
// entries it is about.
type phase struct {
	plan, ask audit.Want
	first     bool // the phase of the listed addresses, which are the progress
	// known is the answers that the plan uses; nil for those in the store without pending ones.
	known audit.Answers
	open  numbers
}

// rounds plans and sends requests until the plan is empty. After a round that settled every entry
// there is no other plan, except for a sampler.
func (c *Crawler) rounds(ctx context.Context, p phase) error {
	for {
		runs, err := c.plan(ctx, p)
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			if p.plan.Sampler != nil && !p.plan.Sampler.Settled() {
				continue
			}
			return nil
		}
		f := c.newDueHosts(p.ask)
		for name, r := range runs {
			f.plan(name, r)
		}
		err = c.work(ctx, p, f)
		if err != nil || !f.cut && !c.cut.Load() && p.plan.Sampler == nil {
			return err
		}
	}
}

// AskAll sends requests that belong to no entry. Its error is that of ctx or of the store.
func (c *Crawler) AskAll(ctx context.Context, rs []audit.Request) error { return c.askAll(ctx, rs, 0) }

// Ask sends a request that belongs to no entry, with at most that many attempts. Its error is that
// of ctx or of the store.
func (c *Crawler) Ask(ctx context.Context, r audit.Request, tries int) error {
	return c.askAll(ctx, []audit.Request{r}, tries)
}

func (c *Crawler) askAll(ctx context.Context, rs []audit.Request, tries int) error {
	c.Progress.Needed.Store(int64(len(rs)))
	f := c.newDueHosts(audit.Want{})
	for _, r := range rs {
		f.add(c.keyOf(r.URL), Task{Request: r, Lone: true, Most: tries})
	}
	return c.work(ctx, phase{}, f)
}

// newDueHosts returns a Frontier of this process.
func (c *Crawler) newDueHosts(want audit.Want) *dueHosts {
	most := hostsBusy * c.o.Ask.AtOnce
	if c.o.Via != nil {
		most = hostsAway
	}
	return newDueHosts(c.store, want, most, c.keyOf, func(name string) { c.wake(c.hostNamed(name)) })
}

// run is the entries with from <= N < to.
type run struct{ from, to int }

// plan reads the open entries and lists, for each host, those whose next request goes there. So a
// slow host holds back no other, and the plan of a site on one host is a single run.
func (c *Crawler) plan(ctx context.Context, p phase) (map[string][]run, error) {
	if p.plan.Sampler != nil {
		p.plan.Sampler.Restart()
	}
	known := p.known
	if known == nil {
		known = audit.WithoutPending(c.store)
	}
	runs, mem, row := map[string][]run{}, audit.NewAnswerCache(known, planHops), new(audit.Row)
	planned := 0
	for stretch := range p.open.stretches() {
		for e, err := range c.store.Entries(ctx, stretch.from, stretch.to) {
			if err != nil {
				return nil, err
			}
			if !p.open.has(e.N) {
				continue
			}
			want := p.plan
			if p.plan.Sampler != nil && e.Reported.Suspect() {
				want = p.ask // few addresses, and the report may be about just this
			}
			row.Judge(mem, e, &c.o.Rules, want)
			if err := mem.Err(); err != nil { // otherwise what was not read would be requested again
				return nil, err
			}
			if p.plan.Sampler != nil && !e.Reported.Is && !e.Also.File() {
				p.plan.Sampler.See(row)
			}
			if len(row.Needs) == 0 {
				c.settled(p, row)
				continue
			}
			planned++
			name := c.keyOf(row.Needs[0].URL)
			rs := runs[name]
			if n := len(rs); n > 0 && rs[n-1].to == e.N {
				rs[n-1].to++
				continue
			}
			runs[name] = append(rs, run{e.N, e.N + 1})
		}
	}
	switch {
	case p.plan.Sampler != nil:
		c.Progress.Needed.Store(int64(planned + c.looks))
	case !p.first:
		c.Progress.Needed.Store(int64(planned))
	}
	return runs, nil
}

// settled records what later phases have to do for an entry that needs nothing more in its phase.
func (c *Crawler) settled(p phase, row *audit.Row) {
	c.rows.Put(row, &c.o.Rules)
	if !p.first {
		return
	}
	spelled, looks := c.hasAltSpelling(row), c.looksAgain(row)
	c.mu.Lock()
	defer c.mu.Unlock()
	n := row.Entry.N
	if !c.open.trail.has(n) {
		return
	}
	c.open.trail.remove(n)
	if spelled {
		c.open.spelled.add(n)
	}
	if row.Verdict == audit.NotFound {
		c.open.gone.add(n)
	}
	if looks {
		c.looks++
	} else {
		c.Progress.Needed.Add(-1)
	}
	if c.isOther(n) {
		c.Progress.Others.Add(-1)
		return
	}
	c.Progress.Done.Add(1)
	switch {
	case row.Filtered():
		c.Progress.Filtered.Add(1)
	case !row.Unrequested():
		c.Progress.Crawled.Add(1)
	}
	if row.Verdict.Problem() {
		c.Progress.Problems.Add(1)
	}
}

// looksAgain reports whether the confirmation of a row that was not found is due.
func (c *Crawler) looksAgain(row *audit.Row) bool {
	if row.Verdict != audit.NotFound {
		return false
	}
	hop, seen := c.store.Hop(row.Entry.Request(row.Address, audit.AsBrowser, &c.o.Rules))
	return !seen || hop.Pending
}

// last returns the stored answer to a request if another attempt is due after it; otherwise nil.
func (c *Crawler) last(r audit.Request) *audit.Hop {
	if hop, ok := c.store.Hop(r); ok && hop.Pending {
		return lasting(hop)
	}
	return nil
}

// lasting returns a copy of an answer on the heap, to which only few go.
func lasting(hop audit.Hop) *audit.Hop { return &hop }

// hasAltSpelling reports whether a second spelling of the entry, or of its replacement, may have to
// be requested.
func (c *Crawler) hasAltSpelling(row *audit.Row) bool {
	s := &c.o.Rules
	if row.Entry.Also.File() {
		return false
	}
	if s.Second(row.Address) != row.Address {
		return true
	}
	if row.Fix.Action != audit.Replace {
		return false
	}
	to := address.Wire(row.Fix.Loc)
	return s.Second(to) != to
}

// keyOf returns the name under which an address is paced.
func (c *Crawler) keyOf(url string) string { return c.o.Key(address.Wire(url)) }

// Know sets in which spelling Googlebot was seen to request addresses. It must be called before any
// request other than for files.
func (c *Crawler) Know(e *audit.Evidence) { c.o.Rules.Evidence = e }
