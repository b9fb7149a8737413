package crawler

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"sitemend/crawler/audit"
)

// A Frontier hands out the requests to be sent, host by host. The local one (dueHosts) hands them
// to this process; another one may hand them to many machines.
//
// Its methods must be safe for concurrent use. Every error other than io.EOF and ErrFenced ends the
// crawl.
type Frontier interface {
	// Lease waits until a host has something to do, and leases it: until Release no other caller
	// gets that host. It returns io.EOF where nothing is left and no host is leased, and ctx's
	// error when ctx ends first.
	Lease(ctx context.Context) (*Lease, error)
	// Next appends the next tasks of a leased host to into; none where there are none for now.
	Next(ctx context.Context, l *Lease, into []Task) ([]Task, error)
	// Done takes answers of a leased host, and tasks whose next request goes to other hosts. Of a
	// request that is tried again it takes each answer (audit.Hop.Pending for all but the last),
	// and the latest one counts. It may gather answers, but must have them all once Release has
	// returned. Trails belong to the caller: a Frontier that keeps one copies it. A call without
	// answers and tasks means that the state of the host (Lease.Now) has changed in a way that the
	// next holder must know: the host rests.
	Done(ctx context.Context, l *Lease, hops []audit.Hop, foreign []Task) error
	// Release gives a host back, with its state.
	Release(ctx context.Context, l *Lease, s HostState) error
}

// ErrFenced is the error of a Frontier for a lease that another holder has by now. Its requests
// belong to that holder: they are not sent, which is not a fault.
var ErrFenced = errors.New("the host is leased to another")

// A Lease is the exclusive right to send requests to one host.
type Lease struct {
	Key     string        // the host name, or the result of Options.Key
	Want    audit.Want    // what is wanted of its entries
	Answers audit.Answers // those that are known already
	// State is the pace and rest of the host where Elsewhere is set: another process may have sent
	// the last requests. Otherwise the Crawler knows them.
	State     HostState
	Elsewhere bool
	// Live ends when the lease is lost: no request is sent after that, and those under way are
	// given up. nil for a lease that lasts until it is given back.
	Live context.Context
	// Now returns the current state of the host. The Crawler sets it before it calls Next.
	Now func() HostState
	// Counted returns how long the requests of the host took since the last call. The Crawler sets
	// it, too. It may be called at any time.
	Counted func() Counted
}

// Counted is the part of Progress about the requests of one host, for a process that did not send
// them.
type Counted struct {
	// Waited is how long requests waited for their turn, Answering how long for their answers, in
	// total. Slowed is set where the host asked for a slower pace.
	Waited, Answering time.Duration
	Slowed            bool
	Rest              Rest // the last one that the host asked for; the zero value for none
}

// lost reports whether another holder may have the host by now.
func (l *Lease) lost() bool { return l != nil && l.Live != nil && l.Live.Err() != nil }

// A Task is an entry that needs requests to a host, or a lone request. It is data, and can be
// serialized.
type Task struct {
	Entry audit.Entry
	// Request is the next request that Entry needs, where it is known, or that of a lone task.
	Request audit.Request
	// Trail is the answers on the way to Request, for a holder whose Lease.Answers does not have
	// them.
	Trail       []audit.Hop
	AltSpelling bool // Request is for another spelling of an address
	Lone        bool // it belongs to no entry
	// Last is the stored answer to Request after which another attempt is due (audit.Hop.Pending);
	// nil for none.
	Last *audit.Hop
	Most int // attempts for it; 0 for as many as Options.Backoff allows
}

// dueHosts is the Frontier of one process: a queue and a plan for each host. Batches are made for
// one Next at a time, and answers go to the store one by one: in the same process, each task that
// waits for an answer gets it at once, and none is lost.
type dueHosts struct {
	store Store
	want  audit.Want
	most  int               // hosts that are leased at once: a host takes the memory of its workers
	more  func(host string) // called when there are more tasks for a leased host
	key   func(url string) string

	mu      sync.Mutex
	change  sync.Cond
	hosts   map[string]*due
	ready   []*due // hosts that have something to do and are not leased
	leased  int
	waiting int  // tasks in queues
	cut     bool // a task was put off to the next round
}

