package fleet

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/answers"
)

// held is a key that this worker holds for a run.
type held struct {
	run      *served
	tok, key string
	at       uint64 // number of the lease
	since    time.Time
	lease    *crawler.Lease
	first    []task          // requests that Next has not handed out yet
	live     context.Context // ends when the lease is lost
	lost     context.CancelFunc
	going    context.Context // ends when the key is to be given back at once, for an audit wants to send requests itself
	stop     context.CancelFunc
	left     chan struct{} // closed when it was given back
	files    sync.Map      // robots.txt files by their names in the Store

	idle atomic.Bool // there are no more requests for now: answers are sent home at once

	writing sync.Mutex // held while answers are sent home, in their order

	mu    sync.Mutex
	hops  []answers.Hop // answers that are to be sent home
	timer *time.Timer
}

// work says that the worker has the key, and lets the crawler of the run work on it. was is the lease
// before.
func (h *held) work(ctx context.Context, was lease) {
	r, b := h.run, batch{}
	if h.post(&result{Key: h.key, Lease: h.at, Took: true}) == nil {
		b = h.ask(ctx)
	}
	state := b.State.read(time.Now())
	if was.Pace != (lease{}).Pace {
		state.PaceState = was.Pace.read(time.Now()).PaceState
	}
	if len(b.Tasks) == 0 {
		h.leave(state)
		return
	}
	h.first = b.Tasks
	h.lease = &crawler.Lease{Key: h.key, State: state, Elsewhere: true, Live: h.live}
	r.held.Store(h.key, h)
	select {
	case r.new <- h:
		<-h.left
	case <-r.over.Done():
		h.leave(state)
	}
}

// ask asks the audit for requests.
func (h *held) ask(ctx context.Context) (b batch) {
	f, first := h.run.w.f, h.lease == nil
	patience := f.t.Linger
	if first { // the audit has to read all that the holder before has sent
		patience = f.t.Alive
	}
	soon, cancel := context.WithTimeout(h.going, patience)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	m, err := f.conn.RequestWithContext(soon, subject("a", h.run.id), pack(ask{h.key, h.at, first}))
	if err != nil || unpack(m.Data, &b) != nil {
		return batch{}
	}
	for name, file := range b.Files {
		h.files.Store(name, file)
	}
	return b
}

// result returns a message for the answers of this key, with what else is due.
func (h *held) result() *result {
	h.run.mu.Lock()
	defer h.run.mu.Unlock()
	r := &result{Key: h.key, Lease: h.at, Notes: h.run.notes, State: stateNow(h.lease.Now(), time.Now())}
	h.run.notes = nil
	return r
}

// post sends a message home. While the servers do not take it, it tries again until the lease is lost;
// meanwhile the worker requests only as much as it can gather.
func (h *held) post(r *result) error {
	data := pack(r)
	if n := len(r.Hops); len(data) > maxMessage && n > 0 {
		if was := &r.Hops[0]; n == 1 {
			r.Hops = []answers.Hop{{Request: was.Request, Fault: answers.FaultUnreachable, Detail: "its answer does not fit into a message",
				Tries: was.Tries, Counted: was.Counted, Pending: was.Pending, At: was.At}}
			return h.post(r)
		}
		rest := result{Key: r.Key, Lease: r.Lease, State: r.State, Hops: r.Hops[n/2:]}
		r.Hops = r.Hops[:n/2]
		return errors.Join(h.post(r), h.post(&rest))
	}
	err := h.live.Err()
	if err == nil {
		_, err = h.run.w.f.publish(h.live, subject("r", h.run.id, h.tok), data)
	}
	if err != nil {
		h.run.note(r.Notes...)
		return crawler.ErrFenced
	}
	return nil
}

// gather adds answers that are to be sent home, and reports whether that is due now.
func (h *held) gather(hop answers.Hop) (due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hops = append(h.hops, hop)
	if h.timer == nil {
		h.timer = time.AfterFunc(h.run.w.f.t.Linger, func() { _ = h.send(false) }) // the next request learns of the error
	}
	return len(h.hops) >= batchTasks || h.idle.Load()
}

// send sends the gathered answers home, or a message without any where even is set.
func (h *held) send(even bool) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	h.mu.Lock()
	hops := h.hops
	h.hops = nil
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	h.mu.Unlock()
	if len(hops) == 0 && !even {
		return nil
	}
	r := h.result()
	r.Hops = hops
	return h.post(r)
}

// leave sends the last answers home, and gives the lease back.
func (h *held) leave(s crawler.HostState) {
	_ = h.send(false)
	h.run.held.CompareAndDelete(h.key, h)
	if _, err := h.run.w.f.free(h.live, h.tok, h.at, s); err == nil {
		if h.going.Err() != nil {
			_ = wait(h.live, passedOn) // for whom it makes way
		}
		_ = h.post(&result{Key: h.key, Lease: h.at, Left: true})
	}
	h.lost()
	close(h.left)
}
