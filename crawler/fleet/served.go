package fleet

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// served is a run that a worker takes part in.
type served struct {
	w      *worker
	id     string
	key    func(address.Address) string
	leases chan *held
	over   chan struct{} // closed when the run, or this worker's part in it, is over
	paused atomic.Bool

	mu     sync.Mutex
	ended  bool // over is closed
	byKey  map[string]*held
	notes  []crawler.Note
	ledger map[string][]byte
}

// run returns a run that is not over, and opens it if this worker has not.
func (w *worker) run(ctx context.Context, id string) (*served, error) {
	w.mu.Lock()
	r := w.runs[id]
	w.mu.Unlock()
	if r != nil {
		return r, nil
	}
	c, found, err := w.f.control(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found || c.over() {
		return nil, errOver
	}
	if c.Wire != wireVersion {
		return nil, w.other(id)
	}
	o, err := w.Open(c.How)
	if err != nil {
		w.f.o.Warn("the audit %s cannot be asked for here: %v", id, err)
		return nil, err
	}
	r = &served{w: w, id: id, key: o.Key, leases: make(chan *held, w.Keys), over: make(chan struct{}), byKey: map[string]*held{}, ledger: map[string][]byte{}}
	if r.key == nil {
		r.key = address.Address.Host
	}
	r.obey(c, true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.runs[id]; other != nil {
		return other, nil
	}
	w.runs[id] = r
	o.Noted, o.Via, o.Politeness = r.note, nil, nil
	w.ends.Add(1)
	go r.serve(ctx, o)
	return r, nil
}

// serve sends the requests of the run until it is over or ctx ends.
func (r *served) serve(ctx context.Context, o crawler.Options) {
	defer r.w.ends.Done()
	c := crawler.New(r, o)
	defer c.Close()
	err := c.Serve(ctx, queue{r})
	if err != nil && ctx.Err() == nil {
		r.w.f.o.Warn("the requests of %s end here: %v", r.id, err)
	}
	r.w.mu.Lock()
	if r.w.runs[r.id] == r {
		delete(r.w.runs, r.id) // another ticket opens it again
	}
	r.w.mu.Unlock()
	r.end()
	for {
		select {
		case h := <-r.leases: // no crawler takes them
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.w.f.t.giveBack())
			h.leave(ctx, h.lease.State)
			cancel()
		default:
			return
		}
	}
}

// end ends this worker's part in the run.
func (r *served) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.ended = true
		close(r.over)
	}
}

// obey follows the control cell of the run; found is false where there is none.
func (r *served) obey(c control, found bool) {
	r.paused.Store(found && c.State == Paused)
	if found && !c.over() {
		return
	}
	r.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.byKey {
		h.lost()
	}
}

// stands reports whether no more requests are to be sent for now.
func (r *served) stands() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended || r.paused.Load()
}

// give hands a key to the crawler.
func (r *served) give(h *held) error {
	r.w.mu.Lock()
	r.w.active[h.tok] = h
	r.w.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return errOver
	}
	h.lease.Now, h.lease.Counted = func() crawler.HostState { return h.lease.State }, nothingCounted
	r.byKey[h.lease.Key] = h
	r.leases <- h // there is room for all keys of a worker
	return nil
}

// held returns what this worker holds of a key, or nil.
func (r *served) held(key string) *held {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byKey[key]
}

// forget records that the key is not held any more.
func (r *served) forget(h *held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey[h.lease.Key] == h {
		delete(r.byKey, h.lease.Key)
	}
}

// note gathers a note of the crawler, to be sent home with answers.
func (r *served) note(n crawler.Note) { r.giveNotes([]crawler.Note{n}) }

func (r *served) giveNotes(notes []crawler.Note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, notes...)
}

func (r *served) takeNotes() []crawler.Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.notes
	r.notes = nil
	return notes
}

// nothing is the audit.Answers of a worker, which has none.
type nothing struct{}

// Hop implements audit.Answers.
func (nothing) Hop(audit.Request) (audit.Hop, bool) { return audit.Hop{}, false }

// Err implements audit.Answers.
func (nothing) Err() error { return nil }

// The store of a worker knows no entries and keeps no answers. Its files are those of the run.

// Hop implements crawler.Store.
func (r *served) Hop(audit.Request) (audit.Hop, bool) { return audit.Hop{}, false }

// Err implements crawler.Store.
func (r *served) Err() error { return nil }

// Keep implements crawler.Store.
func (r *served) Keep(audit.Hop) error { return errors.ErrUnsupported }

// Entries implements crawler.Store.
func (r *served) Entries(context.Context, int, int) iter.Seq2[audit.Entry, error] {
	return func(func(audit.Entry, error) bool) {}
}

// EntryCount implements crawler.Store.
func (r *served) EntryCount() int { return 0 }

// Sitemaps implements crawler.Store.
func (r *served) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

// robotsRecord is the beginning of the name of a robots.txt record; the origin follows.
const robotsRecord = "robots/"

// Put implements crawler.Store: it sends a file home, and stores it for workers that come later.
func (r *served) Put(name string, value []byte) error {
	origin, is := strings.CutPrefix(name, robotsRecord)
	if !is {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ledger[name] = slices.Clone(value)
		return nil
	}
	key := r.key(address.Wire(origin + "/"))
	ctx, cancel := context.WithTimeout(context.Background(), r.w.f.t.Ticket)
	defer cancel()
	h := r.held(key)
	if h == nil {
		return nil // of another key, to which the request was redirected: its holder reads it
	}
	if r.w.f.keep(ctx, r.id, h.tok, &result{Key: key, Notes: r.takeNotes(), Records: map[string][]byte{name: value}}) != nil {
		return crawler.ErrFenced // the servers do not answer
	}
	return nil
}

// Get implements crawler.Store.
func (r *served) Get(name string) (value []byte, ok bool, err error) {
	origin, is := strings.CutPrefix(name, robotsRecord)
	if !is {
		r.mu.Lock()
		defer r.mu.Unlock()
		value, ok = r.ledger[name]
		return value, ok, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.w.f.t.Ticket)
	defer cancel()
	if value, ok, err = r.w.f.file(ctx, r.id, token(r.key(address.Wire(origin+"/"))), name); err != nil {
		err = crawler.ErrFenced // likewise
	}
	return value, ok, err
}
