package crawler

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"sitemend/crawler/audit"
)

// A Frontier hands out what is to be asked, host by host. The local one (dueHosts) hands it
// to this process; another may hand it to many machines.
//
// Its methods may be called from several goroutines at once. Every error but io.EOF and
// ErrFenced ends the asking.
type Frontier interface {
	// Lease waits until a host has something to do, and leases it: until Release nobody else
	// is given that host. It returns io.EOF where nothing is left and no host is leased, and
	// ctx's error when ctx ends first.
	Lease(ctx context.Context) (*Lease, error)
	// Next appends the next tasks of a leased host to into; none where there is nothing for
	// now.
	Next(ctx context.Context, l *Lease, into []Task) ([]Task, error)
	// Done takes answers of a leased host, and tasks whose next request goes to others. Of a
	// request that is tried again it takes each answer (audit.Hop.Pending but for the last), and
	// the later one counts. It may gather them, but has them once Release has returned. Trails are
	// the caller's: a Frontier that keeps one copies it. A call with neither says that the host is
	// asked otherwise from now on (Lease.Now), which whoever comes next has to know: it rests.
	Done(ctx context.Context, l *Lease, hops []audit.Hop, foreign []Task) error
	// Release gives a host back, with how it was asked last.
	Release(ctx context.Context, l *Lease, s HostState) error
}

// ErrFenced is the error of a Frontier whose lease somebody else has by now. What it was for
// is theirs: it is not asked any more, and no fault.
var ErrFenced = errors.New("the host is leased to another")

// A Lease is the leave to ask one host, alone.
type Lease struct {
	Key     string        // the host, or what Options.Key makes of it
	Want    audit.Want    // what is wanted of its entries
	Answers audit.Answers // what is known already
	// State is how the host was asked last, where Elsewhere says that this may have been
	// another process; else the Crawler knows it.
	State     HostState
	Elsewhere bool
	// Live ends when the lease is lost: nothing is sent after, and what is under way is given
	// up. nil for a lease that lasts until it is given back.
	Live context.Context
	// Now returns how the host is asked now. The Crawler sets it before it calls Next.
	Now func() HostState
	// Counted returns what the requests of the host took since it was called last, likewise. It may
	// be called at any time.
	Counted func() Counted
}

// Counted is what Progress says of the requests of one host and has to be told where others send
// them.
type Counted struct {
	// Waited is how long requests waited for their turn, Answering how long for their answers, all
	// of them together. Slowed says that the host wanted a slower pace.
	Waited, Answering time.Duration
	Slowed            bool
	Rest              Rest // the last one that the host asked for; the zero value for none
}

// lost reports whether somebody else may have the host by now.
func (l *Lease) lost() bool { return l != nil && l.Live != nil && l.Live.Err() != nil }

// A Task is an entry that needs requests of a host, or a lone request. It is data, and can
// be written down.
type Task struct {
	Entry audit.Entry
	// Request is the next one that Entry needs, where it is known, and that of a lone task.
	Request audit.Request
	// Trail is the answers on the way to Request, for whom Lease.Answers does not have them.
	Trail []audit.Hop
	// Before is what an earlier audit remembers of Request, to ask for changes alone; nil
	// where the Crawler knows it (Remember), or nothing is known.
	Before      *audit.Hop
	AltSpelling bool // Request is asked for as another spelling of an address
	Lone        bool // it belongs to no entry
	// Last is the answer to Request after which another try is due (audit.Hop.Pending), which is
	// remembered; nil for none.
	Last *audit.Hop
	Most int // requests for it; 0 for as many as there are pauses between them
}

// dueHosts is the Frontier of one process: a queue and a plan for each host. A batch is
// made for one Next at a time, and answers go to the store one by one: where the asker is
// in the same process, each task that waits for an answer has it at once, and none is lost.
type dueHosts struct {
	store Store
	want  audit.Want
	most  int               // hosts that are leased at once: what a host takes of memory is that of its workers
	more  func(host string) // called when there is more for a host that is leased
	key   func(url string) string

	mu      sync.Mutex
	change  sync.Cond
	hosts   map[string]*due
	ready   []*due // hosts with something to do that are not leased
	leased  int
	waiting int  // tasks in queues
	cut     bool // a task was put off to the next round
}

// due is what is to be asked of one host.
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

// host returns the host of a name, new if need be. f.mu is held.
func (f *dueHosts) host(name string) *due {
	d := f.hosts[name]
	if d == nil {
		d = &due{next: &Lease{Key: name, Want: f.want, Answers: f.store}}
		f.hosts[name] = d
	}
	return d
}

// plan lists entries of which a host has something to do.
func (f *dueHosts) plan(name string, runs []run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.host(name)
	d.runs = runs
	f.ready = append(f.ready, d)
}

// add adds a task to a host, and reports whether that is leased.
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

// Next implements Frontier. Tasks under way go before new ones, so that few are under way
// at a time.
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

// Done implements Frontier. The store has every answer of a trail.
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
