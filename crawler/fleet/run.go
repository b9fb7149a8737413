package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"sitemend/crawler"
	"sitemend/crawler/address"
)

// The states of an audit.
const (
	Running  = "running"
	Paused   = "paused"
	Canceled = "canceled"
	Stopped  = "stopped" // its process has ended; the same command continues it
)

// control is the content of the cell of an audit.
type control struct {
	How   []byte // what Worker.Open is given
	Owner string // the session of the process whose audit it is
	State string
	Stamp string // distinguishes it from the version before
	Wire  int    // wireVersion of the audit
}

// over reports whether no more requests are to be sent, for now or for good.
func (c *control) over() bool { return c.State == Canceled || c.State == Stopped }

// A Memory is the part of its audit's store that a Run needs.
type Memory interface {
	// Get is the Get of crawler.Store.
	Get(key string) (value []byte, ok bool, err error)
	// Flush returns once all that was kept is on the disk.
	Flush() error
}

// A Run is one audit whose requests workers send: the Via of its Crawler.
type Run struct {
	f      *Fleet
	id     string
	name   string // of this Run alone, for its messages
	memory Memory
	s      *session // session of this process; for Collect alone until that has ended
	ctx    context.Context
	cancel context.CancelFunc
	from   uint64          // number of the next result to read; for Collect alone
	kept   int             // bytes of results taken since the last purge; likewise
	ours   map[string]bool // sessions of this process that owned the audit; likewise

	mu    sync.Mutex
	keys  map[string]*going
	sent  map[string]bool // origins whose robots.txt was sent along
	timer *time.Timer
	news  time.Time // when a result last came home
	looks time.Time // when the state of the audit was last read
	err   error
}

// ErrCanceled is the error of an audit that was canceled (Control).
var ErrCanceled = errors.New("the audit was canceled")

// going is what this process has sent for a key.
type going struct {
	key, tok string
	publish  sync.Mutex // held while messages are sent, to keep their order
	n        int        // of messages; guarded by publish

	// Guarded by Run.mu.
	tasks []task
	size  int
	state crawler.HostState
	out   int       // requests that are not yet answered
	asked time.Time // when a ticket was last written
	home  uint64    // number of the last result that was taken, and how far that says the key is
	done  uint64
	clean uint64 // value of home at the last purge
}

// Begin begins an audit, or continues one that was stopped; then it calls take with what came home
// in between. how is passed to Worker.Open. There is at most one Run of an id at a time.
func (f *Fleet) Begin(ctx context.Context, id string, how []byte, memory Memory, take func(crawler.Home) error) (*Run, error) {
	r := &Run{f: f, id: id, name: rand.Text(), memory: memory, from: 1, keys: map[string]*going{}, sent: map[string]bool{},
		ours: map[string]bool{}, news: time.Now()}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	err = f.patiently(ctx, func() (err error) {
		r.s, err = f.begin(r.ctx, func() int { return 0 }, true)
		return err
	})
	if err == nil {
		r.ours[r.s.id] = true
		err = f.patiently(ctx, func() error { return r.own(ctx, how) })
	}
	if err == nil {
		err = f.clear(ctx, id, "u")
	}
	earlier := func(home crawler.Home) error {
		home.Counted = crawler.Counted{}
		return take(home)
	}
	for more := true; err == nil && more; {
		err = f.patiently(ctx, func() (err error) { more, err = r.collect(ctx, r.f.results.next, earlier); return err })
	}
	if err != nil {
		r.close(ctx)
		return nil, err
	}
	return r, nil
}

// own makes this process the owner of the audit, once an owner before it is dead. Where that one
// stays alive, own returns an *Error.
func (r *Run) own(ctx context.Context, how []byte) error {
	dead := deaths{f: r.f, seen: map[string]watched{}}
	for patient := time.Now().Add(r.f.t.Alive + r.f.t.Margin); ; {
		value, seq, err := r.f.cells.last(ctx, subject("c", r.id))
		if err != nil {
			return err
		}
		var c control
		if len(value) > 0 && json.Unmarshal(value, &c) == nil && c.Owner != "" && c.Owner != r.s.id {
			is, err := dead.dead(ctx, c.Owner)
			switch {
			case err != nil:
				return err
			case !is && time.Now().After(patient):
				return &Error{What: "another process has requests sent for this audit", hint: "wait for it, or stop it"}
			case !is:
				if err := wait(ctx, r.f.t.Alive/10); err != nil {
					return err
				}
				continue
			}
		}
		value, err = json.Marshal(control{How: how, Owner: r.s.id, State: Running, Stamp: rand.Text(), Wire: wireVersion})
		if err != nil {
			return err
		}
		if _, err = r.f.put(ctx, r.f.cells, subject("c", r.id), value, seq); !errors.Is(err, errStale) {
			return err
		}
	}
}

