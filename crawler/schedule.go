package crawler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Limits of the scheduler. What does not fit is taken up by the next round.
const (
	maxWaiting = 50_000 // entries that wait for an answer, or for their turn on another host
	noCeiling  = 128    // requests at once for a host where --parallel is 0
	entryChunk = 256    // entries read at once
	planHops   = 256    // answers that a plan has at hand
	workerHops = 16     // answers that a worker has at hand: those of its last entries
	hostsBusy  = 4      // hosts with workers for each request that may be under way: most wait for their turn
)

// schedule is who is asked when: a queue and a plan for each host, and workers
// that come and go with the work. All fields are guarded by mu.
type schedule struct {
	mu      sync.Mutex
	hosts   map[string]*host
	asking  map[audit.Request][]audit.Entry // requests under way, with the entries that wait for the answer
	waiting int                             // entries in asking and in queues
	work    int                             // workers and timers that may still find something to do
	busy    int                             // hosts with workers
	ready   []*host                         // hosts with something to do that wait until fewer are busy
	idle    chan struct{}                   // closed when work is 0
	cut     bool                            // an entry was put off to the next round
	err     error                           // what ended the round: the store cannot be written
	part    phase
	soft    context.Context // ends: send nothing more
	hard    context.Context // ends: give up what is under way
	abandon func()          // ends soft
}

// host is what is to be asked of one host.
type host struct {
	name string
	*manners
	queue     []task
	runs      []run
	chunk     []audit.Entry
	active    int  // workers
	ready     bool // among schedule.ready
	abandoned bool // in this audit
}

// task is an entry to be judged, with the request that it needs where that is
// known already; or a lone request.
type task struct {
	entry audit.Entry
	req   audit.Request
	lone  bool
	tries int // requests sent for req so far
	most  int // of them; 0 for as many as there are pauses between them
}

func newSchedule() schedule {
	return schedule{hosts: map[string]*host{}, asking: map[audit.Request][]audit.Entry{}}
}

// host returns the host of a name, new if need be. mu is held.
func (c *Crawler) host(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{name: name, manners: c.o.Politeness.host(name, c.o.Rate, c.o.GivenRate)}
		_, h.abandoned = c.ledger.left[name]
		c.hosts[name] = h
		if !c.ledger.Proxied && c.proxied(name) {
			c.ledger.Proxied = true
			c.note()
		}
	}
	return h
}

// proxied tells whether a host is asked through a proxy, by http or https.
func (c *Crawler) proxied(name string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if a, err := address.Parse(scheme + name); err == nil && c.client.Proxied(a) {
			return true
		}
	}
	return false
}

// round starts workers and waits until they find nothing more to do. When ctx
// ends no further request is sent; answers that are on their way may still
// arrive for a while, so that they need not be asked again.
func (c *Crawler) round(ctx context.Context, p phase, start func()) error {
	defer c.until(ctx)()
	c.mu.Lock()
	c.part = p
	c.idle, c.work = make(chan struct{}), 1
	idle := c.idle
	start()
	c.finished()
	c.mu.Unlock()
	<-idle

	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.hosts {
		h.queue, h.runs, h.chunk, h.ready = nil, nil, nil, false
	}
	c.ready = nil
	clear(c.asking)
	c.waiting = 0
	if c.err != nil {
		return c.err
	}
	return ctx.Err()
}

