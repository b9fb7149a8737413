package fleet

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/audit"
)

// openBatches is how many batches of a key may be under way at once, so that requests that are
// tried again later do not hold up the following ones.
const openBatches = 8

// queue is the Frontier of one run at one worker: it leases the keys whose tickets the worker has
// pulled.
type queue struct{ run *served }

// Lease implements crawler.Frontier.
func (q queue) Lease(ctx context.Context) (*crawler.Lease, error) {
	select {
	case h := <-q.run.leases:
		return h.lease, nil
	case <-q.run.over:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Next implements crawler.Frontier.
func (q queue) Next(ctx context.Context, l *crawler.Lease, into []crawler.Task) ([]crawler.Task, error) {
	h := q.run.held(l.Key)
	for first := true; ; first = false {
		if h == nil || h.isFenced() {
			return into, crawler.ErrFenced
		}
		if h.cell.Careful && h.busy() {
			return into, nil
		}
		if t, ok := h.one(ctx); ok {
			return append(into, t), nil
		}
		if ctx.Err() != nil || h.stands() || time.Since(h.since) > q.run.w.f.t.Slice || h.tooMany() {
			return into, nil
		}
		due, found := h.read(ctx)
		if found && h.cell.Careful {
			h.oneByOne(due)
			continue
		}
		for i := range due {
			into = append(into, due[i].lone())
		}
		if len(into) > 0 || !found && !first {
			return into, nil
		}
		if !found && !h.linger(ctx) {
			return into, nil
		}
	}
}

// oneByOne keeps requests that are to be handed out one at a time.
func (h *held) oneByOne(due []task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = due
}

// lone returns a task in the form that a crawler takes.
func (t *task) lone() crawler.Task {
	out := crawler.Task{Request: t.request(), Most: t.Most, Lone: true, AltSpelling: t.AltSpelling}
	if t.Last != nil {
		last := t.Last.read()
		out.Last = &last
	}
	return out
}

// Done implements crawler.Frontier.
func (q queue) Done(_ context.Context, l *crawler.Lease, hops []audit.Hop, _ []crawler.Task) error {
	h := q.run.held(l.Key)
	if h == nil {
		return crawler.ErrFenced
	}
	if len(hops) == 0 {
		h.restate()
		return h.send(l.Live)
	}
	full, err := h.gather(hops)
	if err == nil && full {
		err = h.send(l.Live)
	}
	if err == nil && h.stands() {
		return crawler.ErrFenced // what was handed out but not sent waits for the next holder
	}
	return err
}

// Release implements crawler.Frontier.
func (q queue) Release(_ context.Context, l *crawler.Lease, s crawler.HostState) error {
	if h := q.run.held(l.Key); h != nil {
		ctx, cancel := context.WithTimeout(context.Background(), q.run.w.f.t.giveBack())
		defer cancel()
		h.leave(ctx, s)
	}
	return nil
}

// giveBack is the time limit for giving a key back.
func (t Timing) giveBack() time.Duration { return min(t.Margin, 3*time.Second) }

// busy reports whether a request is under way.
func (h *held) busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	under := len(h.hops)
	for r := range h.places.asking {
		if !h.waits(r) {
			under++
		}
	}
	return under > 0
}

// waits reports whether a request was not yet handed out. h.mu is held.
func (h *held) waits(r audit.Request) bool {
	for i := range h.pending {
		if h.pending[i].request() == r {
			return true
		}
	}
	return false
}

// tooMany reports whether no further batch may be begun.
func (h *held) tooMany() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.places.order) >= openBatches
}

// read reads the next batch that has requests to send. found is false where there is none, or the
// servers do not answer.
func (h *held) read(ctx context.Context) (due []task, found bool) {
	for {
		m, err := h.following(ctx)
		if h.dry = m == nil && err == nil; m == nil || err != nil {
			return nil, false
		}
		var b batch
		if err := unpack(m.Data, &b); err != nil {
			h.run.w.f.o.Warn("a message of %s cannot be read: %v", m.Subject, err)
			b.Tasks = nil // no other worker can read it either
		}
		h.mu.Lock()
		due = h.places.add(m.Sequence, b.Tasks)
		h.mu.Unlock()
		if len(due) > 0 {
			return due, true
		}
	}
}

// following returns the next batch, or nil where there is none.
func (h *held) following(ctx context.Context) (*jetstream.RawStreamMsg, error) {
	if m := h.ahead; m != nil {
		h.ahead = nil
		return m, nil
	}
	select {
	case <-h.more:
		h.ticketed = true
	default:
	}
	h.mu.Lock()
	from := h.places.read + 1
	h.mu.Unlock()
	urls, batches := h.run.w.f.urls, subject("u", h.run.id, h.tok)
	m, err := urls.near(ctx, batches, from)
	if m == nil && err == nil && h.ticketed && urls.many { // it exists, but not yet on every server
		m, err = urls.next(ctx, batches, from)
	}
	h.ticketed = false
	return m, err
}

// linger waits a moment for more requests, and reports whether there may be some. It sends the
// gathered answers home first, for further requests may depend on them.
func (h *held) linger(ctx context.Context) bool {
	h.waiting(true)
	defer h.waiting(false)
	if h.send(h.lease.Live) != nil || h.stands() {
		return false
	}
	t := time.NewTimer(h.run.w.f.t.Linger)
	defer t.Stop()
	select {
	case <-h.more:
		h.ticketed = true
		return true
	case <-t.C:
	case <-ctx.Done():
	case <-h.lease.Live.Done():
	}
	return false
}

// waiting records whether the key has no more requests to send for now.
func (h *held) waiting(is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = is
}

// one hands out the next request of a key whose holders died. It hands out a single one, and first
// records in the lease that this is the one in hand. For a request with which as many workers died
// as trials allows, one answers with that failure instead.
func (h *held) one(ctx context.Context) (t crawler.Task, ok bool) {
	for {
		h.mu.Lock()
		if len(h.pending) == 0 {
			h.mu.Unlock()
			return t, false
		}
		due := h.pending[0]
		h.pending = h.pending[1:]
		h.mu.Unlock()
		cell := h.cell // at first that of the previous holder
		if cell.Hand != due.request() {
			cell.Hand, cell.Trials = due.request(), 0
		}
		if cell.Trials >= trials {
			_, _ = h.gather([]audit.Hop{{Request: due.request(), Fault: audit.FaultUnreachable, AltSpelling: due.AltSpelling, At: time.Now(),
				Detail: fmt.Sprintf("%d workers ended while they crawled it", cell.Trials)}})
			if h.send(ctx) != nil {
				return t, false
			}
			continue
		}
		cell.Trials++
		cell.Stamp = time.Now().UnixNano()
		seq, err := h.run.w.f.write(ctx, h.tok, cell, h.leaseAt)
		if err != nil {
			h.fence()
			return t, false
		}
		h.cell, h.leaseAt = cell, seq
		return due.lone(), true
	}
}