// revive begins another session where that of this process has ended because the servers were away
// for long: Control deletes a canceled audit whose session looks dead.
func (r *Run) revive(ctx context.Context) {
	if r.s.valid() {
		return
	}
	s, err := r.f.begin(r.ctx, func() int { return 0 }, true)
	if err != nil {
		return // the next call tries again
	}
	r.ours[s.id] = true
	err = r.f.edit(ctx, r.id, func(c *control) {
		if r.ours[c.Owner] {
			c.Owner = s.id
		}
	})
	if err != nil {
		s.bury(ctx)
		return
	}
	r.s = s
}

// Send implements crawler.Via.
func (r *Run) Send(ctx context.Context, key string, t crawler.Task, s crawler.HostState) error {
	if err := r.robots(ctx, key, t.Request.URL); err != nil {
		return err
	}
	r.mu.Lock()
	g := r.keys[key]
	if g == nil {
		g = &going{key: key, tok: token(key)}
		r.keys[key] = g
	}
	due := task{URL: t.Request.URL, Purpose: t.Request.Purpose, Most: t.Most, AltSpelling: t.AltSpelling}
	if t.Last != nil {
		last := hopOf(t.Last)
		due.Last = &last
	}
	g.tasks = append(g.tasks, due)
	g.size += 50 + len(t.Request.URL)
	g.state = s
	g.out++
	full, err := len(g.tasks) >= batchTasks || g.size >= batchBytes, r.err
	if g.due() && !full {
		r.soon()
	}
	r.mu.Unlock()
	if err == nil && full {
		err = r.publish(ctx, g)
	}
	return err
}

// So many requests of a key on their way, or as many as its pace allows in plentyFor seconds where
// that is less, keep its worker busy for a while: beyond that, only full messages are sent.
const (
	plenty    = 256
	plentyFor = 8
)

// due reports whether the gathered requests are to be sent soon. Where they are not, answers that
// come home make them due. Run.mu is held.
func (g *going) due() bool {
	busy := plenty
	if rate := g.state.Pace.Rate; rate > 0 {
		busy = min(busy, int(rate*plentyFor))
	}
	return len(g.tasks) > 0 && g.out-len(g.tasks) <= busy
}

// soon sends the messages that are due in a moment. r.mu is held.
func (r *Run) soon() {
	if r.timer == nil {
		r.timer = time.AfterFunc(20*time.Millisecond, r.sendRest)
	}
}

// robots sends along the robots.txt of an origin where this process has it.
func (r *Run) robots(ctx context.Context, key, url string) error {
	name := robotsRecord + address.Wire(url).Origin()
	r.mu.Lock()
	sent := r.sent[name]
	r.sent[name] = true
	r.mu.Unlock()
	if sent {
		return nil
	}
	value, ok, err := r.memory.Get(name)
	if err != nil || !ok {
		return err
	}
	return r.f.keep(ctx, r.id, token(key), &result{Key: key, Records: map[string][]byte{name: value}})
}

// sendRest sends all requests that were gathered.
func (r *Run) sendRest() {
	r.mu.Lock()
	r.timer = nil
	var due []*going
	for _, g := range r.keys {
		if g.due() {
			due = append(due, g)
		}
	}
	r.mu.Unlock()
	for _, g := range due {
		if err := r.publish(r.ctx, g); err != nil && r.ctx.Err() == nil {
			r.mu.Lock()
			r.err = err
			r.mu.Unlock()
		}
	}
}

// publish sends the requests that were gathered for a key, and its ticket.
func (r *Run) publish(ctx context.Context, g *going) error {
	g.publish.Lock()
	defer g.publish.Unlock()
	r.mu.Lock()
	b := batch{Key: g.key, Tasks: g.tasks, State: stateNow(g.state, time.Now())}
	g.tasks, g.size, g.asked = nil, 0, time.Now()
	more := g.out > len(b.Tasks)
	r.mu.Unlock()
	if len(b.Tasks) == 0 {
		return nil
	}
	value, err := pack(b)
	if err != nil {
		return err
	}
	g.n++
	m := &nats.Msg{Subject: subject("u", r.id, g.tok), Data: value}
	if err := r.f.store(ctx, m, fmt.Sprint(r.name, ".", g.tok, ".", g.n)); err != nil {
		return err
	}
	// Where earlier requests are on their way there is usually a ticket, and a worker that receives
	// this message. Then publish waits for no acknowledgement: lookAfter writes a lost ticket
	// again.
	if more && r.f.conn.Publish(subject("t", r.id, g.tok), []byte(g.key)) == nil {
		return nil
	}
	return r.f.ticket(ctx, r.id, g.tok, g.key)
}

