package crawler

import (
	"context"
	"errors"
	"time"

	"sitemend/crawler/audit"
)

// A Via sends requests from other processes, and brings the answers home. All decisions (which
// request an entry needs next, what is known already, that no request is sent twice) are made in
// this process, before Send: the processes that send requests know neither entries nor rules. A
// redirect to another host is an answer like any other, and its target is a request of the other
// key.
type Via interface {
	// Send passes on a request of a key, as a lone task. It may gather several, but only for a
	// moment, and waits where there are too many. A request is not passed on again while it is on
	// its way. s is the pace and rest of the host as this process left it, if it sent requests
	// there.
	Send(ctx context.Context, key string, t Task, s HostState) error
	// Collect calls take with the answers that came home, for each key in the order in which they
	// came, until ctx ends; then its error is that of ctx. When take returns an error, Collect
	// returns it and does not offer that Home again. Another call continues.
	Collect(ctx context.Context, take func(Home) error) error
	// Lease waits until no other process may send requests to a key, and leases it to this process,
	// which gets files of its hosts itself: sitemaps, and their robots.txt. Its Live is set, and
	// Elsewhere where another process may have sent requests since this one gave the key back. Its
	// error is that of ctx.
	Lease(ctx context.Context, key string) (*Lease, error)
	// Release gives back what Lease returned, with the state of the key.
	Release(ctx context.Context, l *Lease, s HostState)
}

// A Home is what came home of the requests of a key.
type Home struct {
	Key   string
	Hops  []audit.Hop
	Notes []Note
	// Records are files that were fetched on the way (robots.txt), under the names that they have
	// in the Store.
	Records map[string][]byte
	State   HostState // pace and rest of the host then; zero where unknown
	// Counted is how long the requests took; the zero value where they were sent before this run of
	// the audit.
	Counted Counted
}

// Limits of the requests on their way.
const (
	awayAtOnce = 1024   // requests of a key
	awayFor    = 20     // seconds that those of a key may take at its pace,
	awayLeast  = 16     // but this many in any case
	hostsAway  = 10_000 // keys that are leased at once where other processes send the requests
)

// Serve sends the requests that a Frontier hands out, until the Frontier has no more, which is no
// error, or ctx ends. The tasks are lone ones.
func (c *Crawler) Serve(ctx context.Context, f Frontier) error { return c.work(ctx, phase{}, f) }

// Take adds what came home of requests that an earlier run of this audit had sent. Run does this
// for its own requests.
func (c *Crawler) Take(home Home) error {
	for _, n := range home.Notes {
		c.takeNote(n)
	}
	for key, value := range home.Records {
		if _, known, err := c.store.Get(key); err != nil {
			return err
		} else if !known {
			if err := c.store.Put(key, value); err != nil {
				return err
			}
		}
	}
	h := c.hostNamed(home.Key)
	if h.manners.adopt(home.State) {
		c.leave(h, home.State.Status)
	}
	c.addCounted(h, home.Counted)
	for i := range home.Hops {
		if err := c.takeHop(h, home.Hops[i]); err != nil {
			return err
		}
	}
	return nil
}

// addCounted adds to Progress how long requests of other processes took.
func (c *Crawler) addCounted(h *host, counted Counted) {
	h.mu.Lock()
	h.waited += counted.Waited
	atLeast(&c.Progress.Waited, int64(h.waited))
	h.mu.Unlock()
	c.Progress.Answering.Add(int64(counted.Answering))
	if counted.Slowed {
		c.Progress.Slowed.Store(true)
	}
	if counted.Rest != (Rest{}) {
		c.Progress.Rest(counted.Rest)
	}
}

