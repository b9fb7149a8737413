package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/notify"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/storage"
)

// parallel is how many audits are made at once.
const parallel = 2

// due returns when a site is due: now where it was never audited, or at a time that is yet to come,
// for the clock was wrong then.
func (w *watcher) due(s Site, now time.Time) time.Time {
	at := now
	if st := w.outbox.states[s.Name]; !st.Ended.IsZero() && !st.Ended.After(now) {
		at = s.Schedule.Next(st.Ended)
	}
	if hold := w.hold[s.Name]; at.Before(hold) {
		at = hold
	}
	return at
}

// start starts what is due, as many audits at once as there may be, what is due the longest first.
func (w *watcher) start(ctx context.Context) {
	now := now()
	var due []Site
	for _, s := range w.c.Sites {
		if !w.due(s, now).After(now) {
			due = append(due, s)
		}
	}
	slices.SortStableFunc(due, func(a, b Site) int { return w.due(a, now).Compare(w.due(b, now)) })
	for _, s := range due {
		if len(w.running) < parallel && !w.runs(s) {
			w.begin(ctx, s)
		}
	}
}

// begin starts the audit of a site.
func (w *watcher) begin(ctx context.Context, s Site) {
	if len(w.running) == 0 {
		// Audits beside one another share a host's pace, robots.txt and leave; those that come
		// later look anew.
		w.paces = new(crawler.Paces)
	}
	w.running = append(w.running, s)
	w.pages.show(w.running)
	env := w.o.Env
	env.Store, env.Paces, env.Log = w.store, w.paces, w.log.With("site", s.Name)
	env.Log.Info("the audit begins")
	go func() {
		var failed, stopped bool
		err := ground.Guard(func() (err error) {
			failed, stopped, err = w.audit(ctx, s.Spec, env)
			return err
		})
		w.events <- func() error { return w.ended(s, failed, stopped, err) }
	}()
}

// holdFor is how long a site is left alone whose audit was stopped: this machine has no network or
// no open files, or somebody canceled it.
const holdFor = 5 * time.Minute

// ended handles the outcome of an audit: it updates the site, and makes the messages.
func (w *watcher) ended(s Site, failed, stopped bool, failure error) error {
	w.running = slices.DeleteFunc(w.running, func(x Site) bool { return x.Name == s.Name })
	w.pages.show(w.running)
	log := w.log.With("site", s.Name)
	if storage.Full(failure) {
		return failure
	}
	if stopped { // by the end of Run, by this machine, or by sitemend fleet cancel
		w.summary.Stopped = true
		w.hold[s.Name] = now().Add(holdFor)
		if failure != nil && !errors.Is(failure, context.Canceled) {
			log.Error("the audit was stopped, and goes on in five minutes, or with the next start: " + w.reason(failure))
		}
		return nil
	}
	w.summary.Found = w.summary.Found || failed
	settled, err := w.settle(s)
	if err != nil {
		return err
	}
	why := "it left no audit in the store"
	if failure != nil {
		w.summary.Trouble = true
		why = w.reason(failure)
		log.Error("the audit could not be made: " + why)
	}
	if settled {
		return nil
	}
	st := w.outbox.states[s.Name] // there is no audit that says why
	st.Ended = now()
	return w.news(s, st, &job.News{Trouble: why})
}

// settle looks at the audits of a site that have ended and were not looked at yet, the oldest
// first: what is new in them comes into the outbox, with what the store remembers of the site, in
// one transaction. So it does not matter when a process was killed: what ended before is reported
// by the next one, and never twice. It reports whether there was one.
func (w *watcher) settle(s Site) (any bool, err error) {
	infos, err := w.store.Audits()
	if err != nil {
		return false, err
	}
	seq := w.outbox.states[s.Name].Seq
	infos = slices.DeleteFunc(infos, func(i audit.Info) bool {
		return i.Ended.IsZero() || i.Seq <= seq || !s.scope.Has(i)
	})
	if seq == 0 && len(infos) > 1 { // the store is older than the watching: the last one is the first
		infos = infos[len(infos)-1:]
	}
	for _, info := range infos {
		n, ok, err := job.NewsOf(w.store, info.ID)
		if errors.Is(err, ground.ErrDamaged) { // the other sites go on
			w.log.With("site", s.Name).Error("what the audit found cannot be read", "audit", info.ID, "why", w.reason(err))
			n, ok, err = job.News{Info: info, Trouble: w.reason(err)}, true, nil
		}
		if err != nil {
			return any, err
		}
		if !ok {
			continue
		}
		any = true
		st := w.outbox.states[s.Name]
		st.Seq, st.Ended, st.Verdicts, st.Took = info.Seq, now(), n.Verdicts, n.Duration
		w.metrics.requests.WithLabelValues(s.Name).Add(float64(n.Requests))
		if err := w.news(s, st, &n); err != nil {
			return any, err
		}
	}
	return any, nil
}

// toldAfter is the number of failures in a row that is told, once.
const toldAfter = 2

// news takes what came of a run, and keeps it with the letters about it; st is what is remembered of the
// site from now on.
func (w *watcher) news(s Site, st state, n *job.News) error {
	was, write := w.outbox.states[s.Name], newWriter(s.Name, s.Spec.Lang, w.c.Location, w.reportOf)
	var messages []notify.Message
	if n.Trouble == "" {
		st.Success, st.Failures = n.Ended, 0
		w.log.With("site", s.Name).Info("the audit has ended", "audit", n.ID, "entries", n.Counts.Entries, "worse", n.Worse.Addresses, "better", n.Better.Addresses)
		messages = write.of(n, &was)
	} else if st.Failures++; st.Failures == toldAfter {
		messages = append(messages, write.failed(n.ID, n.Trouble, st.Ended, s.Schedule.Next(st.Ended)))
	}
	var letters []*letter
	for _, m := range messages {
		for _, r := range s.Notify {
			letters = append(letters, &letter{Message: m, Site: s.Name, Receiver: r, Created: now()})
		}
	}
	return w.outbox.keep(s.Name, st, letters...)
}