// store stores a message once, however often it has to send it.
func (f *Fleet) store(ctx context.Context, m *nats.Msg, id string) (err error) {
	began, said := time.Now(), false
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if _, err = f.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0)); err == nil {
			return nil
		}
		if waited := time.Since(began); waited > patience {
			return &Error{"the servers take no more requests", "where a stream is full, more workers empty it; else give JetStream more storage. The same command continues the audit", err}
		} else if waited > patience/6 && !said {
			said = true
			f.o.Warn("the servers take no more requests (%v): waiting", err)
		}
		if wait(ctx, pause) != nil {
			return ctx.Err()
		}
	}
}

// ticket writes the ticket of a key: there is work. A key has at most one ticket at a time.
func (f *Fleet) ticket(ctx context.Context, run, tok, key string) error {
	for try := 0; ; try++ {
		_, err := f.js.PublishMsg(ctx, &nats.Msg{Subject: subject("t", run, tok), Data: []byte(key)}, jetstream.WithRetryAttempts(0))
		if err == nil || full(err) || try == 5 {
			return nil // the ticket is there, or lookAfter writes it again
		}
		if wait(ctx, 100*time.Millisecond) != nil {
			return ctx.Err()
		}
	}
}

// keep stores a file of an audit, for the process of the audit and for workers that come later.
func (f *Fleet) keep(ctx context.Context, run, tok string, r *result) error {
	r.By = rand.Text()
	value, err := pack(r)
	if err != nil {
		return err
	}
	for name := range r.Records {
		if _, err = f.insist(ctx, f.results, subject("r", run, tok, token(name)), value, 0); errors.Is(err, errStale) {
			err = nil // the file is there already
		}
	}
	return err
}

// file returns a file of an audit.
func (f *Fleet) file(ctx context.Context, run, tok, name string) (value []byte, ok bool, err error) {
	for {
		packed, seq, err := f.results.last(ctx, subject("r", run, tok, token(name)))
		if err != nil {
			if wait(ctx, 100*time.Millisecond) != nil {
				return nil, false, err
			}
			continue
		}
		var r result
		if seq > 0 {
			err = unpack(packed, &r)
		}
		value, ok = r.Records[name]
		return value, ok, err
	}
}

// Collect implements crawler.Via. It reads results in the order of their stream, each once.
func (r *Run) Collect(ctx context.Context, take func(crawler.Home) error) error {
	said, looked := false, time.Now()
	for pause := time.Duration(0); ; {
		more, err := r.collect(ctx, r.f.results.near, take)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ours := (*takeError)(nil); errors.As(err, &ours) {
			return ours.error
		}
		if more {
			pause, said = 0, false
		} else {
			pause = min(pause+5*time.Millisecond, 100*time.Millisecond)
		}
		if more && time.Since(looked) < r.f.t.Alive/15 {
			continue
		}
		looked = time.Now()
		if err := r.lookAfter(ctx, &said); err != nil {
			if ours := (*takeError)(nil); errors.As(err, &ours) {
				return ours.error
			}
			return err
		}
		if !more && wait(ctx, pause) != nil {
			return ctx.Err()
		}
	}
}

// takeError is an error of the function that takes results, not of the servers.
type takeError struct{ error }

// A reader is the method next or near of a stream.
type reader func(ctx context.Context, subject string, from uint64) (*jetstream.RawStreamMsg, error)

// collect takes the next result; more is false where there is none for now. Its error is a
// *takeError, or one of the servers.
func (r *Run) collect(ctx context.Context, read reader, take func(crawler.Home) error) (more bool, err error) {
	m, err := read(ctx, subject("r", r.id, ">"), r.from)
	if err != nil || m == nil {
		return false, err
	}
	var got result
	if err := unpack(m.Data, &got); err != nil {
		return false, &takeError{fmt.Errorf("the result %s (%d) cannot be read: %w", m.Subject, m.Sequence, err)}
	}
	now := time.Now()
	home := crawler.Home{Key: got.Key, Hops: got.answers(), Notes: got.Notes, Records: got.Records, State: got.State.read(now), Counted: got.Counted.read(now)}
	if err := take(home); err != nil {
		return false, &takeError{err}
	}
	r.from = m.Sequence + 1
	r.kept += len(m.Data)
	r.mu.Lock()
	r.news = time.Now()
	if g := r.keys[got.Key]; g != nil && len(got.Records) == 0 {
		g.home, g.done, g.asked = m.Sequence, got.Done, time.Now()
		g.out -= min(g.out, got.settled())
		if g.due() {
			r.soon()
		}
	}
	r.mu.Unlock()
	return true, r.purge(ctx, purgeAfter)
}