// until sets when requests end: none is sent once ctx has ended, and those under
// way are given up a while later. The returned function lets go of both.
func (c *Crawler) until(ctx context.Context) (done func()) {
	soft, abandon := context.WithCancel(ctx)
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(soft, func() {
		_ = pause(hard, c.o.Grace)
		cancel()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.soft, c.hard, c.abandon = soft, fetch.SendsWhile(hard, soft), abandon
	return func() { stop(); abandon(); cancel() }
}

// finished takes one worker or timer off the count. mu is held.
func (c *Crawler) finished() {
	if c.work--; c.work == 0 {
		close(c.idle)
	}
}

// wake starts as many workers for h as it has work and room for, unless too many
// hosts are busy: what a host takes of memory is that of its workers. mu is held.
func (c *Crawler) wake(h *host) {
	most := c.o.Parallel
	if most == 0 {
		most = noCeiling
	}
	todo := len(h.queue) + len(h.chunk)
	for _, r := range h.runs {
		if todo += r.to - r.from; todo >= most {
			break
		}
	}
	switch {
	case todo == 0 || h.ready:
		return
	case h.active == 0 && c.busy >= hostsBusy*c.o.Ask.AtOnce:
		h.ready = true
		c.ready = append(c.ready, h)
		return
	case h.active == 0:
		c.busy++
	}
	for ; h.active < most && todo > 0; todo-- {
		h.active++
		c.work++
		go c.worker(h)
	}
}

// rests takes a host off those that are busy, and lets the next one in. mu is held.
func (c *Crawler) rests() {
	c.busy--
	for c.busy < hostsBusy*c.o.Ask.AtOnce && len(c.ready) > 0 {
		h := c.ready[0]
		c.ready[0], h.ready = nil, false
		c.ready = c.ready[1:]
		c.wake(h)
	}
}

// worker works for h until there is nothing to do. A fault of ours in it ends the
// round: what was answered by then is kept.
func (c *Crawler) worker(h *host) {
	err := audit.Guard(func() error {
		c.serve(h)
		return nil
	})
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(c.err, err)
	c.abandon() // others may wait for what this one had taken upon itself
	if h.active--; h.active == 0 {
		c.rests()
	}
	c.finished()
}

func (c *Crawler) serve(h *host) {
	mem, row := audit.NewAnswerCache(c.store, workerHops), new(audit.Row)
	for {
		t, ok := c.next(h)
		if !ok {
			return
		}
		if t.req.URL != "" {
			if !c.answer(h, t, mem) {
				continue
			}
		}
		if t.lone {
			c.Progress.Needed.Add(-1)
			c.Progress.Settled.Add(1)
			continue
		}
		c.advance(h, t.entry, mem, row)
	}
}

// next takes the next task of h. Entries under way go before new ones, so that
// few are under way at a time. false ends the worker.
func (c *Crawler) next(h *host) (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.soft.Err() == nil && c.err == nil {
		if len(h.queue) > 0 {
			t := h.queue[0]
			h.queue = h.queue[1:]
			if !t.lone {
				c.waiting--
			}
			return t, true
		}
		if c.fill(h); len(h.chunk) > 0 {
			e := h.chunk[0]
			h.chunk = h.chunk[1:]
			return task{entry: e}, true
		}
	}
	if h.active--; h.active == 0 {
		c.rests()
	}
	c.finished()
	return task{}, false
}

// fill reads the next entries of h's plan. mu is held.
func (c *Crawler) fill(h *host) {
	if len(h.chunk) > 0 || len(h.runs) == 0 {
		return
	}
	h.chunk = h.chunk[:0]
	for len(h.runs) > 0 && len(h.chunk) < entryChunk {
		r := &h.runs[0]
		to := min(r.to, r.from+entryChunk-len(h.chunk))
		for e, err := range c.store.Entries(c.hard, r.from, to) {
			if err != nil {
				c.err = err
				return
			}
			h.chunk = append(h.chunk, e)
		}
		if r.from = to; r.from == r.to {
			h.runs = h.runs[1:]
		}
	}
}

// advance judges an entry and asks for what it needs, as long as that is h's to
// answer. An entry whose next answer is on its way waits for it; one whose next
// address is on another host goes there. row is the worker's, for its rows.
func (c *Crawler) advance(h *host, e audit.Entry, mem *audit.AnswerCache, row *audit.Row) {
	for c.soft.Err() == nil {
		row.Judge(mem, e, &c.o.Rules, c.part.ask)
		if err := mem.Err(); err != nil {
			c.fail(err)
			return
		}
		if len(row.Needs) == 0 {
			c.settled(c.part, row)
			c.Progress.Settled.Add(1)
			if !c.part.first {
				c.Progress.Needed.Add(-1)
			}
			return
		}
		t := task{entry: e, req: row.Needs[0]}
		at, mine := c.claim(t)
		if !mine {
			return
		}
		if _, known := c.store.Hop(t.req); known {
			c.release(h, t.req) // it was answered since Judge looked
			continue
		}
		if err := c.store.Err(); err != nil {
			c.fail(err)
			return
		}
		if at != h {
			c.hand(at, t)
			return
		}
		if !c.answer(h, t, mem) {
			return
		}
	}
}

// claim says who is to ask t.req: the host, and whether the caller is the first.
// If not, the entry waits for the answer.
func (c *Crawler) claim(t task) (*host, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.host(hostOf(t.req.URL))
	waiters, busy := c.asking[t.req]
	if !busy {
		c.asking[t.req] = nil
		return at, true
	}
	if c.waiting >= maxWaiting {
		c.cut = true
		return at, false
	}
	c.asking[t.req] = append(waiters, t.entry)
	c.waiting++
	return at, false
}

// hand gives a claimed task to another host.
func (c *Crawler) hand(to *host, t task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting >= maxWaiting {
		c.cut = true
		c.drop(to, t.req)
		return
	}
	c.waiting++
	to.queue = append(to.queue, t)
	c.wake(to)
}

// release ends a claim: who waited for the answer goes on, at h.
func (c *Crawler) release(h *host, r audit.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(h, r)
}

func (c *Crawler) drop(h *host, r audit.Request) {
	for _, e := range c.asking[r] {
		h.queue = append(h.queue, task{entry: e})
	}
	delete(c.asking, r)
	c.wake(h)
}

// later puts a task back after a while. The claim on its request stays.
func (c *Crawler) later(h *host, t task, after time.Duration) {
	c.mu.Lock()
	c.work++
	soft := c.soft
	c.mu.Unlock()
	go func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-soft.Done():
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !t.lone {
			c.waiting++
		}
		h.queue = append(h.queue, t)
		c.wake(h)
		c.finished()
	}()
}
