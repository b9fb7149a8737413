package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// A Clock is by whose time sites are due and letters are tried again. How fast a host is
// requested is no matter of it.
type Clock interface {
	// Now returns the time. It may jump: clocks are set, and machines sleep.
	Now() time.Time
	// After returns a channel that gets a value once d has passed.
	After(d time.Duration) <-chan time.Time
}

// system is the clock of the machine.
type system struct{}

// Now is without the reading of the monotonic clock: that stands still while the machine sleeps.
func (system) Now() time.Time                         { return time.Now().Round(0) }
func (system) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Options say how sites are watched.
type Options struct {
	Config *Config
	// Secrets are those of the Loader that read Config.
	Secrets *Secrets
	// Once makes Run end when everything that is due now was audited and delivered.
	Once bool
	// Reload reads the configuration again each time that Hangup gets a value; nil for never.
	Reload func() (*Config, error)
	Hangup <-chan os.Signal
	// Env is what each audit has around it. Its Store and Politeness are made by Run; Log is
	// that of Run, too.
	Env   job.Env
	Clock Clock // nil for that of the machine
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
	w.log.Info("watching " + cli.Plural(len(w.c.Sites), "site", "sites"))
	err = w.serve(ctx)
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
	outbox  *outbox
	metrics *metrics
	pages   *pages // nil for none
	summary Summary

	// The store cannot be written to, and why; "" where it can. Nothing is started or sent
	// meanwhile: it could not be noted, and so would be done again.
	ill      string
	illUntil time.Time // the store is tried again

	running []Site               // as each was when its audit began
	hold    map[string]time.Time // sites that are not tried before then: this machine failed them
	polite  *crawler.Politeness  // of the audits that run

	audits     chan audited
	deliveries chan delivery
	letters    context.Context // of deliveries; hangUp ends it
	hangUp     context.CancelFunc
	audit      func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error)
}