// due is the requests to be sent to one host.
type due struct {
	queue []Task
	runs  []run
	lease *Lease // nil where it is not leased
	next  *Lease // for the next time
}

func newDueHosts(store Store, want audit.Want, most int, key func(url string) string, more func(host string)) *dueHosts {
	f := &dueHosts{store: store, want: want, most: most, key: key, more: more, hosts: map[string]*due{}}
	f.change.L = &f.mu
	return f
}

// host returns the host with a name, and creates it where there is none. f.mu is held.
func (f *dueHosts) host(name string) *due {
	d := f.hosts[name]
	if d == nil {
		d = &due{next: &Lease{Key: name, Want: f.want, Answers: f.store}}
		f.hosts[name] = d
	}
	return d
}

// plan lists entries for which a host has something to do.
func (f *dueHosts) plan(name string, runs []run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.host(name)
	d.runs = runs
	f.ready = append(f.ready, d)
}

// add adds a task to a host, and reports whether the host is leased.
func (f *dueHosts) add(name string, t Task) (leased bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !t.Lone {
		if f.waiting >= maxWaiting {
			f.cut = true
			return false
		}
		f.waiting++
	}
	d := f.host(name)
	d.queue = append(d.queue, t)
	if d.lease == nil && len(d.queue) == 1 && len(d.runs) == 0 {
		f.ready = append(f.ready, d)
		f.change.Signal()
	}
	return d.lease != nil
}

// Lease implements Frontier.
func (f *dueHosts) Lease(ctx context.Context) (*Lease, error) {
	defer context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.change.Broadcast()
	})()
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case len(f.ready) > 0 && f.leased < f.most:
			d := f.ready[0]
			f.ready[0] = nil
			f.ready = f.ready[1:]
			f.leased++
			d.lease = d.next
			return d.lease, nil
		case f.leased == 0:
			return nil, io.EOF
		}
		f.change.Wait()
	}
}

// Next implements Frontier. Tasks under way precede new ones, so that few are under way at a time.
func (f *dueHosts) Next(ctx context.Context, l *Lease, into []Task) ([]Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.hosts[l.Key]
	if n := min(len(d.queue), entryChunk); n > 0 {
		into = append(into, d.queue[:n]...)
		clear(d.queue[:n])
		d.queue = d.queue[n:]
		if !into[0].Lone {
			f.waiting -= n
		}
		return into, nil
	}
	for room := entryChunk; len(d.runs) > 0 && room > 0; {
		r := &d.runs[0]
		to := min(r.to, r.from+room)
		for e, err := range f.store.Entries(ctx, r.from, to) {
			if err != nil {
				return into, err
			}
			into = append(into, Task{Entry: e})
		}
		room -= to - r.from
		if r.from = to; r.from == r.to {
			d.runs = d.runs[1:]
		}
	}
	return into, nil
}

// Done implements Frontier. The store has every answer of a trail already.
func (f *dueHosts) Done(_ context.Context, _ *Lease, hops []audit.Hop, foreign []Task) error {
	for i := range hops {
		if err := f.store.Keep(hops[i]); err != nil {
			return err
		}
	}
	for _, t := range foreign {
		t.Trail = nil
		if name := f.key(t.Request.URL); f.add(name, t) {
			f.more(name)
		}
	}
	return nil
}

// Release implements Frontier.
func (f *dueHosts) Release(_ context.Context, l *Lease, _ HostState) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.hosts[l.Key]
	d.lease, d.next = nil, l
	f.leased--
	if len(d.queue)+len(d.runs) > 0 {
		f.ready = append(f.ready, d)
	}
	f.change.Signal()
	return nil
}
