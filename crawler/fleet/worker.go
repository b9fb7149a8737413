package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"sitemend/crawler"
	"sitemend/crawler/address"
)

// A Worker describes how a worker sends requests.
type Worker struct {
	// Open returns the options for the requests of an audit; how is what the audit gave to Begin.
	Open func(how []byte) (crawler.Options, error)
}

// worker is a Worker that runs.
type worker struct {
	Worker
	f *Fleet

	mu   sync.Mutex
	runs map[string]*served
	ends sync.WaitGroup // of runs
}

// keysAtOnce is how many politeness keys a worker holds at once.
const keysAtOnce = 512

// Work sends requests for the audits of the fleet until ctx ends; then it gives back all keys,
// within five seconds. While the servers cannot be reached it waits.
func (f *Fleet) Work(ctx context.Context, o Worker) error {
	w := &worker{Worker: o, f: f, runs: map[string]*served{}}
	f.mu.Lock()
	f.working = true
	f.mu.Unlock()
	var tickets jetstream.Consumer
	err := f.patiently(ctx, 2*answerTime, func() (err error) {
		tickets, err = f.tickets.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers-" + wireVersion, AckPolicy: jetstream.AckExplicitPolicy,
			FilterSubject: subject("t", wireVersion, ">"), AckWait: f.t.Alive, MaxAckPending: 100_000, MaxDeliver: -1})
		return err
	})
	if err != nil && ctx.Err() == nil { // else it was ended before it began
		return &Error{"the tickets cannot be read", "the credentials must allow sitemend.> and JetStream", err}
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(min(f.t.Margin, 3*time.Second), f.Close) })()
	w.ends.Go(func() { w.tidy(ctx) })
	var holds errgroup.Group
	holds.SetLimit(keysAtOnce)
	for ctx.Err() == nil {
		if _, err = f.session(ctx); err != nil {
			f.o.Warn("the servers do not answer: %v; waiting", err)
			_ = wait(ctx, time.Second)
			continue
		}
		// The servers end the wait: if the client did, no worker would have a message that was on
		// its way at that moment, until Timing.Alive is over.
		got, err := tickets.Fetch(1, jetstream.FetchMaxWait(500*time.Millisecond))
		if err != nil {
			_ = wait(ctx, 200*time.Millisecond)
			continue
		}
		for m := range got.Messages() {
			holds.Go(func() error { w.hold(ctx, m); return nil })
		}
	}
	_ = holds.Wait()
	w.ends.Wait()
	return nil
}

// tidy ends runs that are over, once a minute.
func (w *worker) tidy(ctx context.Context) {
	for wait(ctx, time.Minute) == nil {
		w.mu.Lock()
		runs := slices.Collect(maps.Values(w.runs))
		w.mu.Unlock()
		for _, r := range runs {
			if _, err := w.control(ctx, r.id); errors.Is(err, errOver) {
				r.end()
			}
		}
	}
}

// errOver is the error of an audit that is over.
var errOver = errors.New("the audit is over")

// control is Fleet.control for an audit that is not over.
func (w *worker) control(ctx context.Context, id string) (control, error) {
	c, seq, err := w.f.control(ctx, id)
	if err == nil && (seq == 0 || c.State == Canceled || c.State == Stopped) {
		err = errOver
	}
	return c, err
}

// hold takes the lease that a ticket is for, and works on its key until that is given back. Where
// another worker holds it for the same audit, that one asks for the requests.
func (w *worker) hold(ctx context.Context, m jetstream.Msg) {
	ids := strings.Split(m.Subject(), ".")
	run, tok := ids[len(ids)-2], ids[len(ids)-1]
	r, err := w.run(ctx, run)
	var s *session
	if err == nil {
		s, err = w.f.session(ctx)
	}
	var was lease
	var at uint64
	if err == nil {
		was, _, at, err = w.f.take(ctx, s, tok, run)
	}
	switch {
	case err == nil, errors.Is(err, errHeld) && was.Run == run, errors.Is(err, errOver):
		_ = m.DoubleAck(ctx)
	default:
		_ = m.NakWithDelay(w.f.t.Alive / 5)
	}
	if err != nil {
		return
	}
	h := &held{run: r, tok: tok, key: string(m.Data()), at: at, since: time.Now(), left: make(chan struct{})}
	h.live, h.lost = s.live()
	h.going, h.stop = context.WithCancel(h.live)
	w.f.keys.Add(1)
	defer w.f.keys.Add(-1)
	heard, _ := w.f.conn.Subscribe(subject("w", tok), func(*nats.Msg) { h.stop() }) // an error is that of a closed connection
	defer func() { _ = heard.Unsubscribe() }()
	h.work(ctx, was)
}

// run returns a run that is not over, and opens it if this worker has not.
func (w *worker) run(ctx context.Context, id string) (*served, error) {
	c, err := w.control(ctx, id)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.runs[id]; r != nil {
		return r, nil
	}
	o, err := w.Open(c.How)
	if err != nil {
		w.f.o.Warn("the audit %s cannot be asked for here: %v", id, err)
		return nil, err
	}
	if o.Key == nil {
		o.Key = address.Address.Host
	}
	r := &served{w: w, id: id, keys: o.Key, new: make(chan *held)}
	r.over, r.end = context.WithCancel(ctx)
	w.runs[id] = r
	w.ends.Go(func() { r.serve(ctx, o) })
	return r, nil
}
