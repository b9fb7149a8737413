package job

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/storage"
)

// sameScope reports whether two audits are of the same entries, asked as the same robot:
// what one found can be set beside what the other found.
func sameScope(a, b *audit.Info) bool {
	return scopeOf(a).Has(*b)
}

// lastLike returns the last finished audit before one that can say what is new
// in it: one like it that was made without trouble. ok is false where there is none.
func lastLike(store *storage.Store, of audit.Info) (last audit.Info, ok bool, err error) {
	for i, err := range allLike(store, of) {
		return i, err == nil, err
	}
	return last, false, nil
}

// allLike yields all audits of which lastLike returns the last, the last first. An error ends it.
func allLike(store *storage.Store, of audit.Info) iter.Seq2[audit.Info, error] {
	return func(yield func(audit.Info, error) bool) {
		infos, err := store.Audits()
		if err != nil {
			yield(audit.Info{}, err)
			return
		}
		for _, i := range slices.Backward(infos) {
			if !i.Before(&of) || i.Ended.IsZero() || !sameScope(&i, &of) {
				continue
			}
			if ok, err := untroubled(store, i.ID); (ok || err != nil) && !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// earlierLike yields what all those audits keep, each open until the next one.
func earlierLike(store *storage.Store, of audit.Info) iter.Seq2[audit.Source, error] {
	return func(yield func(audit.Source, error) bool) {
		for i, err := range allLike(store, of) {
			var a *storage.Audit
			if err == nil {
				a, err = store.Audit(i.ID)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			more := yield(a, nil)
			if err := a.Close(); err != nil && more {
				yield(nil, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// untroubled reports whether an audit could be made, so that its news was reported: what the next
// one finds is set beside it, and nothing is reported twice or left out.
func untroubled(store *storage.Store, id string) (bool, error) {
	if n, ok, err := NewsOf(store, id); ok || err != nil {
		return n.Trouble == "", err
	}
	return answered(store, id)
}

// answered reports whether an audit of a version that kept no news saw at least half of what it
// asked for.
func answered(store *storage.Store, id string) (bool, error) {
	a, err := store.Audit(id)
	if err != nil {
		return false, err
	}
	c, ok, err := keptCounts(a)
	asked := c.Entries - c.Groups[audit.LeftOut]
	return err == nil && (!ok || 2*c.Groups[audit.NotChecked] <= asked), errors.Join(err, a.Close())
}

// A baseline says what is new since the last audit like one.
type baseline struct {
	log   *slog.Logger
	items []failItem
	diff  string      // the command that lists what changed
	since *Comparison // with the last audit, where it was made already; else nil
}

// count counts for --fail-on what the last audit like this one did not have: an
// address counts where its verdict is another one now, or where it was not
// listed or never seen. What that audit could not see is set beside what the audits before it saw
// last. Where there is no such audit everything counts: the
// first run hides nothing. It ends with ctx.
func (n baseline) count(ctx context.Context, store *storage.Store, a *storage.Audit, t *audit.Result) (_ failCounts, err error) {
	all := countsOf(t)
	last, ok, err := lastLike(store, t.Info)
	if err != nil {
		return all, err
	}
	if !ok {
		level := slog.LevelInfo
		if slices.ContainsFunc(n.items, func(i failItem) bool { return i.fails(&all) }) {
			level = slog.LevelError // nothing else says with -q why it fails
		}
		n.log.Log(ctx, level, "--new: there is no earlier audit of the same targets, robot and filters; everything counts")
		return all, nil
	}
	n.log.Debug("--new: comparing with the audit that began " + last.Started.UTC().Format("2006-01-02 15:04 UTC"))
	older, err := store.Audit(last.ID)
	if err != nil {
		return all, err
	}
	defer older.Close()
	d := n.since
	if d == nil || d.Old.ID != last.ID {
		if d, err = compareAudits(ctx, older, a, t); err != nil {
			return all, err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		if err := d.compareErrors(ctx, store); err != nil {
			return all, err
		}
	}
	if err := ctx.Err(); err != nil { // the comparison may have been made before
		return all, err
	}
	since, err := d.SinceSeen(ctx, listedLast(seenLast(ctx, older)), func(*audit.SeenLast) error { return nil })
	if err != nil {
		return all, err
	}
	counts := failCounts{entries: all.entries, verdicts: since.NewVerdicts, expected: all.expected, unmet: all.unmet}
	for i := range d.Files {
		if d.Files[i].NewlyUnread() {
			counts.unread++
		}
	}
	if slices.ContainsFunc(n.items, failItem.wantsFaults) {
		for i := range d.errors {
			x := &d.errors[i]
			counts.faults += x.NewErrors + x.UnreadErrors + x.UnseenErrors
		}
	}
	n.say(since, d.errors, &counts, &all)
	return counts, nil
}

// listedLast yields what was seen last of addresses that had not left the sitemaps, or fell out of
// one with much else: a problem that comes back with one of the others is new.
func listedLast(all iter.Seq2[audit.SeenLast, error]) iter.Seq2[audit.SeenLast, error] {
	return func(yield func(audit.SeenLast, error) bool) {
		for s, err := range all {
			if (err != nil || s.Away == 0 || s.Fell) && !yield(s, err) {
				return
			}
		}
	}
}

// listedNew is how many new addresses are listed, at most as many as Diff.Newest has of a verdict.
const listedNew = 10

// say logs how much is new. Where it makes the audit fail it lists the first addresses
// and errors that do, with -q too: that is what a mail of cron is read for.
func (n baseline) say(d *audit.Diff, errors []audit.FaultChange, counts, all *failCounts) {
	failing := slices.DeleteFunc(slices.Clone(n.items), func(i failItem) bool { return !i.fails(counts) })
	item, one, many := failItem{name: "problem"}, "problem is", "problems are"
	if len(failing) > 0 && !slices.ContainsFunc(failing, func(i failItem) bool { return i.name != "faults" }) {
		item, one, many = failing[0], "error of the sitemaps is", "errors of the sitemaps are"
	}
	text := fmt.Sprintf("--new: %s new, or another than was seen last, on %s or before; %s lists what changed", cli.Of(item.count(counts), item.count(all), one, many),
		d.Old.Started.UTC().Format("2006-01-02 15:04 UTC"), n.diff+" "+d.Old.ID+" "+d.New.ID)
	if s := &d.Since; s.Lost > 0 {
		n.log.Error(fmt.Sprintf("--new: %d of %d addresses that answered 200 left the sitemaps, the first %s; that is no problem by itself, and fails nothing",
			s.Lost, s.LostOf, s.LostIn))
	}
	if len(failing) == 0 {
		n.log.Info(text)
		return
	}
	n.log.Error(text)
	words := report.NewDiffWords(d, "en")
	lines := newErrors(failing, errors, words)
	more := len(lines)
	for i := range d.Files {
		f := &d.Files[i]
		if !f.NewlyUnread() || !slices.ContainsFunc(failing, func(i failItem) bool { return i.name == "problem" || i.wantsFaults() }) {
			continue
		}
		if more++; len(lines) < listedNew {
			then, now := words.Tallies(f)
			lines = append(lines, fmt.Sprintf("--new: %s    %s -> %s", f.URL, then, now))
		}
	}
	var newest []audit.Change
	for v, count := range d.NewVerdicts {
		if slices.ContainsFunc(failing, func(i failItem) bool { return i.covers(v) }) {
			more += count
			newest = append(newest, d.Newest[v]...)
		}
	}
	slices.SortFunc(newest, func(a, b audit.Change) int { return strings.Compare(a.Address, b.Address) })
	for i := range newest[:min(listedNew-len(lines), len(newest))] {
		then, now := words.Sides(&newest[i])
		lines = append(lines, fmt.Sprintf("--new: %s    %s -> %s", newest[i].Address, then, now))
	}
	for _, line := range lines {
		n.log.Error(line)
	}
	if more -= len(lines); more > 0 {
		n.log.Error("--new: and " + cli.Plural(more, "more address", "more addresses"))
	}
}

// newErrors returns a line for each kind of errors in the sitemaps that make the audit fail, at most
// half of listedNew. What makes a sitemap unread is told with that.
func newErrors(failing []failItem, errors []audit.FaultChange, words *report.DiffWords) (lines []string) {
	if !slices.ContainsFunc(failing, failItem.wantsFaults) {
		return nil
	}
	for i := range errors {
		x := &errors[i]
		if x.NewErrors > 0 {
			lines = append(lines, fmt.Sprintf("--new: %s    %s", words.Fault(x), strings.Join(words.FaultPlaces(x), "; ")))
		}
		if n := x.UnseenErrors; n > 0 {
			lines = append(lines, fmt.Sprintf("--new: %s    %s that the last audit could not have seen", words.Fault(x), cli.Plural(n, "error", "errors")))
		}
	}
	return lines[:min(listedNew/2, len(lines))]
}

// compareErrors compares the errors of the sitemaps with those that they had when they were read
// last, in the older audit or one before it. Both audits are open.
func (c *Comparison) compareErrors(ctx context.Context, store *storage.Store) error {
	faults := *c.Diff
	err := faults.CompareFaultsSeen(ctx, c.OldResult, c.NewResult, earlierLike(store, c.Old))
	c.errors = faults.Faults
	return err
}

// prune removes the older finished audits like this one, so that keep of them
// are left with it, and those like it that were stopped too long ago to
// be continued. What was taken out by the audits that go stands in the record of
// the last one. Where this one was made without trouble those that could not be made do not count,
// and go where they are older than all that are kept; else they alone count and go.
func prune(store *storage.Store, of audit.Info, keep int, trouble bool) error {
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
		if !i.Before(&of) || !sameScope(&i, &of) {
			continue
		}
		gone := false
		if i.Ended.IsZero() {
			gone, err = tooOld(store, i.ID)
			errs = append(errs, err)
		} else if ok, err := untroubled(store, i.ID); err != nil {
			errs = append(errs, err)
		} else {
			gone = kept >= keep && (!trouble || !ok)
			if ok != trouble {
				kept++
			}
		}
		if !gone {
			continue
		}
		if err := store.Remove(i.ID); !errors.Is(err, storage.ErrOpen) { // somebody reads it: the next audit removes it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// tooOld reports whether a stopped audit was last written to so long ago that no
// command continues it any more.
func tooOld(store *storage.Store, id string) (bool, error) {
	a, err := store.Audit(id)
	if err != nil {
		return false, err
	}
	at, err := a.Active()
	return err == nil && time.Since(at) > continueWithin, errors.Join(err, a.Close())
}
