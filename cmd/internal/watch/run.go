package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// Options say how sites are watched.
type Options struct {
	Config *Config
	// Once ends Run when what is due now was audited and delivered.
	Once bool
	// Reload reads the configuration again each time that Hangup gets a value; nil for never.
	Reload func() (*Config, error)
	Hangup <-chan struct{}
	// Env is what each audit has around it. Its Store and Politeness are made by Run; Log is
	// that of Run, too.
	Env   job.Env
	Clock Clock // nil for that of the machine
	// Began is called once the store is open.
	Began func()
	// Serving is called with the address of the pages, once they can be opened. A token that the
	// configuration gives is a secret: TOKEN stands in its place.
	Serving func(url string)
	// Idle is called with the time of what comes next whenever nothing runs until then; nil for
	// nobody.
	Idle func(next time.Time)
}

// A Summary says what Run saw.
type Summary struct {
	Found   bool // an audit found more than its fail-on allows
	Trouble bool // an audit could not be made
}

// Run audits each site of a configuration when it is due, keeps what is new of it in the outbox
// of the store, and delivers it, until ctx ends. Then it ends within ten seconds: audits that run
// are continued by the next Run, letters that were not accepted are delivered by it. An error says
// that it could not begin, or that the store can no longer be written to.
func Run(ctx context.Context, o Options) (Summary, error) {
	w, err := begin(o)
	if err != nil {
		return Summary{}, err
	}
	if o.Began != nil {
		o.Began()
	}
	err = w.pages(ctx)
	if err == nil {
		err = w.loop(ctx)
	}
	return w.summary, errors.Join(err, w.end())
}

// A watcher is a Run. Its fields belong to the one goroutine of loop; others send it what they
// come to.
type watcher struct {
	o       Options
	c       *Config
	log     *slog.Logger
	clock   Clock
	store   *storage.Store
	states  map[string]state
	outbox  *outbox
	metrics *metrics
	site    *site // the pages; nil for none
	summary Summary

	running map[string]Site      // audits that run, by the name of the site
	hold    map[string]time.Time // sites that are not tried before then: this machine failed them
	polite  *crawler.Politeness  // of the audits that run
	tried   map[uint64]bool      // with Once: letters that were tried

	audits     chan audited
	deliveries chan delivery
	audit      func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error)
}

// An audited is what became of a run.
type audited struct {
	site    string
	began   time.Time
	failed  bool // there is more than fail-on allows
	stopped bool // it goes on another time
	err     error
}

