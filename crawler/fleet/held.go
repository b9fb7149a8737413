package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/audit"
)

// held is a key that this worker holds for a run.
type held struct {
	run      *served
	s        *session
	tok      string
	lease    *crawler.Lease
	lost     context.CancelFunc // ends lease.Live
	since    time.Time
	more     chan struct{} // signaled where there may be a further batch: a ticket was written
	sub      *nats.Subscription
	leaseAt  uint64 // number of the cell; like what follows, for Next and Release alone
	cell     lease
	ahead    *jetstream.RawStreamMsg // the next batch, where it was read ahead; else nil
	ticketed bool                    // a ticket was written since the last look for a batch
	dry      bool                    // the last look for a batch found none

	writing sync.Mutex // held while results are appended
	at      uint64     // number of the last result; guarded by writing

	mu      sync.Mutex
	ticket  jetstream.Msg
	places  places
	pending []task // requests of a batch that is handed out one by one
	hops    []audit.Hop
	timer   *time.Timer
	fenced  bool
	idle    bool // no more requests are due: answers are sent home at once
	careful bool // requests are sent one by one
	changed bool // the host's pace or rest changed in a way that others have to know
	passing bool // the key is to be given back, for an audit wants to send requests there itself
}

// place is the position of a request in its batch.
type place struct {
	batch uint64
	i     int
}

// places records how far the work on a key is.
type places struct {
	done   uint64            // all batches up to this one are answered
	read   uint64            // the last batch that was read
	order  []uint64          // batches that were read and are not fully answered, in order
	open   map[uint64][]bool // for each of these, which requests are answered
	left   map[uint64]int    // for each of these, how many requests are not answered
	asking map[audit.Request][]place
}

// resume returns the places that a result describes.
func resume(r *result) places {
	p := places{done: r.Done, read: r.Done, open: map[uint64][]bool{}, left: map[uint64]int{}, asking: map[audit.Request][]place{}}
	for n, answered := range r.Open {
		p.open[n] = answered
	}
	return p
}

// where returns a name for how far the key is.
func (p *places) where() string {
	n := 0
	for _, answered := range p.open {
		for _, is := range answered {
			if is {
				n++
			}
		}
	}
	return fmt.Sprint(p.done, "+", n)
}

// add adds a batch, and returns those of its requests that are to be sent. It leaves out a request
// that is under way already, whose answer then counts for both.
func (p *places) add(n uint64, tasks []task) (due []task) {
	p.read = n
	answered := p.open[n]
	if len(answered) != len(tasks) {
		answered = make([]bool, len(tasks))
		p.open[n] = answered
	}
	p.order = append(p.order, n)
	for i, t := range tasks {
		if answered[i] {
			continue
		}
		p.left[n]++
		r := t.request()
		if p.asking[r] == nil {
			due = append(due, t)
		}
		p.asking[r] = append(p.asking[r], place{n, i})
	}
	p.settle()
	return due
}

// answer records that a request is answered.
func (p *places) answer(r audit.Request) {
	for _, at := range p.asking[r] {
		p.open[at.batch][at.i] = true
		p.left[at.batch]--
	}
	delete(p.asking, r)
	p.settle()
}

// settle removes batches that are fully answered.
func (p *places) settle() {
	for len(p.order) > 0 && p.left[p.order[0]] == 0 {
		n := p.order[0]
		p.done, p.order = n, p.order[1:]
		delete(p.open, n)
		delete(p.left, n)
	}
}

// gather adds answers that are to be sent home. The caller sends them where full is true.
func (h *held) gather(hops []audit.Hop) (full bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fenced {
		return false, crawler.ErrFenced
	}
	h.hops = append(h.hops, hops...)
	for i := range hops {
		h.run.w.sent.Add(int64(hops[i].Sent()))
	}
	if h.timer == nil {
		h.timer = time.AfterFunc(h.run.w.f.t.Gather, func() {
			_ = h.send(h.lease.Live) // the next request learns of the error
		})
	}
	return len(h.hops) >= batchTasks || h.idle || h.careful, nil
}

// restate makes the next result be sent even if it has no answers.
func (h *held) restate() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed = true
}

// send appends the gathered answers to the results of the key. While the servers do not take them
// it tries again until ctx ends; meanwhile the worker requests only as much as it can gather.
func (h *held) send(ctx context.Context) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	for {
		r, rest := h.collected()
		if r == nil {
			return nil
		}
		if err := h.append(ctx, r); err != nil {
			return err
		}
		if !rest {
			return nil
		}
	}
}

