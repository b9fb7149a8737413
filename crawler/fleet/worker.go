package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
)

// A Worker describes how a worker sends requests.
type Worker struct {
	// Open returns the options for the requests of an audit; how is what the audit gave to Begin.
	Open func(how []byte) (crawler.Options, error)
	Keys int // politeness keys that are held at once; 0 for 512
	// Report is called once a minute with the number of keys that are held and the number of
	// requests that were sent since the last call; nil for no reports.
	Report func(keys, requests int)
}

// worker is a Worker that runs.
type worker struct {
	Worker
	f      *Fleet
	deaths deaths

	mu     sync.Mutex
	active map[string]*held // by token; nil while the lease is being taken
	runs   map[string]*served
	others map[string]bool      // runs of another version
	passed map[string]time.Time // keys left to other workers, by token: until when
	freed  chan struct{}        // a key was given back
	ends   sync.WaitGroup
	sent   atomic.Int64 // requests
}

// Work sends requests for the audits of the fleet until ctx ends; then it gives back all keys,
// within five seconds. While the servers cannot be reached it waits.
func (f *Fleet) Work(ctx context.Context, o Worker) error {
	w := &worker{Worker: o, f: f, active: map[string]*held{}, runs: map[string]*served{}, others: map[string]bool{}, passed: map[string]time.Time{}, freed: make(chan struct{}, 1),
		deaths: deaths{f: f, seen: map[string]watched{}}}
	if w.Keys == 0 {
		w.Keys = 512
	}
	tickets, err := f.tickets.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: f.t.Ticket, MaxAckPending: 100_000, MaxDeliver: -1})
	if err != nil {
		return &Error{"the tickets cannot be read", "the credentials must allow sitemend.> and JetStream", err}
	}
	heard, err := f.conn.Subscribe(subject("c", "*"), w.hear)
	if err != nil {
		return err
	}
	defer func() { _ = heard.Unsubscribe() }()
	wanted, err := f.conn.Subscribe(subject("w", "*"), func(m *nats.Msg) { w.makeWay(strings.TrimPrefix(m.Subject, subject("w")+".")) })
	if err != nil {
		return err
	}
	defer func() { _ = wanted.Unsubscribe() }()
	w.ends.Go(func() { w.report(ctx) })
	for ctx.Err() == nil {
		s, err := f.newSession(context.WithoutCancel(ctx), w.hosts)
		if err != nil {
			f.o.Warn("the servers do not answer: %v; waiting", err)
			_ = wait(ctx, time.Second)
			continue
		}
		w.pull(ctx, s, tickets)
		if ctx.Err() != nil {
			defer s.bury(context.WithoutCancel(ctx))
			break
		}
		s.end()
		f.o.Warn("the servers did not answer for so long that others may have taken over: all hosts are given up, and new ones taken")
	}
	w.ends.Wait()
	return nil
}

// hear obeys a change of an audit's control cell at once. beat reads those that the subscription
// missed.
func (w *worker) hear(m *nats.Msg) {
	var c control
	if json.Unmarshal(m.Data, &c) != nil {
		return
	}
	w.mu.Lock()
	r := w.runs[strings.TrimPrefix(m.Subject, subject("c")+".")]
	w.mu.Unlock()
	if r != nil {
		r.obey(c, true)
	}
}

// report calls Report once a minute.
func (w *worker) report(ctx context.Context) {
	for w.Report != nil && wait(ctx, time.Minute) == nil {
		w.Report(w.hosts(), int(w.sent.Swap(0)))
	}
}

// hosts returns how many keys are held.
func (w *worker) hosts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.active)
}

// pull takes tickets until ctx or the session ends.
func (w *worker) pull(ctx context.Context, s *session, tickets jetstream.Consumer) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	go w.beat(ctx)
	for ctx.Err() == nil {
		room := w.Keys - w.hosts()
		if room <= 0 {
			select {
			case <-w.freed:
			case <-ctx.Done():
			}
			continue
		}
		// The servers end the wait: if the client did, no worker would have a message that was on
		// its way at that moment, until Timing.Ticket is over.
		got, err := tickets.Fetch(min(room, 64), jetstream.FetchMaxWait(500*time.Millisecond))
		if err == nil {
			for m := range got.Messages() {
				w.ticket(ctx, s, m)
			}
			err = got.Error()
		}
		if err != nil && !errors.Is(err, nats.ErrTimeout) {
			_ = wait(ctx, 200*time.Millisecond)
		}
	}
}

// beat keeps the tickets of the keys that are held, and reads whether their audits are to go on.
func (w *worker) beat(ctx context.Context) {
	for n := 0; wait(ctx, w.f.t.Ticket/6) == nil; n++ {
		w.mu.Lock()
		holds, runs := slices.Collect(maps.Values(w.active)), slices.Collect(maps.Values(w.runs))
		w.mu.Unlock()
		for _, h := range holds {
			if h != nil && n%2 == 0 {
				h.mu.Lock()
				m := h.ticket
				h.mu.Unlock()
				_ = m.InProgress()
			}
		}
		for _, r := range runs {
			if c, found, err := w.f.control(ctx, r.id); err == nil {
				r.obey(c, found)
			}
		}
	}
}