// begin opens the store and reads what it remembers.
func begin(o Options) (*watcher, error) {
	if o.Clock == nil {
		o.Clock = system{}
	}
	s, err := job.StoreIn(o.Config.Store).Write()
	if err != nil {
		return nil, err
	}
	w := &watcher{o: o, c: o.Config, log: o.Env.Log, clock: o.Clock, store: s, running: map[string]Site{}, hold: map[string]time.Time{},
		tried: map[uint64]bool{}, audits: make(chan audited), deliveries: make(chan delivery), audit: runAudit}
	states, letters, err := readState(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	w.states, w.outbox = states, newOutbox(s, letters)
	w.metrics = newMetrics()
	return w, nil
}

// runAudit is job.Run for a watcher.
func runAudit(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error) {
	out, err := job.Run(ctx, s, env)
	if out == nil {
		return false, ctx.Err() != nil, err
	}
	if out.Stopped != nil {
		stopped = true
		if err == nil && out.Stopped.Outage != nil {
			err = out.Stopped.Outage
		}
	}
	return out.Failed, stopped, errors.Join(err, out.Close())
}

// loop starts what is due and takes what comes, until ctx ends.
func (w *watcher) loop(ctx context.Context) error {
	for _, s := range w.c.Sites { // what ended, and was not told when the last process ended
		if _, err := w.settle(s); err != nil {
			return err
		}
		if err := w.restore(s); err != nil {
			return err
		}
	}
	parting, stop := w.parting(ctx)
	defer stop()
	for {
		if ctx.Err() != nil {
			return w.stop()
		}
		if err := w.clockSetBack(w.clock.Now()); err != nil {
			return errors.Join(err, w.stop())
		}
		w.start(ctx)
		next, err := w.deliver(parting)
		if err != nil {
			return errors.Join(err, w.stop())
		}
		w.metrics.beat(w.outbox)
		idle := len(w.running) == 0 && len(w.outbox.busy) == 0
		if w.o.Once && idle {
			return nil
		}
		next = earliest(next, w.nextRun())
		if idle && w.o.Idle != nil {
			w.o.Idle(next)
		}
		if err := w.wait(ctx, next); err != nil {
			return errors.Join(err, w.stop())
		}
	}
}

// parting returns a context that ends some seconds after ctx does: a letter that is being accepted
// then is not sent twice.
func (w *watcher) parting(ctx context.Context) (context.Context, context.CancelFunc) {
	parting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	end := context.AfterFunc(ctx, func() { time.AfterFunc(letterGrace, cancel) })
	return parting, func() { end(); cancel() }
}

// earliest returns the earlier of two times, where each may be zero for none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// wait takes the next thing that comes.
func (w *watcher) wait(ctx context.Context, next time.Time) error {
	d := time.Duration(lookEvery)
	if !next.IsZero() {
		d = min(d, max(0, next.Sub(w.clock.Now())))
	}
	if len(w.running) >= w.c.Parallel && d == 0 { // a place becomes free first
		d = lookEvery
	}
	select {
	case <-ctx.Done():
	case r := <-w.audits:
		return w.ended(r)
	case d := <-w.deliveries:
		return w.sent(d)
	case <-w.o.Hangup:
		w.reload()
	case <-w.clock.After(d):
	}
	return nil
}

// How long is waited at the end: for letters that are on their way, and for all but the pages, which
// take up to three seconds more.
const (
	letterGrace = 4 * time.Second
	lastGrace   = 6 * time.Second
)

// errSlow is that something did not end when it was to.
var errSlow = errors.New("not all ended within six seconds; what was asked is kept, and the next start continues")

// stop waits for what runs.
func (w *watcher) stop() error {
	late := time.After(lastGrace)
	var errs []error
	for len(w.running) > 0 || len(w.outbox.busy) > 0 {
		select {
		case r := <-w.audits:
			errs = append(errs, w.ended(r))
		case d := <-w.deliveries:
			errs = append(errs, w.sent(d))
		case <-late:
			return errors.Join(append(errs, errSlow)...)
		}
	}
	return errors.Join(errs...)
}

// end lets go of the pages and of the store.
func (w *watcher) end() error {
	err := w.site.close()
	if len(w.running) > 0 { // the store is not closed under an audit that did not end in time
		return err
	}
	return errors.Join(err, w.store.Close())
}

// due returns when a site is due; the zero time for never, and now for one that was never audited.
func (w *watcher) due(s Site, now time.Time) time.Time {
	st, ok := w.states[s.Name]
	at := now
	if ok && !st.Began.IsZero() {
		at = s.Schedule.After(st.Began, st.Ended)
	}
	if hold, ok := w.hold[s.Name]; ok && at.Before(hold) {
		at = hold
	}
	return at
}

// clockSetBack makes a run that lies in the future, for the clock was wrong then, one that has just
// ended: else its site would not be audited until then. It is written down, for a process that
// looks once a day has to see a day pass.
func (w *watcher) clockSetBack(now time.Time) error {
	for _, s := range w.c.Sites {
		st, ok := w.states[s.Name]
		if !ok || !st.Began.After(now) && !st.Ended.After(now) {
			continue
		}
		if st.Ended = now; st.Began.After(now) {
			st.Began = now
		}
		if err := w.enqueue(s, st, nil, ""); err != nil {
			return err
		}
	}
	return nil
}

// nextRun returns when the next site is due that does not run; the zero time for never.
func (w *watcher) nextRun() (next time.Time) {
	now := w.clock.Now()
	for _, s := range w.c.Sites {
		if _, runs := w.running[s.Name]; !runs {
			next = earliest(next, w.due(s, now))
		}
	}
	return next
}

// start starts what is due, as many audits at once as there may be, what is due the longest first.
func (w *watcher) start(ctx context.Context) {
	now := w.clock.Now()
	type candidate struct {
		site Site
		at   time.Time
	}
	var list []candidate
	for _, s := range w.c.Sites {
		if _, runs := w.running[s.Name]; runs {
			continue
		}
		if at := w.due(s, now); !at.IsZero() && !at.After(now) {
			list = append(list, candidate{s, at})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.at.Compare(b.at) })
	for _, x := range list[:min(len(list), max(0, w.c.Parallel-len(w.running)))] {
		w.begin(ctx, x.site, now)
	}
}

// begin starts the audit of a site.
func (w *watcher) begin(ctx context.Context, s Site, now time.Time) {
	if len(w.running) == 0 {
		// Audits beside one another share a host's pace, robots.txt and leave; those that come
		// later look anew.
		w.polite = crawler.NewPoliteness()
	}
	w.running[s.Name] = s
	delete(w.hold, s.Name)
	env := w.o.Env
	env.Store, env.Politeness, env.Progress = w.store, w.polite, nil
	env.Log = w.log.With("site", s.Name)
	env.Log.Info("the audit begins")
	w.showRunning()
	go func() {
		r := audited{site: s.Name, began: now}
		r.err = audit.Guard(func() (err error) {
			r.failed, r.stopped, err = w.audit(ctx, s.Spec, env)
			return err
		})
		w.audits <- r
	}()
}

// holdFor is how long a site is left alone whose audit was stopped: this machine has no network or
// no open files, or somebody canceled it.
const holdFor = 5 * time.Minute

// ended takes what became of a run: what it means for the site, and what is to be told of it.
func (w *watcher) ended(r audited) error {
	s := w.running[r.site]
	delete(w.running, r.site)
	w.showRunning()
	log, now := w.log.With("site", r.site), w.clock.Now()
	if r.stopped { // by the end of Run, by this machine, or by sitemend fleet cancel
		w.hold[r.site] = now.Add(holdFor)
		if r.err != nil && !errors.Is(r.err, context.Canceled) {
			w.summary.Trouble = true
			log.Error("the audit was stopped, and goes on in five minutes: " + reason(r.err))
		}
		return nil
	}
	w.summary.Found = w.summary.Found || r.failed
	settled, err := w.settleRun(s, r, now)
	if err != nil {
		return err
	}
	if r.err != nil {
		w.summary.Trouble = true
		log.Error("the audit could not be made: " + reason(r.err))
	}
	if !settled { // there is no audit that says why
		why := "it left no audit in the store"
		if r.err != nil {
			why = reason(r.err)
		}
		return w.failed(s, "", why, r.began, now)
	}
	return nil
}

// reload takes another configuration, or keeps the old one where that is wrong.
func (w *watcher) reload() {
	if w.o.Reload == nil {
		return
	}
	var c *Config
	err := audit.Guard(func() (err error) { // a fault in reading a file ends no audit
		c, err = w.o.Reload()
		return err
	})
	if err == nil {
		err = w.fits(c)
	}
	if err != nil {
		w.log.Error("the configuration was not taken, the one before stays in force: " + err.Error())
		return
	}
	w.c = c
	for _, warning := range c.Warnings {
		w.log.Warn(warning)
	}
	w.metrics.forget()
	for _, s := range c.Sites {
		if err := w.restore(s); err != nil {
			w.log.Error(err.Error())
		}
	}
	w.log.Info(fmt.Sprintf("the configuration was read again: %d sites", len(c.Sites)))
}

// fits refuses what only a new start can change.
func (w *watcher) fits(c *Config) error {
	for _, x := range []struct {
		key      string
		was, now string
	}{{"store", filepath.Clean(w.c.Store), filepath.Clean(c.Store)}, {"listen", w.c.Listen, c.Listen}, {"token", w.c.Token, c.Token}, {"url", w.c.URL, c.URL}} {
		if x.was != x.now {
			return fmt.Errorf("the key %s was changed, which takes a new start", x.key)
		}
	}
	return nil
}
