package watch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// parallel is how many audits are made at once.
const parallel = 2

// Options say how sites are watched.
type Options struct {
	Config *Config
	// Once makes Run end when everything that is due now was audited and delivered.
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
	// Serving is called with the address of the pages, once they can be opened.
	Serving func(url string)
	// Idle is called with the time of what comes next whenever nothing runs until then; nil for
	// nobody.
	Idle func(next time.Time)
}

// A Summary says what Run saw.
type Summary struct {
	Found   bool // an audit found more than its fail-on allows
	Trouble bool // an audit could not be made
	Stopped bool // an audit was stopped, as where this machine has no network: the next Run continues it
}

// Run audits each site of a configuration when it is due, keeps what is new of it in the outbox
// of the store, and delivers it, until ctx ends. Then it ends within ten seconds: audits that run
// are continued by the next Run, letters that were not accepted are delivered by it. While the
// store cannot be written to, as on a full disk, it goes on with the pages alone, and tries again
// every minute. An error says that it could not begin, or with Once, or at the end, that the store
// could not be written to.
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
	book    *book
	states  map[string]state
	outbox  *outbox
	metrics *metrics
	site    *site // the pages; nil for none
	summary Summary
	ill     illness

	running []*run               // audits that run
	hold    map[string]time.Time // sites that are not tried before then: this machine failed them
	polite  *crawler.Politeness  // of the audits that run
	tried   map[uint64]bool      // with Once: letters that were tried

	audits     chan audited
	deliveries chan delivery
	audit      func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error)
}

// A run is an audit that runs, of the site as it was when it began.
type run struct{ site Site }

// An audited is the outcome of a run.
type audited struct {
	run     *run
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
		return nil, ofStore(err)
	}
	w := &watcher{o: o, c: o.Config, log: o.Env.Log, clock: o.Clock, store: s, book: &book{write: s.NoteAll}, hold: map[string]time.Time{},
		tried: map[uint64]bool{}, audits: make(chan audited), deliveries: make(chan delivery), audit: runAudit}
	states, letters, err := readState(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	w.states, w.outbox = states, newOutbox(w.book, letters)
	w.metrics = newMetrics()
	return w, nil
}

// ofStore is an error of the store whose hint names the key of the configuration, in place of the
// flag of other commands.
func ofStore(err error) error {
	var file *storage.Error
	if !errors.As(err, &file) || !flagIn.MatchString(file.Hint) {
		return err
	}
	hint := strings.ReplaceAll(file.Hint, "--store FILE", "--store")
	return cli.WithHint(err, flagIn.ReplaceAllString(hint, "the key $1"))
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parting, stop := w.parting(ctx)
	defer stop()
	err := w.catchUp()
	for {
		var next time.Time
		if err == nil && ctx.Err() == nil && !w.rests() {
			next, err = w.turn(ctx, parting)
		}
		idle := len(w.running) == 0 && len(w.outbox.busy) == 0
		switch {
		case ctx.Err() != nil, w.o.Once && err != nil:
			cancel()
			return errors.Join(err, w.stop())
		case w.o.Once && idle:
			return nil
		case err != nil:
			w.fallIll(err)
		}
		if w.rests() {
			next = w.ill.again
		}
		w.metrics.beat(w.outbox)
		if idle && w.o.Idle != nil {
			w.o.Idle(next)
		}
		err = w.wait(ctx, next)
	}
}

// turn starts and sends what is due, and returns when the next thing is.
func (w *watcher) turn(ctx, parting context.Context) (next time.Time, err error) {
	if err := w.recover(); err != nil {
		return next, err
	}
	if err := w.clockSetBack(w.clock.Now()); err != nil {
		return next, err
	}
	w.start(ctx)
	next, err = w.deliver(parting)
	return earliest(next, w.nextRun()), err
}

// catchUp takes what ended, and was not reported when the last process ended, or before the store
// could not be written to.
func (w *watcher) catchUp() error {
	for _, s := range w.c.Sites {
		if _, err := w.settle(s); err != nil {
			return err
		}
		if err := w.restore(s); err != nil {
			return err
		}
	}
	return nil
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
	if len(w.running) >= parallel && d == 0 { // a place becomes free first
		d = lookEvery
	}
	select {
	case <-ctx.Done():
	case r := <-w.audits:
		return w.ended(r)
	case d := <-w.deliveries:
		return w.sent(d)
	case <-w.o.Hangup:
		if w.o.Reload != nil {
			w.reload()
		}
	case <-w.clock.After(d):
	}
	return nil
}

// How long is waited at the end: for letters that are on their way, and for all but the pages,
// which take up to three seconds more.
const (
	letterGrace = 4 * time.Second
	lastGrace   = 6 * time.Second
)

// errSlow says that something did not end in time.
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
	if len(w.book.owed) > 0 {
		errs = append(errs, w.book.note(nil))
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
		if !w.runs(s) {
			next = earliest(next, w.due(s, now))
		}
	}
	return next
}

// runs reports whether the audit of a site runs, or another one that writes to its folder: it may
// have had another name, or other targets, when that began.
func (w *watcher) runs(s Site) bool {
	return slices.ContainsFunc(w.running, func(r *run) bool { return r.site.Name == s.Name || r.site.scope == s.scope })
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
		if w.runs(s) {
			continue
		}
		if at := w.due(s, now); !at.IsZero() && !at.After(now) {
			list = append(list, candidate{s, at})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.at.Compare(b.at) })
	for _, x := range list[:min(len(list), max(0, parallel-len(w.running)))] {
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
	began := &run{s}
	w.running = append(w.running, began)
	delete(w.hold, s.Name)
	env := w.o.Env
	env.Store, env.Politeness, env.Progress = w.store, w.polite, nil
	env.Log = masked(w.log, w.c.environ).With("site", s.Name)
	env.Log.Info("the audit begins")
	w.showRunning()
	go func() {
		r := audited{run: began, began: now}
		r.err = audit.Guard(func() (err error) {
			if err := noLink(s.Spec.Out); err != nil {
				return err
			}
			r.failed, r.stopped, err = w.audit(ctx, s.Spec, env)
			return err
		})
		w.audits <- r
	}()
}

// holdFor is how long a site is left alone whose audit was stopped: this machine has no network or
// no open files, or somebody canceled it.
const holdFor = 5 * time.Minute

// ended handles the outcome of a run: it updates the site, and makes the messages.
func (w *watcher) ended(r audited) error {
	s := r.run.site
	w.running = slices.DeleteFunc(w.running, func(x *run) bool { return x == r.run })
	w.showRunning()
	log, now := w.log.With("site", s.Name), w.clock.Now()
	full := storage.Full(r.err)
	if r.stopped || full { // by the end of Run, by this machine, or by sitemend fleet cancel
		w.summary.Stopped = true
		w.hold[s.Name] = now.Add(holdFor)
		if r.err != nil && !errors.Is(r.err, context.Canceled) {
			log.Error("the audit was stopped, and goes on " + w.later() + ": " + w.reason(r.err))
		}
		if full {
			return r.err
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
		log.Error("the audit could not be made: " + w.reason(r.err))
	}
	if !settled { // there is no audit that says why
		why := "it left no audit in the store"
		if r.err != nil {
			why = w.reason(r.err)
		}
		return w.failed(s, "", why, r.began, now)
	}
	return nil
}

// later says when an audit that was stopped goes on.
func (w *watcher) later() string {
	if w.o.Once {
		return "with the next run"
	}
	return "in five minutes"
}