// ticket takes the lease that a ticket is for, and hands it to the crawler of its run.
func (w *worker) ticket(ctx context.Context, s *session, m jetstream.Msg) {
	run, tok, _ := strings.Cut(strings.TrimPrefix(m.Subject(), subject("t")+"."), ".")
	w.mu.Lock()
	h, active := w.active[tok]
	others := time.Now().Before(w.passed[tok])
	if !active && !others {
		w.active[tok] = nil
	}
	w.mu.Unlock()
	switch {
	case others:
		_ = m.NakWithDelay(passedOn / 10)
		return
	case h != nil && h.run.id == run: // no word of the ticket reached the servers for too long
		h.mu.Lock()
		h.ticket = m
		h.mu.Unlock()
		return
	case active:
		_ = m.NakWithDelay(w.again())
		return
	}
	w.ends.Add(1)
	go func() {
		defer w.ends.Done()
		h, err := w.hold(ctx, s, run, tok, m)
		switch {
		case h != nil:
			return
		case errors.Is(err, errOver):
			_ = m.Term()
		default:
			_ = m.NakWithDelay(w.again())
		}
		w.forget(tok)
	}()
}

// passedOn is how long a worker leaves a key to others after Timing.Slice.
const passedOn = time.Second

// pass leaves a key to other workers for a moment.
func (w *worker) pass(tok string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(w.passed, func(_ string, until time.Time) bool { return until.Before(now) })
	w.passed[tok] = now.Add(passedOn)
}

// makeWay leaves a key to an audit that wants to send requests there itself.
func (w *worker) makeWay(tok string) {
	w.pass(tok)
	w.mu.Lock()
	h := w.active[tok]
	w.mu.Unlock()
	if h != nil {
		h.makeWay()
	}
}

// again is how long a worker waits before it looks again at a key that another one holds.
func (w *worker) again() time.Duration { return w.f.t.Alive / 5 }

// errOther is the error of an audit of another version of sitemend.
var errOther = errors.New("the audit is of another version of sitemend")

// other leaves an audit of another version to workers of that version, and warns once.
func (w *worker) other(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.others[id] {
		w.others[id] = true
		w.f.o.Warn("the audit %s is of another version of sitemend: it is left to workers of that version", id)
	}
	return errOther
}

// errOver is the error of an audit that is over.
var errOver = errors.New("the audit is over")

// hold takes the lease of a key, and hands it to the crawler of its run.
func (w *worker) hold(ctx context.Context, s *session, run, tok string, m jetstream.Msg) (*held, error) {
	r, err := w.run(ctx, run)
	if err != nil || r.stands() {
		return nil, err
	}
	cell, leaseAt, died, err := w.f.look(ctx, &w.deaths, s, tok)
	if err != nil {
		return nil, err
	}
	// The cell is free. If another worker takes the key from here on, our write is refused.
	before, at, err := w.progress(ctx, subject("r", run, tok))
	if err != nil {
		return nil, err
	}
	places := resume(before)
	cell.claim(s.id, run, places.where(), died)
	if leaseAt, err = w.f.write(ctx, tok, cell, leaseAt); err != nil {
		return nil, err
	}
	h := &held{run: r, s: s, tok: tok, cell: cell, careful: cell.Careful, leaseAt: leaseAt, ticket: m, since: time.Now(), more: make(chan struct{}, 1),
		at: at, places: places}
	if err = w.ready(ctx, h, before, string(m.Data())); err == nil {
		err = r.give(h)
	}
	if err != nil {
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.f.t.giveBack())
		defer cancel()
		cell.Session = "" // the rest stays as it was
		_, _ = w.f.write(back, tok, cell, leaseAt)
		return nil, err
	}
	return h, nil
}

// progress returns the last result of a key and its number; an empty one and 0 where there is none.
func (w *worker) progress(ctx context.Context, results string) (*result, uint64, error) {
	value, seq, err := w.f.results.last(ctx, results)
	r := &result{}
	if err == nil && seq > 0 {
		err = unpack(value, r)
	}
	return r, seq, err
}

// ready makes the crawler's lease of a key. Where its last holder died, ready appends a result
// without answers, after which the servers refuse any result of that holder.
func (w *worker) ready(ctx context.Context, h *held, before *result, key string) (err error) {
	now := time.Now()
	st := before.State.read(now)
	if cell := h.cell.Pace.read(now); h.cell.Pace != (state{}) {
		st.Pace = cell.Pace
	}
	// An error here comes up again when the crawler first asks for a request.
	h.ahead, _ = w.f.urls.next(ctx, subject("u", h.run.id, h.tok), h.places.read+1)
	if h.ahead != nil && st == (crawler.HostState{}) {
		var b batch
		if unpack(h.ahead.Data, &b) == nil {
			st = b.State.read(now)
		}
	}
	live, lost := context.WithCancel(h.s.ctx)
	h.lost = lost
	h.lease = &crawler.Lease{Key: key, State: st, Elsewhere: true, Answers: nothing{}, Live: liveContext{live, lost, h.s}}
	if h.at > 0 && before.session() != h.s.id {
		h.lease.Now, h.lease.Counted = func() crawler.HostState { return st }, nothingCounted
		r := &result{Key: key}
		h.stand(r, now)
		r.Done, r.Open = before.Done, before.Open
		if err = h.append(ctx, r); err != nil {
			return err
		}
	}
	h.sub, err = w.f.conn.Subscribe(subject("t", h.run.id, h.tok), func(*nats.Msg) { h.poke() })
	return err
}

// nothingCounted is Lease.Counted until the crawler has the lease.
func nothingCounted() crawler.Counted { return crawler.Counted{} }

// session returns the id of the session that wrote the result.
func (r *result) session() string {
	id, _, _ := strings.Cut(r.By, ".")
	return id
}

// forget records that the key is not held any more.
func (w *worker) forget(tok string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, tok)
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

// control returns the control cell of a run; found is false where the run is over.
func (f *Fleet) control(ctx context.Context, run string) (c control, found bool, err error) {
	value, seq, err := f.cells.last(ctx, subject("c", run))
	if err != nil || seq == 0 || len(value) == 0 {
		return c, false, err
	}
	return c, true, json.Unmarshal(value, &c)
}
