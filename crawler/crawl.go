package crawler

import (
	"cmp"
	"context"
	"iter"
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
	answers.Memory
	// Keep stores an answer. It returns an error where that, or an earlier write, failed.
	Keep(answers.Hop) error
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
	// AtOnce is how many requests may be under way over all hosts; 0 means the result of
	// fetch.AtOnce(0).
	AtOnce int
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
	// Rows makes room for what is said of the entries with N below n; nil for memory.
	Rows func(n int) *audit.SettledRows
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
	slots  chan struct{}      // one for each request under way
	rows   *audit.SettledRows // what was said of each entry that needs nothing more

	mu     sync.Mutex
	hosts  map[string]*host // guarded by mu
	ledger ledger           // guarded by mu
	err    error            // what ended the crawl: the store cannot be written; guarded by mu
	open   open             // guarded by mu

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

// open is the entries that each pass of Run is about. The later passes get theirs from the rows that
// the first one settles, so that none judges an entry that cannot need anything from it.
type open struct {
	spelled sketch.Set // there is a second spelling: the sampler counts all of these, requested or not
	gone    sketch.Set // not found
	others  []run      // entries of lists made by this program, not of sitemaps
}

// New returns a Crawler that uses store.
func New(store Store, o Options) *Crawler {
	if o.Backoff == nil {
		o.Backoff = []time.Duration{time.Second, 4 * time.Second}
	}
	o.Grace = cmp.Or(o.Grace, 1500*time.Millisecond)
	o.Politeness = cmp.Or(o.Politeness, NewPoliteness())
	o.Ask.Guard = cmp.Or(o.Ask.Guard, fetch.NewGuard(nil, nil, false))
	if o.Key == nil {
		o.Key = address.Address.Host
	}
	if o.Rows == nil {
		o.Rows = func(n int) *audit.SettledRows {
			return audit.NewSettledRows(make([]byte, n*audit.SettledBytes), nil, nil)
		}
	}
	o.AtOnce = fetch.AtOnce(o.AtOnce)
	c := &Crawler{o: o, store: store, hosts: map[string]*host{}, slots: make(chan struct{}, o.AtOnce)}
	o.Ask.OnPrivate = func() { c.note(Note{Kind: notePrivate}) }
	c.client = fetch.New(o.Ask)
	c.outage.warn, c.outage.gone = o.Warn, make(chan struct{})
	c.robots = robotsFiles{get: store.Get, fetch: c.fetchRobots, files: map[string]*robots.Answer{}}
	c.restore()
	return c
}

// Rules returns the rules of the audit. Discover adds to them the hosts that receive secrets.
func (c *Crawler) Rules() audit.Rules { return c.o.Rules }

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
// late enough for an outage of the site to be over. Run returns ctx's error when it was stopped; the answers until then are stored, and
// another Run with the same store continues from there.
func (c *Crawler) Run(ctx context.Context) error {
	if err := c.openAll(); err != nil {
		return err
	}
	err := c.pass(ctx, audit.Want{}, func() error {
		return c.planAll(c.store.Entries(c.soft, 0, c.store.EntryCount()))
	})
	if err == nil {
		err = c.spellings(ctx)
	}
	if err != nil {
		return err
	}
	return c.pass(ctx, audit.Want{Recheck: true}, func() error {
		return c.planAll(audit.EntriesIn(c.soft, c.store, 0, c.store.EntryCount(), c.open.gone))
	})
}

// openAll begins with all entries.
func (c *Crawler) openAll() error {
	lists, err := c.store.Sitemaps()
	if err != nil {
		return err
	}
	n, others := c.store.EntryCount(), 0
	c.open = open{spelled: sketch.NewSet(n), gone: sketch.NewSet(n)}
	for i := range lists {
		if s := &lists[i]; !s.Listed() && s.Entries > 0 {
			c.open.others = append(c.open.others, run{s.First, s.First + s.Entries})
			others += s.Entries
		}
	}
	p := &c.Progress
	p.Entries.Store(int64(n - others))
	p.Others.Store(int64(others))
	p.Done.Store(0)
	p.Problems.Store(0)
	c.rows = c.o.Rows(n)
	return nil
}

// plan makes an entry due at a host, before a pass begins to send requests.
func (c *Crawler) plan(host string, n int) {
	h := c.host(host)
	h.due = add(h.due, n)
	c.Progress.Needed.Add(1)
}

// planHops is how many answers are at hand while a pass is planned.
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

// planAll plans entries for the current pass. In the first one each begins with the address that it lists.
func (c *Crawler) planAll(entries iter.Seq2[audit.Entry, error]) error {
	p := c.judge(planHops)
	for e, err := range entries {
		if at, ok := e.Begins(); err == nil && ok && c.want == (audit.Want{}) {
			c.plan(c.o.Key(at), e.N)
		} else if err == nil {
			err = p.plan(e, c.want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plan settles an entry, or makes it due at the host of its next request, before a pass begins to send
// requests.
func (j *judge) plan(e audit.Entry, want audit.Want) error {
	err := j.entry(e, want)
	if err == nil && len(j.row.Needs) > 0 {
		j.c.plan(j.c.keyOf(j.row.Needs[0].URL), e.N)
	}
	return err
}

// spellings requests the second spellings of some entries of each kind, and of all of a kind where one
// of these answers otherwise. The sampler goes by the order of entries, so that every audit of the
// same answers requests the same.
func (c *Crawler) spellings(ctx context.Context) error {
	sampler := &audit.Sampler{Rules: &c.o.Rules}
	ask := audit.Want{AltSpelling: true}
	for due := true; sampler.Round(due); {
		due = false
		p := c.judge(planHops)
		err := c.pass(ctx, ask, func() error {
			for e, err := range audit.EntriesIn(c.soft, c.store, 0, c.store.EntryCount(), c.open.spelled) {
				want := audit.Want{AltSpelling: true, Sampler: sampler}
				if e.Reported.Suspect() {
					want = ask // few addresses, and the report may be about just this
				}
				if err == nil {
					err = p.plan(e, want)
				}
				if err != nil {
					return err
				}
				if !e.Reported.Is && !e.Also.File() {
					sampler.See(&p.row)
				}
				due = due || len(p.row.Needs) > 0
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Ask sends requests that belong to no entry, with at most that many attempts for each; 0 for as many as
// Options.Backoff allows. Its error is that of ctx or of the store.
func (c *Crawler) Ask(ctx context.Context, rs []answers.Request, tries int) error {
	return c.pass(ctx, audit.Want{}, func() error {
		for _, r := range rs {
			h := c.host(c.keyOf(r.URL))
			h.tasks = append(h.tasks, Task{Request: r, Lone: true, Most: tries})
			c.Progress.Needed.Add(1)
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
		c.open.spelled.Add(n)
	}
	if row.Verdict == audit.NotFound {
		c.open.gone.Add(n)
	}
	c.mu.Unlock()
	if slices.ContainsFunc(c.open.others, func(r run) bool { return r.from <= n && n < r.to }) {
		return
	}
	p.Done.Add(1)
	if row.Verdict.Problem() {
		p.Problems.Add(1)
	}
}

// keyOf returns the name under which an address is paced.
func (c *Crawler) keyOf(url string) string { return c.o.Key(address.Wire(url)) }
