package crawler

import (
	"cmp"
	"sync"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

const (
	noCeiling  = 128 // requests under way for a host where --parallel is 0
	entryChunk = 64  // entries that are read at once: a block of the store
	workerHops = 16  // answers that a worker has at hand: those of its last entries
	hostsBusy  = 4   // hosts with workers, as a multiple of the requests that may be under way: most workers wait for their turn
)

// host is one host, or whatever Options.Key counts as one: how fast and whether it may be asked, and
// what is to be asked. An entry that is due is in one place at a time.
type host struct {
	*pace
	name string

	mu      sync.Mutex
	tasks   []Task                    // with claimed requests, or lone ones; they precede all entries
	fresh   []audit.Entry             // entries of ahead or due that were read
	ahead   []run                     // entries that wait no more for an answer; they precede due
	due     []run                     // entries that the pass began with
	asking  map[answers.Request][]int // claimed requests, with the entries that wait for the answer
	away    map[answers.Request]int   // claimed requests that another process sends, with the entry; -1 for none
	reading bool                      // a worker reads tasks
	room    []audit.Entry             // memory for fresh, used again and again
	workers int                       // how many work; the first one counts while h waits in line
	begun   bool                      // the first one works
	waits   int                       // workers that wait for their turn
	timers  int                       // tasks that wait for another attempt
	lease   *Lease                    // where a Frontier hands out the tasks

	borrowing sync.Mutex
	own       *borrowed // for files, where other processes send requests; nil for none
}

// run is the entries with from <= N < to.
type run struct{ from, to int }

// add adds an entry to runs.
func add(runs []run, n int) []run {
	if last := len(runs) - 1; last >= 0 && runs[last].to == n {
		runs[last].to++
		return runs
	}
	return append(runs, run{n, n + 1})
}

// A Task is an entry that needs requests, or a lone request. A lone one is data.
type Task struct {
	Entry   audit.Entry
	Request answers.Request // the next one; the zero Request where it is not known yet
	Lone    bool            // it belongs to no entry
	Most    int             // attempts for it; 0 for as many as Options.Backoff allows
	// Last is the stored answer to Request after which another attempt is due (answers.Hop.Pending);
	// nil for none.
	Last    *answers.Hop
	claimed bool // nobody else sends Request
}

// line is where hosts that have something to do wait for their first worker: workers take memory, so
// that few hosts have some at once.
type line struct {
	mu    sync.Mutex
	hosts []*host
	busy  int // hosts with workers
	most  int
}

// host returns the host with a name, and creates it where there is none.
func (c *Crawler) host(name string) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[name]
	if h == nil {
		h = &host{name: name, asking: map[answers.Request][]int{}, away: map[answers.Request]int{}, pace: c.o.Paces.use(name, c.o.Rate, c.o.GivenRate)}
		c.hosts[name] = h
	}
	return h
}

// push passes an entry on to h, before those that the pass began with.
func (c *Crawler) push(h *host, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ahead = add(h.ahead, n)
	c.wake(h)
}

// goes reports whether a worker of h finds something to do now. h.mu is held.
func (c *Crawler) goes(h *host) bool {
	known := len(h.tasks)+len(h.fresh) > 0
	return c.soft.Err() == nil && len(h.away) < awayMost && (known || !h.reading && len(h.ahead)+len(h.due) > 0)
}

// wake makes sure that somebody works for h, where there is something to do. h.mu is held.
func (c *Crawler) wake(h *host) {
	switch {
	case h.workers > 0:
		c.another(h)
	case c.goes(h):
		c.first(h)
	}
}

// first has the first worker of h begin as soon as it is its turn in the line. h.mu is held.
func (c *Crawler) first(h *host) {
	h.workers = 1
	c.all.Add(1)
	c.begin(0, h)
}

