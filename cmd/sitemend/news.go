package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// lastLike returns the last finished audit before one that can say what is new
// in it: of the same targets, asked as the same robot, as much of a part as it,
// and not one to which the site did not answer. ok is false where there is none.
func lastLike(store *storage.Store, of audit.Info) (last audit.Info, ok bool, err error) {
	infos, err := store.Audits()
	if err != nil {
		return last, false, err
	}
	for _, i := range slices.Backward(infos) {
		if i.ID >= of.ID || i.Ended.IsZero() || i.Partial != of.Partial || i.Identity != of.Identity || !slices.Equal(i.Targets, of.Targets) {
			continue
		}
		if ok, err := answered(store, i.ID); ok || err != nil {
			return i, ok, err
		}
	}
	return last, false, nil
}

// answered tells whether an audit saw at least half of what it asked for.
func answered(store *storage.Store, id string) (bool, error) {
	a, err := store.Audit(id)
	if err != nil {
		return false, err
	}
	c, ok, err := keptCounts(a)
	asked := c.Entries - c.Groups[audit.LeftOut]
	return err == nil && (!ok || 2*c.Groups[audit.NotChecked] <= asked), errors.Join(err, a.Close())
}

// onlyNew counts for --fail-on what the last audit like this one did not have: an
// address counts where its verdict is another one now, or where it was not
// listed or not asked then. Where there is no such audit everything counts: the
// first run hides nothing.
func onlyNew(log *slog.Logger, store *storage.Store, a *storage.Audit, t *audit.Told, items []failItem) (failCounts, error) {
	all := countsOf(t)
	last, ok, err := lastLike(store, t.Info)
	if err != nil {
		return all, err
	}
	if !ok {
		log.Info("--new: there is no earlier audit of the same targets, everything counts")
		return all, nil
	}
	older, err := store.Audit(last.ID)
	if err != nil {
		return all, err
	}
	defer older.Close()
	d, err := compare(context.Background(), older, a) // the audit is done: nothing is left to continue
	if err != nil {
		return all, err
	}
	counts := failCounts{entries: all.entries, verdicts: d.NewVerdicts}
	err = d.Close()
	if err == nil && slices.ContainsFunc(items, failItem.wantsFaults) {
		var before *audit.Told
		if before, err = tell(older, last); err == nil {
			counts.faults = newFaults(before, t)
		}
	}
	problem := failItem{name: "problem"}
	log.Info(fmt.Sprintf("--new: %s of %s problems were not there on %s; sitemend diff lists what changed", thousands(int64(problem.count(&counts))),
		thousands(int64(problem.count(&all))), last.Started.Local().Format("2006-01-02 15:04")))
	return counts, err
}

// newFaults counts the places of errors that a sitemap has more of than before.
func newFaults(before, now *audit.Told) int {
	type fault struct{ sitemap, name string }
	counted := func(t *audit.Told) map[fault]int {
		m := map[fault]int{}
		for i := range t.Files {
			s := &t.Files[i].Sitemap
			for _, f := range s.Faults {
				if f.Severity == "error" {
					m[fault{s.URL, f.Name}] += f.Places()
				}
			}
		}
		return m
	}
	n, then := 0, counted(before)
	for f, places := range counted(now) {
		n += max(0, places-then[f])
	}
	return n
}

// tidied returns what an audit found, after the audits that it makes needless were
// removed. One to which the site did not answer makes none needless.
func (j *job) tidied(store *storage.Store, done audit.Info, found error) error {
	if code := exit(0); found != nil && !errors.As(found, &code) {
		return found
	}
	if err := prune(store, done, j.f.keepAudits); err != nil {
		return err
	}
	return found
}

// prune removes the older finished audits like this one, so that keep of them
// are left with it, and those of its targets that were stopped too long ago to
// be continued. What was taken out by the audits that go stands in the record of
// the last one.
func prune(store *storage.Store, of audit.Info, keep int) error {
	if keep == 0 {
		return nil
	}
	infos, err := store.Audits()
	if err != nil {
		return err
	}
	kept := 1
	var errs []error
	for _, i := range slices.Backward(infos) {
		if i.ID >= of.ID || i.Partial != of.Partial || !slices.Equal(i.Targets, of.Targets) {
			continue
		}
		gone := false
		if i.Ended.IsZero() {
			gone, err = tooOld(store, i.ID)
			errs = append(errs, err)
		} else {
			kept++
			gone = kept > keep
		}
		if gone {
			errs = append(errs, store.Remove(i.ID))
		}
	}
	return errors.Join(errs...)
}

// tooOld tells whether a stopped audit was last written to so long ago that no
// command continues it any more.
func tooOld(store *storage.Store, id string) (bool, error) {
	a, err := store.Audit(id)
	if err != nil {
		return false, err
	}
	at, err := a.Active()
	return err == nil && time.Since(at) > continueWithin, errors.Join(err, a.Close())
}
