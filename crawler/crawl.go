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

// Store is what a Crawler remembers answers in, and reads entries from. Its
// methods are called from several goroutines at once.
type Store interface {
	audit.Answers
	// Keep remembers an answer. It returns an error where that, or an earlier
	// write, went wrong.
	Keep(audit.Hop) error
	// Entries yields the entries from <= N < to in order, until ctx ends; EntryCount
	// is how many there are.
	Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error]
	EntryCount() int
	// Sitemaps returns the files and the lists of ours that the entries come from.
	Sitemaps() ([]audit.Sitemap, error)
	// Put and Get keep small named records, as robots.txt files.
	Put(key string, value []byte) error
	Get(key string) (value []byte, ok bool, err error)
}

// Options says how a Crawler asks.
type Options struct {
	Rules audit.Rules
	Ask   fetch.Options
	Rate  float64 // requests a second for each host; 0 = no ceiling
	// GivenRate is set where the user named Rate: it is used from the start.
	GivenRate bool
	Parallel  int // requests at once for each host; 0 = no ceiling
	// Politeness is what it shares with other Crawlers of this process; nil for nothing.
	Politeness *Politeness
	// Key names what is asked at one pace, as one host: all addresses with the same name. nil
	// is the host, whatever the scheme and the port.
	Key func(address.Address) string
	// Via has the requests of entries, and lone ones, sent by other processes; nil for this
	// one. Files are requested by this process in any case.
	Via Via
	// Noted is told what the Crawler notes of the audit besides its answers, for another one
	// to take in (Note); nil for nobody. It must not call the Crawler.
	Noted func(Note)
	// Backoff is how long to wait before each further try of what can heal.
	// nil means 1 s and 4 s (contract, section 5).
	Backoff []time.Duration
	// Warn reports in plain words when something fails on this machine, and when it
	// goes on; nil for silence.
	Warn func(format string, args ...any)
	// Grace is how long answers that are on their way may take to arrive after
	// the audit was stopped. 0 means 1.5 s.
	Grace time.Duration
}

// Progress counts what a Crawler has done. Its fields are read while it works.
type Progress struct {
	Entries  atomic.Int64 // entries of the audit, of which sitemaps list each
	Done     atomic.Int64 // of these, whose trail is known to its end
	Crawled  atomic.Int64 // of Done, those that were requested (audit.Row.Unrequested)
	Filtered atomic.Int64 // of Done, those that are left out (audit.Row.Filtered)
	Others   atomic.Int64 // other addresses (of exports, alternates) whose trail is not known yet
	Requests atomic.Int64 // requests sent, tries, robots.txt and sitemaps included
	Problems atomic.Int64 // entries found so far that are in the group `problem`
	// Needed is how many entries are known to need requests still, one at least
	// each: those whose trail is not known, and those that were not found and are
	// looked at once more at the end. Second spellings join when it is known which
	// are asked.
	Needed atomic.Int64
	// Settled counts the entries that requests were made for and that, for the
	// time being, need no more; one that is taken up again later counts again.
	Settled atomic.Int64
	// Waited is the longest time, in nanoseconds, for which requests for entries waited for their
	// turn at the pace of one host; Answering adds up how long all waited for their answers. Slowed
	// says that a host wanted a slower pace than it was asked at.
	Waited, Answering atomic.Int64
	Slowed            atomic.Bool
	discover.Progress
	resting atomic.Pointer[Rest]
	slow    atomic.Pointer[Slowing]
}

// A Slowing is the pace of a host that answered 429 or 503: fewer requests than one a second.
type Slowing struct {
	Host   string // with its port, where it is not the default one
	Status int
	Every  time.Duration // between two requests
}

// Slowest returns the last Slowing; ok is false where none was, or that host answers well again.
func (p *Progress) Slowest() (s Slowing, ok bool) {
	if at := p.slow.Load(); at != nil {
		return *at, true
	}
	return s, false
}

// paced takes note of the pace of the host at, in requests a second (0 for as fast as asked), after
// an answer with a status.
func (p *Progress) paced(at string, status int, rate float64) {
	was := p.slow.Load()
	switch {
	case (status == 429 || status == 503) && rate > 0 && rate < 1:
		p.slow.Store(&Slowing{at, status, time.Duration(float64(time.Second) / rate)})
	case was != nil && was.Host == at && (rate == 0 || rate >= 1):
		p.slow.CompareAndSwap(was, nil)
	}
}