// collected removes and returns the gathered answers, as many as fit into one message, or nil where
// there are none. rest reports whether some are left.
func (h *held) collected() (r *result, rest bool) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	if len(h.hops) == 0 && !h.changed || h.fenced {
		return nil, false
	}
	h.changed = false
	n, size := 0, 0
	for n < len(h.hops) && n < batchTasks && (n == 0 || size < maxMessage) {
		size += hopSize(&h.hops[n])
		n++
	}
	r = &result{Key: h.lease.Key, Hops: hopsOf(h.hops[:n]), Notes: h.run.takeNotes()}
	for i := range n {
		if !h.hops[i].Pending {
			h.places.answer(h.hops[i].Request)
		}
	}
	h.hops = h.hops[n:]
	h.stand(r, now)
	return r, len(h.hops) > 0
}

// stand writes into a result how far the key is, and its pace and rest. h.mu is held.
func (h *held) stand(r *result, now time.Time) {
	r.By = fmt.Sprint(h.s.id, ".", now.UnixNano())
	r.State, r.Counted = stateNow(h.lease.Now(), now), countedNow(h.lease.Counted(), now)
	r.Done, r.Open = h.places.done, map[uint64][]bool{}
	for n, answered := range h.places.open {
		r.Open[n] = append([]bool(nil), answered...)
	}
}

// hopSize returns about how many bytes an answer takes in a message.
func hopSize(h *audit.Hop) int {
	p := &h.Page
	return 200 + len(h.URL) + len(h.Detail) + len(h.Location) + len(p.Title) + len(p.Canonical) + len(p.Robots) + len(p.Refresh) + len(p.ScriptTo)
}

// append appends a result. h.writing is held.
func (h *held) append(ctx context.Context, r *result) error {
	b, err := pack(r)
	if err == nil && len(b) > maxMessage {
		r.Hops = []hop{tooLarge(&r.Hops[0])} // the only one in the message
		b, err = pack(r)
	}
	if err != nil {
		return err
	}
	seq, err := h.run.w.f.insist(ctx, h.run.w.f.results, subject("r", h.run.id, h.tok), b, h.at)
	if err == nil {
		h.at = seq
		return nil
	}
	h.fence()
	h.run.giveNotes(r.Notes)
	return crawler.ErrFenced
}

// tooLarge returns the answer in place of one that is too large for a message.
func tooLarge(h *hop) hop {
	return hop{URL: h.URL, Purpose: h.Purpose, Fault: audit.FaultUnreachable, Detail: "its answer does not fit into a message",
		Tries: h.Tries, Counted: h.Counted, Pending: h.Pending, AltSpelling: h.AltSpelling, At: h.At}
}

// fence records that another process has the key.
func (h *held) fence() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fenced = true
	h.hops = nil
	h.lost()
}

// isFenced reports whether another process has the key, or may have it.
func (h *held) isFenced() bool {
	h.mu.Lock()
	fenced := h.fenced
	h.mu.Unlock()
	return fenced || h.lease.Live.Err() != nil
}

// makeWay makes the crawler give the key back soon.
func (h *held) makeWay() {
	h.mu.Lock()
	h.passing = true
	h.mu.Unlock()
	h.poke() // wakes it where it lingers
}

// poke makes the crawler look again for requests.
func (h *held) poke() {
	select {
	case h.more <- struct{}{}:
	default:
	}
}

// stands reports whether no more requests may be sent for now.
func (h *held) stands() bool {
	h.mu.Lock()
	passing := h.passing
	h.mu.Unlock()
	return passing || h.run.stands()
}

// leave sends the last answers home and gives the lease back. Then it gives the ticket back, or
// ends it where no requests are left.
func (h *held) leave(ctx context.Context, s crawler.HostState) {
	f := h.run.w.f
	_ = h.sub.Unsubscribe()
	err := h.send(ctx)
	h.lost()
	h.mu.Lock()
	finished := err == nil && h.dry && len(h.places.order) == 0 && len(h.pending) == 0
	ticket, read := h.ticket, h.places.read
	h.mu.Unlock()
	if err := f.free(ctx, h.tok, h.leaseAt, s); errors.Is(err, errStale) {
		finished = false
	}
	if !finished && time.Since(h.since) > f.t.Slice {
		h.run.w.pass(h.tok)
	}
	h.run.forget(h)
	h.run.w.forget(h.tok)
	if !finished || ticket.DoubleAck(ctx) != nil {
		_ = ticket.Nak()
		return
	}
	// A batch that was written before the ticket ended found a ticket, and wrote no other one.
	if m, err := f.urls.next(ctx, subject("u", h.run.id, h.tok), read+1); err != nil || m != nil {
		_ = f.ticket(ctx, h.run.id, h.tok, h.lease.Key)
	}
}
