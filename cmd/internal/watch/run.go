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
	"sitemend/crawler/ground"
	"sitemend/storage"
)

// Options say how sites are watched.
type Options struct {
	Config *Config
	// Once makes Run end when everything that is due now was audited, and each message tried.
	Once bool
	// Reload reads the configuration again each time that Hangup gets a value; nil for never.
	Reload func() (*Config, error)
	Hangup <-chan os.Signal
	// Env is what each audit has around it. Its Store and Paces are made by Run; Log is
	// that of Run, too.
	Env job.Env
	// Serving is called with the address of the pages, once they can be opened.
	Serving func(url string)
}

// A Summary says what Run saw.
type Summary struct {
	Found   bool // an audit found more than its fail-on allows
	Trouble bool // an audit could not be made
	Stopped bool // an audit was stopped, as where this machine has no network: the next Run continues it
}

// Run audits each site of a configuration when it is due, keeps what is new of it in the outbox
// of the store, and delivers it, until ctx ends. Then it ends within ten seconds: audits that run
// are continued by the next Run, letters that were not accepted are delivered by it. It ends, too,
// with the error, where the store cannot be written to, as on a full disk.
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
	return w.summary, errors.Join(err, w.pages.close(), w.store.Close())
}

// A watcher is a Run. Its fields belong to the one goroutine of loop; others send it what they
// come to.
type watcher struct {
	o       Options
	c       *Config
	log     *slog.Logger
	store   *storage.Store
	outbox  *outbox
	metrics *metrics
	pages   *pages // nil for none
	summary Summary

	running []Site               // as each was when its audit began
	hold    map[string]time.Time // sites that are not tried before then: this machine failed them
	paces   *crawler.Paces       // of the audits that run

	events  chan func() error // what loop has to do about an audit or a delivery that ended
	letters context.Context   // of deliveries; hangUp ends it
	hangUp  context.CancelFunc
	// audit makes an audit: failed says that there is more than fail-on allows, stopped that it goes
	// on another time.
	audit func(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error)
}

// now is the time, without the reading of the monotonic clock: that stands still while the machine
// sleeps. It may jump, for clocks are set.
var now = func() time.Time { return time.Now().Round(0) }

// begin opens the store and reads what it remembers.
func begin(o Options) (*watcher, error) {
	s, err := storage.Open(job.StoreIn(o.Config.Store))
	var file *storage.Error
	if errors.As(err, &file) { // the hint names the key, in place of the flag of other commands
		err = cli.WithHint(err, strings.NewReplacer("--store FILE", "the key store", "--store", "the key store").Replace(file.Hint))
	}
	if err != nil {
		return nil, err
	}
	box, err := openOutbox(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	w := &watcher{o: o, c: o.Config, log: o.Env.Log, store: s, outbox: box, metrics: newMetrics(),
		hold: map[string]time.Time{}, events: make(chan func() error), audit: runAudit}
	return w, nil
}

// runAudit is job.Run for a watcher.
func runAudit(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error) {
	out, err := job.Run(ctx, s, env)
	if out == nil {
		return false, ctx.Err() != nil, err
	}
	if err == nil && out.Outage != nil {
		err = out.Outage
	}
	return out.Failed, out.Result == nil, errors.Join(err, out.Close())
}

// look is how long is waited until it is looked again what is due, and letterGrace how long for
// letters that are on their way at the end, so that one that is being accepted is not sent twice.
const (
	look        = 10 * time.Second
	letterGrace = 4 * time.Second
)

// loop starts and sends what is due, and takes what comes, until ctx ends.
func (w *watcher) loop(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	w.letters, w.hangUp = context.WithCancel(context.WithoutCancel(ctx))
	defer w.hangUp()
	err := w.catchUp()
	for err == nil && ctx.Err() == nil {
		w.start(ctx)
		err = w.deliver()
		w.metrics.show(w.c.Sites, w.outbox)
		if w.o.Once && w.idle() {
			break
		}
		select {
		case <-ctx.Done():
		case event := <-w.events:
			err = errors.Join(err, event())
		case <-w.o.Hangup:
			w.reload()
		case <-time.After(look):
		}
	}
	cancel()
	defer time.AfterFunc(letterGrace, w.hangUp).Stop()
	for !w.idle() {
		err = errors.Join(err, (<-w.events)())
	}
	return err
}

func (w *watcher) idle() bool { return len(w.running)+len(w.outbox.busy) == 0 }

// catchUp takes what ended, and was not reported when the last process ended.
func (w *watcher) catchUp() error {
	for _, s := range w.c.Sites {
		if _, err := w.settle(s); err != nil {
			return err
		}
	}
	return nil
}

// reload reads the configuration again, and keeps the old one where the new one is wrong, or asks
// for what needs a restart.
func (w *watcher) reload() {
	var c *Config
	err := ground.Guard(func() (err error) { // a fault in reading a file ends no audit
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

// maxWhy is how long the reason of a failure may be, in characters.
const maxWhy = 300

// reason is an error as a message says it.
func (w *watcher) reason(err error) string {
	return cut(cli.OneLine(w.c.secrets.Mask(err.Error())), maxWhy)
}

// runs reports whether the audit of a site runs, or another one that writes to its folder: it may
// have had another name, or other targets, when that began.
func (w *watcher) runs(s Site) bool {
	return slices.ContainsFunc(w.running, func(r Site) bool { return r.Name == s.Name || r.scope == s.scope })
}