// takeHop stores an answer, unless it or a later one is known, and continues the task that waits
// for it.
func (c *Crawler) takeHop(h *host, hop audit.Hop) error {
	was, known := c.store.Hop(hop.Request)
	if !known || was.Pending && (!hop.Pending || hop.At.UnixMilli() > was.At.UnixMilli()) {
		if err := errors.Join(c.store.Err(), c.store.Keep(hop)); err != nil {
			return err
		}
		c.Progress.Requests.Add(int64(hop.Sent()))
	}
	if hop.Pending {
		return nil // the process that has the request tries again
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t, away := h.away[hop.Request]
	if !away {
		return nil
	}
	delete(h.away, hop.Request)
	h.timers--
	h.home++
	if t.Lone {
		c.Progress.Needed.Add(-1)
		c.Progress.Settled.Add(1)
	} else {
		h.queue = append(h.queue, t)
	}
	c.release(h, hop.Request)
	c.start(h)
	return nil
}

// send passes a claimed request to another process. The task continues when the answer comes; send
// returns true where there is one already.
func (w *worker) send(t *Task) bool {
	c, h := w.c, w.h
	last := c.last(t.Request)
	if c.isLeft(h) {
		w.hop[0] = audit.Hop{Request: t.Request, Fault: audit.FaultAbandoned, At: time.Now()}
		if last != nil {
			w.hop[0] = last.Stands()
		}
		if !w.done(w.hop[:], nil) {
			return false
		}
		w.mem.Answered(&w.hop[0])
		w.release(t.Request)
		return true
	}
	if !c.goesAway(h, t) {
		return false
	}
	far := Task{Request: t.Request, Most: t.Most, Lone: true, Last: last, AltSpelling: c.phase.ask.AltSpelling}
	if err := c.o.Via.Send(c.soft, h.name, far, h.manners.state()); err != nil {
		c.fail(err)
	}
	return false
}

// mayBeAway returns how many requests of h may be on their way at once. The requests that entries
// need next queue behind them, so they are no more than keep the sender busy; and there are few at
// first, for many entries may wait for one answer (whether a page that cannot exist is found). h.mu
// is held.
func (h *host) mayBeAway() int {
	if len(h.away) < awayLeast {
		return awayAtOnce // always so where this process sends the requests itself
	}
	rate := h.pace.State().Rate
	if rate == 0 {
		return awayAtOnce
	}
	return min(awayAtOnce, max(awayLeast, int(rate*awayFor)), awayLeast+2*h.home)
}

// goesAway records that a task is on its way, and reports whether answers are still awaited.
func (c *Crawler) goesAway(h *host, t *Task) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.hard.Err() != nil || h.away == nil {
		return false
	}
	h.away[t.Request] = *t
	h.timers++
	return true
}

// collect takes what comes home until the returned function is called, or the crawl is given up:
// then no task waits for what is on its way.
func (c *Crawler) collect() (done func()) {
	if c.o.Via == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(c.hard)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := audit.Guard(func() error { return c.o.Via.Collect(ctx, c.Take) })
		if err != nil && ctx.Err() == nil {
			c.fail(err)
		}
		<-ctx.Done()
		c.recall()
	}()
	return func() { cancel(); <-ended }
}

// recall drops everything that is on its way.
func (c *Crawler) recall() {
	c.mu.Lock()
	hosts := make([]*host, 0, len(c.hosts))
	for _, h := range c.hosts {
		hosts = append(hosts, h)
	}
	c.mu.Unlock()
	for _, h := range hosts {
		h.mu.Lock()
		if n := len(h.away); n > 0 {
			h.timers -= n
			clear(h.away)
			c.start(h) // its worker ends at once, and gives the host back
		}
		h.mu.Unlock()
	}
}

// underWay returns the context of a request that is sent now. end reports whether the request was
// given up, because its answer took too long after the audit was stopped, or because the lease of h
// was lost.
func (c *Crawler) underWay(h *host) (ctx context.Context, end func() bool) {
	l := h.leased()
	if l == nil || l.Live == nil {
		return c.hard, func() bool { return c.hard.Err() != nil }
	}
	ctx, cancel := context.WithCancel(c.hard)
	stop := context.AfterFunc(l.Live, cancel)
	return ctx, func() bool {
		over := c.hard.Err() != nil || l.lost()
		stop()
		cancel()
		return over
	}
}
