package crawler

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Limits of a round. What exceeds them is left to the next round.
const (
	maxWaiting = 50_000 // entries that wait for an answer, or for another host; of each kind
	noCeiling  = 128    // requests under way for a host where --parallel is 0
	entryChunk = 256    // entries read at once
	planHops   = 256    // answers that a plan caches
	workerHops = 16     // answers that a worker caches: those of its last entries
	hostsBusy  = 4      // hosts with workers for each request under way: most wait for their turn
)

// host is one host and, while it is leased, the state of the requests to it.
type host struct {
	*manners
	name      string
	abandoned bool // in this audit; guarded by Crawler.mu

	mu      sync.Mutex
	lease   *Lease                   // nil while it is not leased
	queue   []Task                   // tasks under way, which precede others
	fresh   []Task                   // from the Frontier
	room    []Task                   // memory for these, used again and again
	asking  map[audit.Request][]Task // requests under way, with the entries that wait for the answer
	reading bool                     // a worker is calling Frontier.Next
	active  int                      // workers
	waits   int                      // workers that wait for their turn
	since   time.Time                // when one of them began to wait
	waited  time.Duration            // before that, while a worker did
	counted Counted                  // since the last call of Lease.Counted
	timers  int                      // tasks that wait for another attempt, or are on their way
	away    map[audit.Request]Task   // claimed requests that another process sends
	home    int                      // answers to such requests that came home

	borrowing sync.Mutex
	own       *borrowed // for files, where other processes send requests; nil for none
}

// host returns the host with a name, and creates it where there is none. c.mu is held.
func (c *Crawler) host(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{name: name, manners: c.o.Politeness.host(name, c.o.Rate, c.o.GivenRate)}
		_, h.abandoned = c.state.left[name]
		c.hosts[name] = h
		if !c.state.Proxied && c.proxied(name) {
			c.state.Proxied = true
			c.note()
			c.notify(Note{Proxied: true})
		}
	}
	return h
}

// hostNamed is host for a caller that does not hold c.mu.
func (c *Crawler) hostNamed(name string) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.host(name)
}

// proxied reports whether requests to a host go through a proxy, by http or https.
func (c *Crawler) proxied(name string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if a, err := address.Parse(scheme + name); err == nil && c.client.Proxied(a) {
			return true
		}
	}
	return false
}

// work sends the requests that a Frontier hands out until it has no more. When ctx ends no further
// request is sent; answers that are on their way may still arrive for a while, so that these
// requests need not be sent again.
func (c *Crawler) work(ctx context.Context, p phase, f Frontier) error {
	if c.err != nil { // no other goroutine works now
		return c.err
	}
	defer c.until(ctx)()
	c.phase, c.frontier = p, f
	c.cut.Store(false)
	c.waiting.Store(0)
	collected := c.collect()
	for {
		l, err := f.Lease(c.soft)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.fail(err)
			}
			break
		}
		h := c.hostNamed(l.Key)
		l.Counted = h.count
		if l.Now = h.manners.state; l.Elsewhere && h.manners.adopt(l.State) {
			c.leave(h, l.State.Status)
		}
		c.leases.Add(1)
		h.mu.Lock()
		h.lease, h.asking, h.away = l, map[audit.Request][]Task{}, map[audit.Request]Task{}
		h.mu.Unlock()
		c.wake(h)
	}
	c.leases.Wait()
	collected()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return ctx.Err()
}

// until sets when requests end: none is sent once ctx has ended, and those under way are given up
// some time later. The returned function releases both contexts.
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

// wake starts a worker for h, which starts others where there is more to do, up to the limit.
func (c *Crawler) wake(h *host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.start(h)
}

// start is wake for a caller that holds h.mu. In addition to the first worker of each host there
// are at most as many as requests may be under way, over all hosts: each takes some 50 KB, and more
// would only wait.
func (c *Crawler) start(h *host) {
	if h.lease == nil || h.active >= cmp.Or(c.o.Parallel, noCeiling) {
		return
	}
	further := h.active > 0
	if further && c.further.Add(1) > int64(c.o.Ask.AtOnce) {
		c.further.Add(-1)
		return // the first one tries again with its next turn
	}
	h.active++
	go c.worker(h, h.lease, further)
}

// turnOf waits until a request may be sent to h. Meanwhile no further worker is started, which
// would only wait, too.
func (c *Crawler) turnOf(h *host) (Turn, error) {
	h.mu.Lock()
	if h.waits++; h.waits == 1 {
		h.since = time.Now()
	}
	h.mu.Unlock()
	t, err := h.pace.Wait(c.soft)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waits--; h.waits == 0 {
		took := time.Since(h.since)
		h.waited, h.counted.Waited = h.waited+took, h.counted.Waited+took
		atLeast(&c.Progress.Waited, int64(h.waited))
	}
	c.startMore(h)
	return t, err
}

