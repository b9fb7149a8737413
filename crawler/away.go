package crawler

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
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
	Hops  []answers.Hop
	Notes []Note
	// Records are files that were fetched on the way (robots.txt), under the names that they have
	// in the Store.
	Records map[string][]byte
	State   HostState // pace and rest of the host then; zero where unknown
}

// A Frontier hands out the requests of an audit of another process, key by key. Its methods must be
// safe for concurrent use. Answers go to the Store. Every error other than io.EOF and ErrFenced, from
// either, ends Serve.
type Frontier interface {
	// Lease waits until a key has something to do, and leases it: until Release no other caller
	// gets that key. It returns io.EOF where nothing is left, and ctx's error when ctx ends first.
	Lease(ctx context.Context) (*Lease, error)
	// Next returns the next tasks of a leased key; none where there are none for now.
	Next(ctx context.Context, l *Lease) ([]Task, error)
	// Rests says that the state of the key (Lease.Now) has changed in a way that the next holder must
	// know: the host rests.
	Rests(l *Lease) error
	// Release gives a key back, with its state. The Store must have all its answers by then.
	Release(ctx context.Context, l *Lease, s HostState) error
}

// ErrFenced is the error of a Frontier for a lease that another holder has by now. Its requests
// belong to that holder: they are not sent, which is not a fault.
var ErrFenced = errors.New("the host is leased to another")

// A Lease is the exclusive right to send requests to one key.
type Lease struct {
	Key string
	// State is the pace and rest of the host where Elsewhere is set: another process may have sent
	// the last requests. Otherwise the Crawler knows them.
	State     HostState
	Elsewhere bool
	// Live ends when the lease is lost: no request is sent after that, and those under way are
	// given up.
	Live context.Context
	// Now returns the current state of the host. The Crawler sets it before it calls Next.
	Now func() HostState
}

// lost reports whether another holder may have the host by now.
func (l *Lease) lost() bool { return l != nil && l.Live.Err() != nil }

// leased returns the lease of h; nil where it is not leased.
func (h *host) leased() *Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lease
}

// Serve sends the requests that a Frontier hands out, until the Frontier has no more, which is no
// error, or ctx ends. The tasks are lone ones.
func (c *Crawler) Serve(ctx context.Context, f Frontier) error {
	return c.pass(ctx, audit.Want{}, func() error {
		c.frontier, c.line.most = f, math.MaxInt
		for {
			l, err := f.Lease(c.soft)
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			h := c.host(l.Key)
			l.Now = h.State
			c.adopt(h, l.Elsewhere, l.State)
			h.mu.Lock()
			h.lease, h.asking = l, map[answers.Request][]int{} // what a lease that was lost had claimed is handed out again
			c.first(h)
			h.mu.Unlock()
		}
	})
}

// adopt continues from the state in which another process left h, where one did.
func (c *Crawler) adopt(h *host, elsewhere bool, s HostState) {
	if elsewhere {
		h.adopt(s)
		c.abandons(h) // the audit notes it
	}
	if s.Rest.After(time.Now()) {
		c.Progress.Rest(Rest{h.name, s.Status, s.Rest})
	}
}

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
	h := c.host(home.Key)
	c.adopt(h, true, home.State)
	for i := range home.Hops {
		if err := c.takeHop(h, home.Hops[i]); err != nil {
			return err
		}
	}
	return nil
}

// takeHop stores an answer, unless it or a later one is known, and continues the entry that waits
// for it.
func (c *Crawler) takeHop(h *host, hop answers.Hop) error {
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
	n, away := h.away[hop.Request]
	if !away {
		return nil
	}
	delete(h.away, hop.Request)
	if n < 0 {
		c.Progress.over()
	} else {
		h.ahead = add(h.ahead, n)
	}
	c.release(h, hop.Request)
	c.wake(h)
	c.all.Done()
	return nil
}

// send passes a claimed request to another process. The entry continues when the answer comes.
func (w *worker) send(t *Task) {
	c, h := w.c, w.h
	n := t.Entry.N
	if t.Lone {
		n = -1
	}
	h.mu.Lock()
	gone := c.hard.Err() != nil
	if !gone {
		h.away[t.Request] = n
		c.all.Add(1)
	}
	h.mu.Unlock()
	if gone {
		return
	}
	far := Task{Request: t.Request, Most: t.Most, Lone: true, Last: t.Last}
	if err := c.o.Via.Send(c.soft, h.name, far, h.State()); err != nil {
		c.fail(err)
	}
}

// awayMost is how many requests of a host may be on their way at once: enough to keep the sender busy,
// and few, for the requests that entries need next queue behind them.
const awayMost = 128

// collect takes what comes home until the returned function is called, or the crawl is given up:
// then no entry waits for what is on its way.
func (c *Crawler) collect() (done func()) {
	if c.o.Via == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(c.hard)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := ground.Guard(func() error { return c.o.Via.Collect(ctx, c.Take) })
		if err != nil && ctx.Err() == nil {
			c.fail(err)
		}
		<-ctx.Done()
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, h := range c.hosts {
			h.mu.Lock()
			c.all.Add(-len(h.away))
			clear(h.away)
			h.mu.Unlock()
		}
	}()
	return func() { cancel(); <-ended }
}

// borrowed is the lease of a host for requests for files, which this process sends itself while
// others send those for entries (Options.Via). It is guarded by host.borrowing.
type borrowed struct {
	*Lease
	users int // requests that are being sent under it
}

// borrow leases h to this process for one request; it returns nil where no other process sends
// requests. Concurrent requests share a lease. The error is that of ctx.
func (c *Crawler) borrow(ctx context.Context, h *host) (*borrowed, error) {
	if c.o.Via == nil {
		return nil, nil
	}
	h.borrowing.Lock()
	defer h.borrowing.Unlock()
	if h.own == nil || h.own.lost() {
		l, err := c.o.Via.Lease(ctx, h.name)
		if err != nil {
			return nil, err
		}
		if l.Elsewhere {
			h.adopt(HostState{PaceState: l.State.PaceState})
		}
		h.own = &borrowed{Lease: l}
	}
	h.own.users++
	return h.own, nil
}

// giveBack returns what borrow returned.
func (c *Crawler) giveBack(ctx context.Context, h *host, b *borrowed) {
	if b == nil {
		return
	}
	h.borrowing.Lock()
	defer h.borrowing.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	if h.own == b {
		h.own = nil
	}
	c.o.Via.Release(ctx, b.Lease, h.State())
}
