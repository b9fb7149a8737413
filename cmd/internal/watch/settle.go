package watch

import (
	"slices"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
)

// settle looks at the audits of a site that have ended and were not looked at yet, the oldest
// first: what is new in them comes into the outbox, with what the store remembers of the site, in
// one transaction. So it does not matter when a process was killed: what ended before is reported
// by the next one, and never twice. It reports whether there was one.
func (w *watcher) settle(s Site) (any bool, err error) {
	return w.settleRun(s, audited{}, w.clock.Now())
}

// settleRun is settle after a run; the zero audited where none was made.
func (w *watcher) settleRun(s Site, r audited, now time.Time) (any bool, err error) {
	infos, err := w.store.Audits()
	if err != nil {
		return false, err
	}
	seq := w.states[s.Name].Seq
	infos = slices.DeleteFunc(infos, func(i audit.Info) bool {
		return i.Ended.IsZero() || i.Seq <= seq || !s.scope.Has(i)
	})
	for i, info := range infos {
		if seq == 0 && i < len(infos)-1 { // the store is older than the watching: the last one is the first
			continue
		}
		n, ok, err := job.NewsOf(w.store, info.ID)
		if err != nil {
			return any, err
		}
		if !ok {
			continue
		}
		any = true
		began, ended := r.began, now
		if began.IsZero() { // it was made by a process that did not come to this; its own times count
			began, ended = info.Started, info.Ended
		}
		if err := w.news(s, &n, info.Seq, began, ended); err != nil {
			return any, err
		}
	}
	return any, nil
}

// news takes a finished audit.
func (w *watcher) news(s Site, n *job.News, seq uint64, began, ended time.Time) error {
	was := w.states[s.Name]
	if n.Trouble != "" {
		was.Seq = seq
		err := w.failedAs(s, was, n.ID, n.Trouble, began, ended)
		if err == nil {
			w.metrics.ended(s.Name, n)
		}
		return err
	}
	st := state{Began: began, Ended: ended, Seq: seq, Success: ended}
	messages := newWriter(s.Spec.Lang, w.c.Location, w.reportOf).of(s.Name, n, &was)
	if err := w.enqueue(s, st, messages, n.ID); err != nil {
		return err
	}
	w.log.With("site", s.Name).Info("the audit has ended", "audit", n.ID, "entries", n.Entries, "worse", n.Worse.Addresses, "better", n.Better.Addresses)
	w.metrics.ended(s.Name, n)
	w.metrics.success(s.Name, ended)
	return nil
}

// failed takes a run that could not be made. It is reported the second time in a row, and once.
func (w *watcher) failed(s Site, id, why string, began, ended time.Time) error {
	return w.failedAs(s, w.states[s.Name], id, why, began, ended)
}

// failedAs is failed with what is remembered of the site.
func (w *watcher) failedAs(s Site, st state, id, why string, began, ended time.Time) error {
	st.Began, st.Ended, st.Why = began, ended, why
	st.Failures++
	var messages []message
	about := id
	if st.Failures >= 2 && !st.Failed {
		st.Failed = true
		next := s.Schedule.After(began, ended)
		messages = append(messages, newWriter(s.Spec.Lang, w.c.Location, w.reportOf).failed(s.Name, id, why, ended, next))
		if about == "" {
			about = began.UTC().Format(time.RFC3339Nano)
		}
	}
	return w.enqueue(s, st, messages, about)
}

// enqueue writes what is remembered of a site and the letters about it, all or nothing. about is
// what the messages are about: with it their ids are the same whenever they are made.
func (w *watcher) enqueue(s Site, st state, messages []message, about string) error {
	var list []letter
	for _, m := range messages {
		more, err := letters(w.store.Salt(), m, w.receiversOf(s), about, w.clock.Now())
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	for i := range list {
		list[i].Seq = w.outbox.last + 1 + uint64(i)
	}
	if err := keep(w.book, s.Name, st, list); err != nil {
		return err
	}
	w.states[s.Name] = st
	w.outbox.last += uint64(len(list))
	w.outbox.letters = append(w.outbox.letters, list...)
	return nil
}

// receiversOf are the receivers of a site that the configuration has.
func (w *watcher) receiversOf(s Site) (names []string) {
	for _, name := range s.Notify {
		if w.receiver(name) != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// restore shows in the metrics what is known of a site from before this process.
func (w *watcher) restore(s Site) error {
	if st := w.states[s.Name]; !st.Success.IsZero() {
		w.metrics.success(s.Name, st.Success)
	}
	infos, err := w.store.Audits()
	if err != nil {
		return err
	}
	for _, info := range slices.Backward(infos) {
		if info.Ended.IsZero() || !s.scope.Has(info) {
			continue
		}
		n, ok, err := job.NewsOf(w.store, info.ID)
		if ok {
			w.metrics.last(s.Name, &n)
		}
		return err
	}
	return nil
}
