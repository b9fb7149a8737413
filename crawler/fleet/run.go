package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// A Memory is the part of its audit's store that a Run needs.
type Memory interface {
	// Get is the Get of crawler.Store.
	Get(key string) (value []byte, ok bool, err error)
	// Flush returns once all that was kept is on the disk.
	Flush() error
}

// A Run is one audit whose requests workers send.
type Run struct {
	f      *Fleet
	id     string
	memory Memory
	asks   *nats.Subscription
	wake   chan struct{} // there is a result to read

	// For Begin and Collect alone.
	owner  string    // the session of this process, as the servers know it
	from   uint64    // number of the next result to read
	kept   int       // bytes of results taken since the last purge
	said   bool      // that no worker answers
	looked time.Time // when the state of all was last read

	mu     sync.Mutex
	keys   map[string]*going
	paused bool
	news   time.Time // when a result last came home
	err    error
}

// ErrCanceled is the error of an audit that was canceled (Control).
var ErrCanceled error = &Error{What: "the audit was canceled"}

// going is the requests of a key that are not yet answered. It is guarded by Run.mu.
type going struct {
	key, tok string
	away     map[answers.Request]bool // all of them
	due      []task                   // those that no worker has, in order, and perhaps some that are answered
	given    []task                   // those that the holder of the lease has, likewise
	told     map[string]bool          // origins whose robots.txt it has
	state    crawler.HostState
	lease    uint64    // number of the last lease whose holder was heard of
	held     bool      // it was not given back
	called   bool      // a ticket was written since
	heard    time.Time // of a worker; or when a ticket was last written

	asks  ask // of a worker that waits for requests
	waits *nats.Msg
	since time.Time
	soon  bool // it is answered in a moment
}

// Begin begins an audit, or continues one that was stopped; then it calls take with what came home
// in between. how is passed to Worker.Open. There is at most one Run of an id at a time.
func (f *Fleet) Begin(ctx context.Context, id string, how []byte, memory Memory, take func(crawler.Home) error) (*Run, error) {
	r := &Run{f: f, id: id, memory: memory, from: 1, wake: make(chan struct{}, 1), keys: map[string]*going{}, news: time.Now()}
	f.keys.Store(0)
	err := f.patiently(ctx, patience, func() error { return r.own(ctx, how) })
	if err == nil {
		err = f.purge(ctx, f.tickets, subject("t", "*", id, ">"))
	}
	for more := true; err == nil && more; {
		err = f.patiently(ctx, patience, func() (err error) { more, err = r.collect(ctx, take); return err })
	}
	if err == nil {
		r.asks, err = f.conn.Subscribe(subject("a", id), r.asked)
	}
	if err != nil && ctx.Err() == nil && !final(err) {
		err = &Error{"the servers take no requests", "where their storage or a stream is full, give JetStream more. The same command continues the audit", err}
	}
	return r, err
}

// own makes this process the owner of the audit, once an owner before it is dead. Where that one
// stays alive, own returns an *Error.
func (r *Run) own(ctx context.Context, how []byte) error {
	for patient := time.Now().Add(r.f.t.Alive + r.f.t.Margin); ; {
		s, err := r.f.session(ctx)
		if err != nil {
			return err
		}
		c, seq, err := r.f.control(ctx, r.id)
		if err != nil {
			return err
		}
		alive, err := r.f.alive(ctx, c.Owner)
		switch {
		case err != nil:
			return err
		case !alive || c.State == Stopped || c.Owner == s.id:
			r.owner = s.id
			if err = r.f.writeControl(ctx, r.id, control{How: how, Owner: s.id, State: Running}, seq); !errors.Is(err, errStale) {
				return err
			}
		case time.Now().After(patient):
			return &Error{What: "another process has requests sent for this audit", hint: "wait for it, or stop it"}
		default:
			if err := wait(ctx, r.f.t.Alive/10); err != nil {
				return err
			}
		}
	}
}

// Send implements crawler.Via.
func (r *Run) Send(_ context.Context, key string, t crawler.Task, s crawler.HostState) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.going(key)
	g.away[t.Request], g.state = true, s
	g.due = append(g.due, task{t.Request, t.Most, t.Last})
	switch {
	case !g.held && !g.called:
		r.ticket(g)
	case g.waits != nil && !g.soon:
		g.soon = true
		time.AfterFunc(10*time.Millisecond, func() { // more may follow
			r.mu.Lock()
			defer r.mu.Unlock()
			g.soon = false
			r.give(g)
		})
	}
	return r.err
}