// count returns what was counted since the last call.
func (h *host) count() Counted {
	h.mu.Lock()
	defer h.mu.Unlock()
	counted := h.counted
	h.counted = Counted{}
	return counted
}

// atLeast raises n to least, if it is less.
func atLeast(n *atomic.Int64, least int64) {
	for {
		was := n.Load()
		if was >= least || n.CompareAndSwap(was, least) {
			return
		}
	}
}

// startMore starts another worker of h where there is more to do and no worker waits for a turn.
// h.mu is held.
func (c *Crawler) startMore(h *host) {
	if h.waits == 0 && len(h.queue)+len(h.fresh) > 0 {
		c.start(h)
	}
}

// worker works for h until there is nothing to do. A panic in it ends the round: answers until then
// are kept. The last worker gives the host back.
func (c *Crawler) worker(h *host, l *Lease, further bool) {
	if further {
		defer c.further.Add(-1)
	}
	if err := audit.Guard(func() error { c.serve(h, l); return nil }); err != nil {
		c.fail(err) // others may wait for what this worker had claimed
	}
	h.mu.Lock()
	h.active--
	over := h.active == 0 && h.timers == 0
	if over {
		h.lease, h.queue, h.fresh, h.room, h.asking, h.away, h.reading = nil, nil, nil, nil, nil, nil, false
	}
	h.mu.Unlock()
	if !over {
		return
	}
	if err := c.frontier.Release(c.hard, l, h.manners.state()); err != nil && !errors.Is(err, ErrFenced) {
		c.fail(err)
	}
	c.leases.Done()
}

func (c *Crawler) serve(h *host, l *Lease) {
	w := worker{c: c, h: h, l: l, known: known{Answers: audit.WithoutPending(l.Answers)}}
	w.mem = audit.NewAnswerCache(&w.known, workerHops)
	for {
		t, ok := c.next(h, l)
		if !ok {
			return
		}
		if (t.Lone || t.Last != nil) && !w.answer(&t) {
			continue
		}
		if t.Lone {
			c.Progress.Needed.Add(-1)
			c.Progress.Settled.Add(1)
			continue
		}
		w.known.trail = t.Trail
		w.advance(&t)
	}
}

// next takes the next task of h; it returns false where the worker is to end.
func (c *Crawler) next(h *host, l *Lease) (t Task, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c.soft.Err() == nil && len(h.away) < h.mayBeAway() {
		from := &h.queue
		if len(h.queue) == 0 {
			from = &h.fresh
		}
		if len(*from) > 0 {
			t, (*from)[0] = (*from)[0], Task{}
			*from = (*from)[1:]
			c.startMore(h)
			return t, true
		}
		if h.reading || !c.read(h, l) {
			break
		}
	}
	return t, false
}

// read gets more tasks from the Frontier, and reports whether there are any. h.mu is held, but not
// during the call.
func (c *Crawler) read(h *host, l *Lease) bool {
	h.reading = true
	h.mu.Unlock()
	tasks, err := func() ([]Task, error) {
		defer h.mu.Lock()
		return c.frontier.Next(c.soft, l, h.room[:0])
	}()
	if err != nil && !errors.Is(err, ErrFenced) {
		c.fail(err)
	}
	h.reading = false
	h.fresh, h.room = tasks, tasks
	return len(tasks) > 0 && err == nil
}

// worker sends requests to one host, one at a time.
type worker struct {
	c     *Crawler
	h     *host
	l     *Lease
	known known
	mem   *audit.AnswerCache // over known
	row   audit.Row
	hop   [1]audit.Hop // for Done
}

// known is the answers for a task: those on its way, and those of its lease without pending ones.
type known struct {
	audit.Answers
	trail []audit.Hop
}

// Hop implements audit.Answers.
func (k *known) Hop(r audit.Request) (audit.Hop, bool) {
	for i := range k.trail {
		if k.trail[i].Request == r {
			return k.trail[i], true
		}
	}
	return k.Answers.Hop(r)
}

