package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
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
	left     chan struct{}     // closed when it was given back
	files    map[string][]byte // robots.txt files; guarded by served.mu

	writing sync.Mutex // held while answers are sent home, in their order

	mu    sync.Mutex
	hops  []audit.Hop // answers that are to be sent home
	timer *time.Timer
	idle  bool // there are no more requests for now: answers are sent home at once
}

// work says that the worker has the key, and lets the crawler of the run work on it. was is the lease
// before.
func (h *held) work(ctx context.Context, was lease) {
	r, b := h.run, batch{}
	err := h.post(&result{Key: h.key, Lease: h.at, Took: true})
	// The audit answers once it has read that message, which may follow many.
	for began := time.Now(); err == nil && time.Since(began) < r.w.f.t.Alive; {
		if b, err = h.ask(ctx, true); !errors.Is(err, context.DeadlineExceeded) {
			break
		}
		err = h.going.Err()
	}
	state := b.State.read(time.Now())
	if was.Pace != (lease{}).Pace {
		state.Pace = was.Pace.read(time.Now()).Pace
	}
	if len(b.Tasks) == 0 {
		h.leave(state)
		return
	}
	h.first = b.Tasks
	h.lease = &crawler.Lease{Key: h.key, State: state, Elsewhere: true, Answers: r, Live: h.live}
	r.hold(h)
	select {
	case r.new <- h:
		<-h.left
	case <-r.over.Done():
		h.leave(state)
	}
}

// ask asks the audit for requests. first demands an answer even if there are none.
func (h *held) ask(ctx context.Context, first bool) (b batch, err error) {
	f := h.run.w.f
	soon, cancel := context.WithTimeout(h.going, f.t.Linger)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	data, err := pack(ask{h.key, h.at, first})
	if err != nil {
		return b, err
	}
	m, err := f.conn.RequestWithContext(soon, subject("a", h.run.id), data)
	if err == nil {
		err = unpack(m.Data, &b)
	}
	h.run.know(h, b.Files)
	return b, err
}

// result returns a message for the answers of this key, with what else is due.
func (h *held) result() *result {
	now := time.Now()
	return &result{Key: h.key, Lease: h.at, Notes: h.run.takeNotes(), State: stateNow(h.lease.Now(), now), Counted: h.lease.Counted()}
}

// post sends a message home. While the servers do not take it, it tries again until the lease is lost;
// meanwhile the worker requests only as much as it can gather.
func (h *held) post(r *result) error {
	data, err := pack(r)
	if n := len(r.Hops); err == nil && len(data) > maxMessage && n > 0 {
		if n == 1 {
			r.Hops = []audit.Hop{tooLarge(&r.Hops[0])}
			return h.post(r)
		}
		rest := result{Key: r.Key, Lease: r.Lease, State: r.State, Hops: r.Hops[n/2:]}
		r.Hops = r.Hops[:n/2]
		return errors.Join(h.post(r), h.post(&rest))
	}
	if err == nil {
		err = h.live.Err()
	}
	if err == nil {
		_, err = h.run.w.f.publish(h.live, subject("r", h.run.id, h.tok), data)
	}
	if err != nil {
		h.run.note(r.Notes...)
		return crawler.ErrFenced
	}
	return nil
}

// tooLarge returns the answer in place of one that is too large for a message.
func tooLarge(h *audit.Hop) audit.Hop {
	return audit.Hop{Request: h.Request, Fault: audit.FaultUnreachable, Detail: "its answer does not fit into a message",
		Tries: h.Tries, Counted: h.Counted, Pending: h.Pending, AltSpelling: h.AltSpelling, At: h.At}
}

// gather adds answers that are to be sent home, and reports whether that is due now.
func (h *held) gather(hops []audit.Hop) (due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hops = append(h.hops, hops...)
	for i := range hops {
		h.run.w.sent.Add(int64(hops[i].Sent()))
	}
	if h.timer == nil {
		h.timer = time.AfterFunc(h.run.w.f.t.Gather, func() { _ = h.send(false) }) // the next request learns of the error
	}
	return len(h.hops) >= batchTasks || h.idle
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

// waiting records whether the key has no more requests to send for now.
func (h *held) waiting(is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = is
}

// leave sends the last answers home, and gives the lease back.
func (h *held) leave(s crawler.HostState) {
	_ = h.send(false)
	h.run.forget(h)
	if _, err := h.run.w.f.free(h.live, h.tok, h.at, s); err == nil {
		if h.going.Err() != nil {
			_ = wait(h.live, passedOn) // for whom it makes way
		}
		_ = h.post(&result{Key: h.key, Lease: h.at, Left: true})
	}
	h.lost()
	close(h.left)
}