// going returns what is known of a key. r.mu is held.
func (r *Run) going(key string) *going {
	g := r.keys[key]
	if g == nil {
		g = &going{key: key, tok: token(key), away: map[answers.Request]bool{}, heard: time.Now()}
		r.keys[key] = g
		r.f.keys.Store(int64(len(r.keys)))
	}
	return g
}

// ticket writes the ticket of a key in a moment, unless there is one: a key has at most one at a time.
// r.mu is held.
func (r *Run) ticket(g *going) {
	if r.paused {
		return
	}
	g.heard, g.called = time.Now(), true
	_ = r.f.conn.Publish(subject("t", wireVersion, r.id, g.tok), []byte(g.key))
}

// asked answers a worker that asks for requests; where there are none, as soon as there are.
func (r *Run) asked(m *nats.Msg) {
	var a ask
	if unpack(m.Data, &a) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.keys[a.Key]
	if g == nil || a.Lease < g.lease {
		_ = m.Respond(nil)
		return
	}
	g.asks, g.waits, g.since, g.heard = a, m, time.Now(), time.Now()
	r.give(g)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// give gives requests to the worker that waits for them, unless it may have given up. The message that
// this worker has the lease comes first, for all answers of the holder before precede that. r.mu is
// held.
func (r *Run) give(g *going) {
	if g.waits == nil || g.asks.Lease != g.lease || !g.held || r.paused || !g.asks.First && time.Since(g.since) > r.f.t.Linger/2 {
		return
	}
	answered := func(t task) bool { return !g.away[t.Request] }
	g.due, g.given = slices.DeleteFunc(g.due, answered), slices.DeleteFunc(g.given, answered)
	b := batch{State: stateNow(g.state, time.Now()), Files: map[string][]byte{}}
	most, size := batchTasks, 0
	if rate := g.state.Rate; rate > 0 {
		most = min(most, max(batchLeast, int(rate*batchFor)))
	}
	for len(b.Tasks) < min(most, len(g.due)) && size < batchBytes {
		t := g.due[len(b.Tasks)]
		b.Tasks = append(b.Tasks, t)
		size += len(t.Request.URL)
		origin := address.Wire(t.Request.URL).Origin()
		if g.told[origin] {
			continue
		}
		g.told[origin] = true
		file, ok, err := r.memory.Get(robotsRecord + origin)
		if ok {
			b.Files[robotsRecord+origin] = file
			size += len(file)
		}
		r.err = errors.Join(r.err, err)
	}
	if len(b.Tasks) == 0 && !g.asks.First {
		return
	}
	if err := g.waits.Respond(pack(b)); err != nil {
		r.f.o.Warn("requests for %s cannot be handed out: %v", g.key, err)
	}
	// What is lost on the way is due again once the worker has given the key back.
	g.waits = nil
	g.given = append(g.given, b.Tasks...)
	g.due = g.due[len(b.Tasks):]
}

// kept is what went wrong where this process cannot keep or read what it needs.
const kept = "what workers send cannot be kept"

// Collect implements crawler.Via. It reads results in the order of their stream, each once.
func (r *Run) Collect(ctx context.Context, take func(crawler.Home) error) error {
	for pause := time.Duration(0); ; {
		more, err := r.collect(ctx, take)
		if time.Since(r.looked) > r.f.t.Alive/15 {
			r.looked = time.Now()
			err = errors.Join(err, r.lookAfter(ctx))
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case final(err):
			return err
		case more:
			pause, r.said = 0, false
			continue
		}
		pause = min(pause+5*time.Millisecond, 100*time.Millisecond)
		select {
		case <-time.After(pause):
		case <-r.wake:
		case <-ctx.Done():
		}
	}
}

// collect takes the next result; more is false where there is none for now.
func (r *Run) collect(ctx context.Context, take func(crawler.Home) error) (more bool, err error) {
	m, err := r.f.results.GetMsg(ctx, r.from, jetstream.WithGetMsgSubject(subject("r", r.id, ">")))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var got result
	if err := unpack(m.Data, &got); err != nil {
		return false, &Error{What: fmt.Sprintf("the result %s (%d) cannot be read", m.Subject, m.Sequence), Err: err}
	}
	if r.hear(&got) {
		home := crawler.Home{Key: got.Key, Hops: got.Hops, Notes: got.Notes, Records: got.Files, State: got.State.read(time.Now())}
		if err := take(home); err != nil {
			return false, &Error{What: kept, Err: err}
		}
	}
	r.from = m.Sequence + 1
	r.kept += len(m.Data)
	return true, r.purge(ctx, purgeAfter)
}

// hear notes what a result says about its key, and reports whether there are answers to take: a worker
// whose lease another one has by now is late with them.
func (r *Run) hear(got *result) (answers bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news = time.Now()
	if r.asks == nil { // what a worker is given by another process of the audit, this one does not know
		return !got.Took && !got.Left
	}
	g := r.going(got.Key)
	if got.Lease < g.lease {
		return false
	}
	g.heard = r.news
	if !got.Took && !got.Left {
		for i := range got.Hops {
			if !got.Hops[i].Pending {
				delete(g.away, got.Hops[i].Request)
			}
		}
		g.state = got.State.read(r.news)
		return true
	}
	g.lease, g.held, g.called, g.told = got.Lease, got.Took, false, map[string]bool{}
	g.due, g.given = append(g.given, g.due...), nil
	switch {
	case got.Took:
		r.give(g)
	case len(g.away) > 0:
		r.ticket(g)
	default:
		delete(r.keys, got.Key)
		r.f.keys.Store(int64(len(r.keys)))
	}
	return false
}

// purgeAfter is how many bytes of results are taken before a purge deletes them.
const purgeAfter = 16 << 20

// purge deletes results that came home, once they are more than after bytes and the store has them.
func (r *Run) purge(ctx context.Context, after int) error {
	if r.kept < after {
		return nil
	}
	r.kept = 0
	if err := r.memory.Flush(); err != nil {
		return &Error{What: kept, Err: err}
	}
	// What cannot be deleted now is deleted by a later purge, at the end at the latest.
	_ = r.f.results.Purge(ctx, jetstream.WithPurgeSubject(subject("r", r.id, ">")), jetstream.WithPurgeSequence(r.from))
	return nil
}

// lookAfter writes tickets again of keys of which nothing was heard for long, for a ticket, or the
// worker that had it, may be lost. It follows what others say about the audit, and warns where no
// worker seems to be there.
func (r *Run) lookAfter(ctx context.Context) error {
	now, out := time.Now(), 0
	r.mu.Lock()
	for _, g := range r.keys {
		out += len(g.away)
		if len(g.away) > 0 && now.Sub(g.heard) > r.f.t.Alive/2 {
			r.ticket(g)
		}
	}
	idle, err := now.Sub(r.news), r.err
	silent := out > 0 && !r.paused && idle > 4*r.f.t.Alive
	r.mu.Unlock()
	if err != nil {
		return &Error{What: kept, Err: err}
	}
	if silent && !r.said {
		r.said = true
		r.f.o.Warn("no worker has taken requests of this audit for a minute: waiting. `sitemend worker --via URL` starts one; it must be of this version")
	}
	err = r.follow(ctx)
	if idle > r.f.t.Alive/10 { // a full stream holds up every key
		err = errors.Join(err, r.purge(ctx, 1))
	}
	return err
}

// follow reads what is said of the audit. Where the session of this process has ended, because the
// servers were away for long, it says so with another one: Control deletes a canceled audit whose
// process looks dead.
func (r *Run) follow(ctx context.Context) error {
	s, err := r.f.session(ctx)
	if err != nil {
		return err
	}
	c, seq, err := r.f.control(ctx, r.id)
	switch {
	case err != nil:
		return err
	case seq == 0 || c.State == Canceled:
		return ErrCanceled
	case c.Owner != r.owner && c.Owner != s.id:
		return &Error{What: "another process has taken over this audit, for this one was not heard of for too long",
			hint: "let that one go on, or stop it and run the command again"}
	}
	r.mu.Lock()
	r.paused = c.State == Paused
	r.mu.Unlock()
	if c.Owner != s.id {
		c.Owner = s.id
		err = r.f.writeControl(ctx, r.id, c, seq)
	}
	if err == nil {
		r.owner = s.id
	}
	return err
}

// Leave ends an audit all of whose results have come home, and deletes all its messages. One that is not
// done is stopped, to be continued later: workers send no more requests for it, and the next Begin takes the
// results that still come home. It does so also once ctx has ended.
func (r *Run) Leave(ctx context.Context, done bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if done {
		return errors.Join(r.asks.Unsubscribe(), r.f.clear(ctx, r.id))
	}
	_, err := r.f.edit(ctx, r.id, func(c *control) {
		if c.Owner == r.owner && c.State != Canceled {
			c.State = Stopped
		}
	})
	if gone := (*Error)(nil); errors.As(err, &gone) {
		err = nil
	}
	return errors.Join(r.asks.Unsubscribe(), err, r.f.purge(ctx, r.f.tickets, subject("t", "*", r.id, ">")))
}
