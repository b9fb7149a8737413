package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// parallel is how many audits are made at once.
const parallel = 2

// setBack is how far in the future a run may lie, for the clock was wrong then, before its site is
// due at once: else it would not be audited until then.
const setBack = time.Hour

// due returns when a site is due: now where it was never audited.
func (w *watcher) due(s Site, now time.Time) time.Time {
	at, st := now, w.outbox.states[s.Name]
	if !st.Began.IsZero() && !st.Ended.After(now.Add(setBack)) {
		at = s.Schedule.After(st.Began, st.Ended)
	}
	if hold := w.hold[s.Name]; at.Before(hold) {
		at = hold
	}
	return at
}

// nextRun returns when the next site is due that does not run; the zero time for never.
func (w *watcher) nextRun() (next time.Time) {
	for _, s := range w.c.Sites {
		if !w.runs(s) {
			next = earliest(next, w.due(s, w.clock.Now()))
		}
	}
	return next
}

// start starts what is due, as many audits at once as there may be, what is due the longest first.
func (w *watcher) start(ctx context.Context) {
	now := w.clock.Now()
	sites := slices.Clone(w.c.Sites)
	slices.SortStableFunc(sites, func(a, b Site) int { return w.due(a, now).Compare(w.due(b, now)) })
	for _, s := range sites {
		if len(w.running) < parallel && !w.runs(s) && !w.due(s, now).After(now) {
			w.begin(ctx, s, now)
		}
	}
}

// begin starts the audit of a site.
func (w *watcher) begin(ctx context.Context, s Site, now time.Time) {
	if len(w.running) == 0 {
		// Audits beside one another share a host's pace, robots.txt and leave; those that come
		// later look anew.
		w.polite = crawler.NewPoliteness()
	}
	w.running = append(w.running, s)
	delete(w.hold, s.Name)
	env := w.o.Env
	env.Store, env.Politeness, env.Progress, env.Log = w.store, w.polite, nil, w.log.With("site", s.Name)
	env.Log.Info("the audit begins")
	w.pages.show(w.running)
	go func() {
		r := audited{site: s, began: now}
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

// ended handles the outcome of an audit: it updates the site, and makes the messages.
func (w *watcher) ended(r audited) error {
	s, now := r.site, w.clock.Now()
	w.running = slices.DeleteFunc(w.running, func(x Site) bool { return x.Name == s.Name })
	w.pages.show(w.running)
	log, full := w.log.With("site", s.Name), storage.Full(r.err)
	if r.stopped || full { // by the end of Run, by this machine, or by sitemend fleet cancel
		w.summary.Stopped = true
		w.hold[s.Name] = now.Add(holdFor)
		if r.err != nil && !errors.Is(r.err, context.Canceled) {
			log.Error("the audit was stopped, and goes on in five minutes, or with the next start: " + w.reason(r.err))
		}
		if full {
			return r.err
		}
		return nil
	}
	w.summary.Found = w.summary.Found || r.failed
	settled, err := w.settle(s, r.began, now)
	if err != nil {
		return err
	}
	why := "it left no audit in the store"
	if r.err != nil {
		w.summary.Trouble = true
		why = w.reason(r.err)
		log.Error("the audit could not be made: " + why)
	}
	if settled {
		return nil
	}
	st := w.outbox.states[s.Name] // there is no audit that says why
	st.Began, st.Ended = r.began, now
	return w.failed(s, st, "", why)
}

// settle looks at the audits of a site that have ended and were not looked at yet, the oldest
// first: what is new in them comes into the outbox, with what the store remembers of the site, in
// one transaction. So it does not matter when a process was killed: what ended before is reported
// by the next one, and never twice. It reports whether there was one. began and ended are zero
// where no audit was made now: its own times count.
func (w *watcher) settle(s Site, began, ended time.Time) (any bool, err error) {
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
		if err != nil {
			return any, err
		}
		if !ok {
			continue
		}
		any = true
		st := w.outbox.states[s.Name]
		st.Seq, st.Began, st.Ended, st.Verdicts, st.Took = info.Seq, began, ended, n.Verdicts, n.Duration
		if began.IsZero() {
			st.Began, st.Ended = info.Started, info.Ended
		}
		w.metrics.requests.WithLabelValues(s.Name).Add(float64(n.Requests))
		if err := w.news(s, st, &n); err != nil {
			return any, err
		}
	}
	return any, nil
}

// news takes a finished audit; st is what is remembered of the site from now on.
func (w *watcher) news(s Site, st state, n *job.News) error {
	if n.Trouble != "" {
		return w.failed(s, st, n.ID, n.Trouble)
	}
	was := w.outbox.states[s.Name]
	st.Success, st.Failures = st.Ended, 0
	w.log.With("site", s.Name).Info("the audit has ended", "audit", n.ID, "entries", n.Counts.Entries, "worse", n.Worse.Addresses, "better", n.Better.Addresses)
	return w.tell(s, st, w.writer(s).of(n, &was), n.ID)
}

// toldAfter is the number of failures in a row that is told, once.
const toldAfter = 2

// failed takes an audit that could not be made.
func (w *watcher) failed(s Site, st state, id, why string) error {
	var messages []message
	if st.Failures++; st.Failures == toldAfter {
		messages = append(messages, w.writer(s).failed(id, why, st.Ended, s.Schedule.After(st.Began, st.Ended)))
	}
	if id == "" {
		id = st.Began.UTC().Format(time.RFC3339Nano)
	}
	return w.tell(s, st, messages, id)
}

// writer writes the messages about a site.
func (w *watcher) writer(s Site) writer {
	return newWriter(s.Name, s.Spec.Lang, w.c.Location, w.reportOf)
}

// tell keeps what is remembered of a site and the letters about it. about is what the messages are
// about: with it their ids are the same whenever they are made.
func (w *watcher) tell(s Site, st state, messages []message, about string) error {
	var list []*letter
	for _, m := range messages {
		for _, r := range w.c.Receivers {
			if !slices.Contains(s.Notify, r.Name) {
				continue
			}
			l, err := m.letter(w.store.Salt(), r.Name, about, w.clock.Now())
			if err != nil {
				return err
			}
			list = append(list, l)
		}
	}
	return w.outbox.keep(s.Name, st, list)
}