// A Rest is the time for which a host has asked to be left in peace, with Retry-After.
type Rest struct {
	Host   string // with its port, where it is not the default one
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

// Rest takes note of a rest.
func (p *Progress) Rest(r Rest) {
	for {
		last := p.resting.Load()
		if last != nil && !last.Until.Before(r.Until) || p.resting.CompareAndSwap(last, &r) {
			return
		}
	}
}

// A Crawler asks for what the entries of an audit need, host by host, and
// remembers every answer. Use it from one goroutine, one call at a time.
type Crawler struct {
	Progress Progress

	o       Options
	store   Store
	client  *fetch.Client
	robots  *robotsCache
	state   auditState
	open    open          // guarded by mu
	looks   int           // second looks that are due; guarded by mu, read between phases
	earlier audit.Answers // of the audit before, to ask for changes alone; may be nil
	outage  outage
	edited  audit.EditedSections // guarded by mu
	others  []run                // numbers that are of lists of ours: exports, alternates

	mu       sync.Mutex
	hosts    map[string]*host // guarded by mu
	err      error            // what ended the asking: the store cannot be written; guarded by mu
	phase    phase
	frontier Frontier
	leases   sync.WaitGroup  // hosts that are leased
	waiting  atomic.Int64    // entries that wait for an answer
	further  atomic.Int64    // workers beside the first of each host
	cut      atomic.Bool     // an entry was put off to the next round
	soft     context.Context // ends: send nothing more
	hard     context.Context // ends: give up what is under way
	abandon  func()          // ends soft
}

// New returns a Crawler over store.
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

// Rules returns the rules by which it asks. Discover adds the hosts that are sent
// secrets.
func (c *Crawler) Rules() audit.Rules { return c.o.Rules }

// Close lets go of the connections.
func (c *Crawler) Close() { c.client.Close() }

// Run asks until no entry needs anything: first all trails and replacements, and what the
// hosts say to addresses that cannot exist beside those that would be edited,
// then the second spellings that are sampled, then the second look at what was
// not found. Each phase is a few rounds of a plan, which reads the entries that
// are open in it in order, and the asking. It returns ctx's error when it was
// stopped; what was answered by then is remembered, and Run on the same store
// goes on from there.
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
	c.edited = audit.EditedSections{}
	if err := c.rounds(ctx, phase{first: true, open: c.open.trail}); err != nil {
		return err
	}
	if err := c.askSections(ctx); err != nil {
		return err
	}
	sampler := audit.NewSampler(&c.o.Rules)
	second := phase{plan: audit.Want{AltSpelling: true, Sampler: sampler}, ask: audit.Want{AltSpelling: true}, open: c.open.spelled}
	if err := c.rounds(ctx, second); err != nil {
		return err
	}
	look := audit.Want{Recheck: true}
	return c.rounds(ctx, phase{plan: look, ask: look, open: c.open.gone})
}

// findOthers notes which numbers are of lists of ours, not of entries of sitemaps.
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

// isOther reports whether an entry, by its number, is of a list of ours.
func (c *Crawler) isOther(n int) bool {
	return slices.ContainsFunc(c.others, func(r run) bool { return r.from <= n && n < r.to })
}

// Recount counts in Progress also what the answers tell that came for other entries, or after which
// another try is due: after Run was stopped, as far as ctx lasts, without a request. It returns
// ctx's error, or that of the store: then there may be more than Progress says.
func (c *Crawler) Recount(ctx context.Context) error {
	if c.Progress.Done.Load() == c.Progress.Entries.Load() {
		return ctx.Err()
	}
	_, err := c.plan(ctx, phase{first: true, known: c.store, open: c.open.trail})
	return err
}

// askSections asks for addresses that cannot exist where edits are to be made. What is
// found there can only keep an entry as it is: none needs more for it.
func (c *Crawler) askSections(ctx context.Context) error {
	missing := c.edited.Add(&c.o.Rules)
	for {
		needs := missing.Needs(audit.WithoutPending(c.store))
		if err := c.store.Err(); err != nil || len(needs) == 0 {
			return err
		}
		if err := c.AskAll(ctx, needs); err != nil {
			return err
		}
	}
}

// open is the entries of which each phase of Run has still something to find out.
// The later phases learn theirs from the rows that the first one takes to their
// end, so that no phase judges an entry that cannot need anything of it. An audit
// that is continued learns them anew: its first plan judges all entries.
type open struct {
	trail   numbers // the trail is not known to its end
	spelled numbers // there is a second spelling: for the sampler all of them count, asked or not
	gone    numbers // not found
}

// phase is one phase of Run: what its plan wants, what is wanted of an entry once
// it is planned, and which entries it is about.
type phase struct {
	plan, ask audit.Want
	first     bool // the trails of the listed addresses: they are the progress
	// known is what the plan goes by; nil for what is remembered but for pending answers.
	known audit.Answers
	open  numbers
}

// rounds plans and asks until the plan is empty. A round that took every entry
// to its end needs no other plan, but that of a sampler.
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

// AskAll asks for requests that belong to no entry. Its error is ctx's, or that of the store.
func (c *Crawler) AskAll(ctx context.Context, rs []audit.Request) error { return c.askAll(ctx, rs, 0) }

// Ask asks for a request that belongs to no entry, in so many tries at most. Its error is
// ctx's, or that of the store.
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

// run is entries from <= N < to.
type run struct{ from, to int }

// plan walks the open entries and lists, for each host, those whose next request
// goes there. So one slow host holds back no other, and the plan of a site on
// one host is a single run.
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
				want = p.ask // of few addresses, and what is reported may be just this
			}
			row.Judge(mem, e, &c.o.Rules, want)
			if err := mem.Err(); err != nil { // else all that is not read would be asked again
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

// settled notes what is still open of an entry that needs nothing more in its
// phase.
func (c *Crawler) settled(p phase, row *audit.Row) {
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
	c.edited.See(row, &c.o.Rules)
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

// looksAgain reports whether the second look at a row that was not found is due.
func (c *Crawler) looksAgain(row *audit.Row) bool {
	if row.Verdict != audit.NotFound {
		return false
	}
	hop, seen := c.store.Hop(row.Entry.Request(row.Address, audit.AsBrowser, &c.o.Rules))
	return !seen || hop.Pending
}

// last returns what is remembered of a request after which another try is due; nil where nothing
// is.
func (c *Crawler) last(r audit.Request) *audit.Hop {
	if hop, ok := c.store.Hop(r); ok && hop.Pending {
		last := hop // alone on the heap: most requests have none
		return &last
	}
	return nil
}

// hasAltSpelling reports whether a second spelling of the entry, or of what would be
// written in its place, may come to be asked.
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

// Know tells c in which spelling Googlebot was seen to ask for addresses. It is called before
// anything but files is asked.
func (c *Crawler) Know(e *audit.Evidence) { c.o.Rules.Evidence = e }
