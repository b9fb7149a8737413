package fleet

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// served is a run that a worker takes part in: the Frontier and the Store of its Crawler. It knows no
// entries and keeps no answers.
type served struct {
	crawler.Store // nil: what a worker does not need of it is not called

	w    *worker
	id   string
	keys func(address.Address) string
	new  chan *held
	over context.Context // ends with this worker's part in the run
	end  context.CancelFunc

	held sync.Map // *held by key

	mu    sync.Mutex
	notes []crawler.Note
}

// serve sends the requests of the run until it is over or ctx ends.
func (r *served) serve(ctx context.Context, o crawler.Options) {
	o.Noted, o.Via, o.Paces = func(n crawler.Note) { r.note(n) }, nil, nil
	c := crawler.New(r, o)
	defer c.Close()
	if err := c.Serve(ctx, r); err != nil && ctx.Err() == nil {
		r.w.f.o.Warn("the requests of %s end here: %v", r.id, err)
	}
	r.end()
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	delete(r.w.runs, r.id) // another ticket opens it again
}

// of returns what this worker holds of a key, or nil.
func (r *served) of(key string) *held {
	h, _ := r.held.Load(key)
	is, _ := h.(*held)
	return is
}

// note gathers notes of the crawler, to be sent home with answers.
func (r *served) note(notes ...crawler.Note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, notes...)
}

// Lease implements crawler.Frontier.
func (r *served) Lease(ctx context.Context) (*crawler.Lease, error) {
	select {
	case h := <-r.new:
		return h.lease, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.over.Done():
		return nil, io.EOF
	}
}

// Next implements crawler.Frontier. The answers so far are sent home first, for further requests may
// depend on them.
func (r *served) Next(ctx context.Context, l *crawler.Lease) (tasks []crawler.Task, err error) {
	h := r.of(l.Key)
	if h == nil || l.Live.Err() != nil {
		return nil, crawler.ErrFenced
	}
	due := h.first
	if h.first = nil; due == nil && ctx.Err() == nil && h.going.Err() == nil && time.Since(h.since) < r.w.f.t.Slice {
		h.idle.Store(true)
		defer h.idle.Store(false)
		if err := h.send(false); err != nil {
			return nil, err
		}
		due = h.ask(ctx).Tasks
	}
	for _, t := range due {
		tasks = append(tasks, crawler.Task{Request: t.Request, Most: t.Most, Lone: true, Last: t.Last})
	}
	return tasks, nil
}

// Rests implements crawler.Frontier.
func (r *served) Rests(l *crawler.Lease) error {
	if h := r.of(l.Key); h != nil {
		return h.send(true)
	}
	return crawler.ErrFenced
}

// Keep implements crawler.Store: it gathers answers that are to be sent home.
func (r *served) Keep(hop answers.Hop) error {
	h := r.of(r.keys(address.Wire(hop.URL)))
	if h == nil {
		return crawler.ErrFenced
	}
	var err error
	if h.gather(hop) {
		err = h.send(false)
	}
	if err == nil && h.going.Err() != nil {
		err = crawler.ErrFenced // what was handed out but not sent waits for the next holder
	}
	return err
}

// Release implements crawler.Frontier.
func (r *served) Release(_ context.Context, l *crawler.Lease, s crawler.HostState) error {
	if h := r.of(l.Key); h != nil {
		h.leave(s)
	}
	return nil
}

// Hop implements crawler.Store.
func (r *served) Hop(answers.Request) (answers.Hop, bool) { return answers.Hop{}, false }

// Err implements crawler.Store.
func (r *served) Err() error { return nil }

// robotsRecord is the beginning of the name of a robots.txt record; the origin follows.
const robotsRecord = "robots.txt/"

// files returns what this worker holds of the key that a robots.txt belongs to, or nil: then its holder
// reads that file. A worker has no other files.
func (r *served) files(name string) *held {
	origin, robots := strings.CutPrefix(name, robotsRecord)
	if !robots {
		return nil
	}
	return r.of(r.keys(address.Wire(origin + "/")))
}

// Put implements crawler.Store: it sends a file home.
func (r *served) Put(name string, value []byte) error {
	h := r.files(name)
	if h == nil {
		return nil
	}
	h.files.Store(name, value)
	home := h.result()
	home.Files = map[string][]byte{name: value}
	return h.post(home)
}

// Get implements crawler.Store.
func (r *served) Get(name string) (value []byte, ok bool, err error) {
	if h := r.files(name); h != nil {
		file, _ := h.files.Load(name)
		value, ok = file.([]byte)
	}
	return value, ok, nil
}