// An audited is the outcome of an audit.
type audited struct {
	site    Site
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
	box, err := openOutbox(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	w := &watcher{o: o, c: o.Config, log: o.Env.Log, clock: o.Clock, store: s, outbox: box, metrics: newMetrics(),
		hold: map[string]time.Time{}, audits: make(chan audited), deliveries: make(chan delivery), audit: runAudit}
	if box.once = o.Once; o.Once { // there may be no later try before the next run
		for _, l := range box.letters {
			l.Next = o.Clock.Now()
		}
	}
	return w, nil
}

// ofStore is an error of the store whose hint names the key of the configuration, in place of the
// flag of other commands.
func ofStore(err error) error {
	var file *storage.Error
	if !errors.As(err, &file) {
		return err
	}
	return cli.WithHint(err, strings.NewReplacer("--store FILE", "the key store", "--store", "the key store").Replace(file.Hint))
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
	w.letters, w.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	defer w.hangUp()
	err := w.catchUp()
	for ctx.Err() == nil {
		var next time.Time
		if err == nil {
			next, err = w.turn(ctx)
		}
		if err != nil && w.o.Once {
			break
		}
		if err != nil {
			next = w.fallIll(err)
		}
		w.metrics.show(w.c.Sites, w.outbox)
		if len(w.running) == 0 && len(w.outbox.busy) == 0 {
			if w.o.Once {
				return nil
			}
			if w.o.Idle != nil {
				w.o.Idle(next)
			}
		}
		err = w.wait(ctx, next)
	}
	cancel()
	return errors.Join(err, w.stop())
}

// turn starts and sends what is due, and returns when the next thing is.
func (w *watcher) turn(ctx context.Context) (next time.Time, err error) {
	if w.ill != "" {
		if w.clock.Now().Before(w.illUntil) {
			return w.illUntil, nil
		}
		if err := w.recover(); err != nil {
			return next, err
		}
	}
	w.start(ctx)
	next, err = w.deliver()
	return earliest(next, w.nextRun()), err
}

// catchUp takes what ended, and was not reported when the last process ended, or before the store
// could not be written to.
func (w *watcher) catchUp() error {
	for _, s := range w.c.Sites {
		if _, err := w.settle(s, time.Time{}, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// earliest returns the earlier of two times, where each may be zero for none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// lookEvery is how long is waited at most before the clock is looked at again: it may have been
// set, or the machine may have slept.
const lookEvery = time.Minute

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
		w.reload()
	case <-w.clock.After(d):
	}
	return nil
}

// How long is waited at the end: for letters that are on their way, so that one that is being
// accepted is not sent twice, and for all but the pages, which take up to three seconds more.
const (
	letterGrace = 4 * time.Second
	lastGrace   = 6 * time.Second
)

// stop waits for what runs.
func (w *watcher) stop() error {
	tired, late := time.AfterFunc(letterGrace, w.hangUp), time.After(lastGrace)
	defer tired.Stop()
	var errs []error
	for len(w.running) > 0 || len(w.outbox.busy) > 0 {
		select {
		case r := <-w.audits:
			errs = append(errs, w.ended(r))
		case d := <-w.deliveries:
			errs = append(errs, w.sent(d))
		case <-late:
			return errors.Join(append(errs, errors.New("not all ended within six seconds; what was asked is kept, and the next start continues"))...)
		}
	}
	if len(w.outbox.owed) > 0 {
		errs = append(errs, w.outbox.note(nil))
	}
	return errors.Join(errs...)
}

// end lets go of the pages and of the store.
func (w *watcher) end() error {
	err := w.pages.close()
	if len(w.running) > 0 { // the store is not closed under an audit that did not end in time
		return err
	}
	return errors.Join(err, w.store.Close())
}

// reload reads the configuration again, and keeps the old one where the new one is wrong, or asks
// for what needs a restart.
func (w *watcher) reload() {
	var c *Config
	err := audit.Guard(func() (err error) { // a fault in reading a file ends no audit
		c, err = w.o.Reload()
		return err
	})
	if err == nil && (c.Store != w.c.Store || c.Listen != w.c.Listen) {
		err = fmt.Errorf("the keys store and listen take a new start")
	}
	if err != nil {
		w.log.Error("the configuration was not taken, the one before stays in force: " + err.Error())
		return
	}
	w.c = c
	w.log.Info("the configuration was read again: " + cli.Plural(len(c.Sites), "site", "sites"))
}

// illFor is how long is waited before the store is tried again.
const illFor = time.Minute

// fallIll takes an error of the store, and returns when the store is tried again. It is said once,
// not every minute.
func (w *watcher) fallIll(err error) (again time.Time) {
	why := "nothing can be written: " + w.reason(err)
	if why != w.ill {
		w.log.Error(why + "; until it can, nothing is audited and no message is sent; it is tried every minute")
	}
	w.ill, w.illUntil = why, w.clock.Now().Add(illFor)
	w.metrics.ill.Store(&why)
	return w.illUntil
}

// recover writes to the store what it owes, and takes what ended meanwhile.
func (w *watcher) recover() error {
	if err := w.outbox.note(map[string][]byte{aliveNote: []byte(w.clock.Now().UTC().Format(time.RFC3339))}); err != nil {
		return err
	}
	if err := w.catchUp(); err != nil {
		return err
	}
	w.ill = ""
	w.metrics.ill.Store(&w.ill)
	w.log.Info("the store can be written to again")
	return nil
}

// maxWhy is how long the reason of a failure may be, in characters.
const maxWhy = 300

// reason is an error as a message says it.
func (w *watcher) reason(err error) string {
	return cut(cli.OneLine(w.o.Secrets.Mask(err.Error())), maxWhy)
}

// runs reports whether the audit of a site runs, or another one that writes to its folder: it may
// have had another name, or other targets, when that began.
func (w *watcher) runs(s Site) bool {
	return slices.ContainsFunc(w.running, func(r Site) bool { return r.Name == s.Name || r.scope == s.scope })
}