// begin has hosts begin as far as there is room; freed is how many have ended.
func (c *Crawler) begin(freed int, next ...*host) {
	l := &c.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy -= freed
	for l.hosts = append(l.hosts, next...); len(l.hosts) > 0 && l.busy < l.most; l.busy++ {
		h := l.hosts[0]
		l.hosts[0] = nil
		l.hosts = l.hosts[1:]
		go c.worker(h, false)
	}
}

// another starts another worker of h if there is more to do and no worker waits for a turn: the new one
// would wait, too. Besides the first worker of each host there are at most as many, over all hosts, as
// requests may be under way: each takes some 50 KB. h.mu is held.
func (c *Crawler) another(h *host) {
	if !h.begun || h.waits > 0 || h.workers >= cmp.Or(c.o.Parallel, noCeiling) || !c.goes(h) {
		return
	}
	if c.further.Add(1) > int64(cap(c.slots)) {
		c.further.Add(-1)
		return // the first one tries again with its next turn
	}
	h.workers++
	c.all.Add(1)
	go c.worker(h, true)
}

// worker works for h until there is nothing to do. A panic in it ends the pass: answers until then
// are kept.
func (c *Crawler) worker(h *host, further bool) {
	defer c.all.Done()
	if err := ground.Guard(func() error { c.work(h); return nil }); err != nil {
		c.fail(err) // others may wait for what this worker had claimed
	}
	if further {
		c.further.Add(-1)
	}
	h.mu.Lock()
	h.workers--
	last := h.workers == 0
	if last {
		h.begun = false
		c.wake(h) // for what came meanwhile
	}
	c.unlock(h)
	if last {
		c.begin(1)
	}
}

func (c *Crawler) work(h *host) {
	h.mu.Lock()
	h.begun = true
	h.mu.Unlock()
	w := worker{judge: c.judge(workerHops), h: h}
	for t, ok := c.next(h); ok; t, ok = c.next(h) {
		w.do(&t)
	}
}

// unlock gives h.mu up, and the lease of h where nothing is left to do under it.
func (c *Crawler) unlock(h *host) {
	var over *Lease
	if h.workers == 0 && h.timers == 0 {
		over, h.lease = h.lease, nil
	}
	h.mu.Unlock()
	if over != nil {
		c.failAt(h, c.frontier.Release(c.hard, over, h.State()))
	}
}

// next takes the next task of h; it returns false where the worker is to end.
func (c *Crawler) next(h *host) (t Task, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c.soft.Err() == nil && len(h.away) < awayMost {
		switch {
		case len(h.tasks) > 0:
			t, h.tasks[0] = h.tasks[0], Task{}
			h.tasks = h.tasks[1:]
		case len(h.fresh) > 0:
			t.Entry, h.fresh[0] = h.fresh[0], audit.Entry{}
			h.fresh = h.fresh[1:]
		case !h.reading && c.read(h):
			continue
		default:
			return t, false
		}
		c.another(h)
		return t, true
	}
	return t, false
}

// read reads more tasks, and reports whether there are any. h.mu is held, but not while it reads.
func (c *Crawler) read(h *host) (more bool) {
	from, l, entries := &h.ahead, h.lease, h.room[:0]
	if len(*from) == 0 {
		from = &h.due
	}
	var runs []run
	for room := entryChunk; len(*from) > 0 && room > 0; {
		r := &(*from)[0]
		to := min(r.to, r.from+room)
		runs = append(runs, run{r.from, to})
		room -= to - r.from
		if r.from = to; r.from == r.to {
			*from = (*from)[1:]
		}
	}
	var tasks []Task
	h.reading = true
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.reading, h.fresh, h.room, h.tasks = false, entries, entries, append(h.tasks, tasks...)
		more = len(entries)+len(tasks) > 0
	}()
	var err error
	if l != nil {
		tasks, err = c.frontier.Next(c.soft, l)
	}
	for _, r := range runs {
		for e, wrong := range c.store.Entries(c.soft, r.from, r.to) {
			if err = wrong; err != nil {
				break
			}
			entries = append(entries, e)
		}
	}
	c.failAt(h, err)
	return more
}