// advance judges an entry and sends the requests that it needs, as long as they go to h. An entry
// whose next answer is on its way waits for it; one whose next address is on another host is passed
// on to that.
func (w *worker) advance(t *Task) {
	c := w.c
	for begins := w.begins(t); c.soft.Err() == nil; begins = false {
		if !begins && !w.judge(t) {
			return
		}
		if !w.claim(t) {
			return
		}
		last, known := w.l.Answers.Hop(t.Request)
		if err := w.l.Answers.Err(); err != nil {
			c.fail(err)
			return
		}
		if known && !last.Pending {
			w.release(t.Request) // it was answered before the claim
			continue
		}
		if t.Last = nil; known { // an audit that was stopped may have stored it
			t.Last = lasting(last)
		}
		if !w.answer(t) {
			return
		}
		t.Last = nil
	}
}

// begins reports whether nothing is known of an entry, as far as its task says, and its own address
// is on h: then that is the request of the task. What Judge would say of it is no more.
func (w *worker) begins(t *Task) bool {
	if t.Request != (audit.Request{}) || len(t.Trail) > 0 {
		return false
	}
	at, ok := t.Entry.Begins()
	if !ok || w.c.o.Key(at) != w.h.name {
		return false
	}
	t.Request = t.Entry.Request(at, audit.AsRobot, &w.c.o.Rules)
	return true
}

// judge judges the entry of a task, and reports whether t.Request is its next request, to h. Where
// it is not, the task is settled, or another host has it.
func (w *worker) judge(t *Task) bool {
	c := w.c
	w.row.Judge(w.mem, t.Entry, &c.o.Rules, w.l.Want)
	if err := w.mem.Err(); err != nil {
		c.fail(err)
		return false
	}
	if len(w.row.Needs) == 0 {
		c.settled(c.phase, &w.row)
		c.Progress.Settled.Add(1)
		if !c.phase.first {
			c.Progress.Needed.Add(-1)
		}
		return false
	}
	t.Request = w.row.Needs[0]
	if c.keyOf(t.Request.URL) != w.h.name {
		w.hand(t)
		return false
	}
	return true
}

// hand passes a task to another host.
func (w *worker) hand(t *Task) {
	trail := make([]audit.Hop, 0, len(w.row.Trail.Steps))
	for i := range w.row.Trail.Steps {
		trail = append(trail, w.row.Trail.Steps[i].Hop)
	}
	t.Trail = trail
	w.done(nil, []Task{*t})
}

// done passes answers and tasks to the Frontier, and reports whether it accepted them.
func (w *worker) done(hops []audit.Hop, foreign []Task) bool {
	err := w.c.frontier.Done(w.c.hard, w.l, hops, foreign)
	switch {
	case errors.Is(err, ErrFenced):
		w.h.fenced()
	case err != nil:
		w.c.fail(err)
	}
	return err == nil
}

// rests reports to the Frontier that a host has asked for a rest.
func (c *Crawler) rests(h *host) {
	l := h.leased()
	if l == nil {
		return
	}
	switch err := c.frontier.Done(c.hard, l, nil, nil); {
	case errors.Is(err, ErrFenced):
		h.fenced()
	case err != nil:
		c.fail(err)
	}
}

// fenced drops the tasks of h: another holder has the host.
func (h *host) fenced() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue, h.fresh = nil, nil
}

// leased returns the lease of h; nil where it is not leased.
func (h *host) leased() *Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lease
}

// claim reports whether the caller is to send t.Request. If not, the entry waits for the answer.
func (w *worker) claim(t *Task) bool {
	h := w.h
	h.mu.Lock()
	defer h.mu.Unlock()
	waiters, busy := h.asking[t.Request]
	switch {
	case !busy:
		h.asking[t.Request] = nil
		return true
	case w.c.waiting.Add(1) > maxWaiting:
		w.c.waiting.Add(-1)
		w.c.cut.Store(true)
	default:
		h.asking[t.Request] = append(waiters, Task{Entry: t.Entry, Trail: t.Trail})
	}
	return false
}

// release ends a claim: tasks that waited for the answer continue.
func (w *worker) release(r audit.Request) {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	w.c.release(w.h, r)
}

// release is worker.release for a caller that holds h.mu.
func (c *Crawler) release(h *host, r audit.Request) {
	h.queue = append(h.queue, h.asking[r]...)
	if n := len(h.asking[r]); n > 0 {
		c.waiting.Add(-int64(n))
		c.start(h)
	}
	delete(h.asking, r)
}

// later puts a task back after some time. The claim on its request stays.
func (w *worker) later(t Task, after time.Duration) {
	c, h, soft := w.c, w.h, w.c.soft
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timers++
	go func() {
		_ = pause(soft, after)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.timers--
		h.queue = append(h.queue, t)
		c.start(h)
	}()
}