// purgeAfter is how many bytes of results are taken before a purge deletes them.
const purgeAfter = 16 << 20

// purge deletes results that came home, once they are more than after bytes and the store has them.
// It keeps the last result of each key, which says how far the key is.
func (r *Run) purge(ctx context.Context, after int) error {
	if r.kept < after {
		return nil
	}
	r.kept = 0
	if err := r.memory.Flush(); err != nil {
		return &takeError{err}
	}
	r.mu.Lock()
	var due []going
	for _, g := range r.keys {
		if g.home > g.clean {
			due = append(due, going{tok: g.tok, home: g.home, done: g.done})
			g.clean = g.home
		}
	}
	r.mu.Unlock()
	for i := range due {
		// What cannot be deleted now is deleted by a later purge, at the end at the latest.
		_ = r.f.results.Purge(ctx, jetstream.WithPurgeSubject(subject("r", r.id, due[i].tok)), jetstream.WithPurgeSequence(due[i].home))
		_ = r.f.urls.Purge(ctx, jetstream.WithPurgeSubject(subject("u", r.id, due[i].tok)), jetstream.WithPurgeSequence(due[i].done+1))
	}
	return nil
}

// lookAfter writes tickets again of which nothing was heard for long, for one may be lost with the
// worker that had it. It warns where no worker seems to be there.
func (r *Run) lookAfter(ctx context.Context, said *bool) error {
	now := time.Now()
	r.mu.Lock()
	var quiet []*going
	out := 0
	for _, g := range r.keys {
		out += g.out
		if g.out > len(g.tasks) && now.Sub(g.asked) > r.f.t.Ticket/2 {
			g.asked = now
			quiet = append(quiet, g)
		}
	}
	lull := now.Sub(r.news) > r.f.t.Alive/10
	silent, err := out > 0 && now.Sub(r.news) > 4*r.f.t.Alive, r.err
	look := now.Sub(r.looks) > r.f.t.Alive/5
	if look {
		r.looks = now
	}
	r.mu.Unlock()
	if look {
		r.revive(ctx)
		switch c, found, err := r.f.control(ctx, r.id); {
		case err != nil:
		case !found || c.State == Canceled:
			return ErrCanceled
		case !r.ours[c.Owner]:
			return &Error{What: "another process has taken over this audit, for this one was not heard of for too long",
				hint: "let that one go on, or stop it and run the command again"}
		}
	}
	if silent && !*said {
		*said = true
		r.f.o.Warn("no worker has answered for a minute: waiting. `sitemend worker --via URL` starts one")
	}
	if lull { // a full stream holds up every key
		if err := r.purge(ctx, 1); err != nil {
			return err
		}
	}
	for _, g := range quiet {
		if err := r.f.ticket(ctx, r.id, g.tok, g.key); err != nil {
			return nil // the error is that of ctx
		}
	}
	return err
}

// End ends an audit all of whose results have come home, and deletes all its messages.
func (r *Run) End(ctx context.Context) error {
	defer r.close(ctx)
	return r.f.clear(ctx, r.id, "u", "t", "c", "r")
}

// Stop stops an audit that is to be continued later: workers send no more requests for it, and the
// next Begin takes the results that still come home.
func (r *Run) Stop(ctx context.Context) error {
	defer r.close(ctx)
	err := r.f.patiently(ctx, func() error {
		c, found, err := r.f.control(ctx, r.id)
		if err != nil || !found || c.Owner != r.s.id || c.State == Canceled {
			return err
		}
		return r.f.Control(ctx, r.id, Stopped)
	})
	return errors.Join(err, r.f.clear(ctx, r.id, "u", "t"))
}

func (r *Run) close(ctx context.Context) {
	if r.s != nil {
		r.s.bury(context.WithoutCancel(ctx))
	}
	r.cancel()
}

// clear deletes all messages of a run that are of the given kinds.
func (f *Fleet) clear(ctx context.Context, run string, kinds ...string) error {
	var errs []error
	for _, kind := range kinds {
		s, what := f.cells, subject(kind, run)
		switch kind {
		case "u":
			s, what = f.urls, subject(kind, run, ">")
		case "t":
			s, what = f.tickets, subject(kind, run, ">")
		case "r":
			s, what = f.results, subject(kind, run, ">")
		}
		errs = append(errs, f.patiently(ctx, func() error { return s.Purge(ctx, jetstream.WithPurgeSubject(what)) }))
	}
	return errors.Join(errs...)
}
