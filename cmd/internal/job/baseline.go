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
	"sitemend/crawler/diff"
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

// untroubled reports whether an audit could be made, so that its news was reported: what the next
// one finds is set beside it, and nothing is reported twice or left out.
func untroubled(store *storage.Store, id string) (bool, error) {
	n, _, err := NewsOf(store, id)
	return n.Trouble == "", err
}

// A baseline says what is new since the last audit like one.
type baseline struct {
	log   *slog.Logger
	items []failItem
	diff  string       // the command that lists what changed
	since *diff.Result // with the last audit, where it was compared already; else nil
}

// count counts for --fail-on what the last audit like this one did not have. Where there is no such
// audit everything counts: the first run hides nothing. It ends with ctx.
func (n baseline) count(ctx context.Context, store *storage.Store, a *storage.Audit, t *audit.Result) (failCounts, error) {
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
	d := n.since
	if d == nil || d.Old.ID != last.ID {
		older, err := store.Audit(last.ID)
		if err != nil {
			return all, err
		}
		d, err = compareAudits(ctx, older, a)
		if err = errors.Join(err, older.Close()); err != nil {
			return all, err
		}
	}
	if err := ctx.Err(); err != nil { // the comparison may have been made before
		return all, err
	}
	counts := failCounts{entries: all.entries, verdicts: d.NewVerdicts, expected: all.expected, unmet: all.unmet, unread: d.Lost()}
	counts.faults, _ = d.Errors()
	n.say(d, &counts, &all)
	return counts, nil
}

// listedNew is how many new addresses and sitemaps are listed.
const listedNew = 10

// say logs how much is new. Where it makes the audit fail it lists the first addresses and sitemaps
// that do, with -q too: that is what a mail of cron is read for.
func (n baseline) say(d *diff.Result, counts, all *failCounts) {
	failing := slices.DeleteFunc(slices.Clone(n.items), func(i failItem) bool { return !i.fails(counts) })
	item, one, many := failItem{name: "problem"}, "problem is", "problems are"
	if len(failing) > 0 && !slices.ContainsFunc(failing, func(i failItem) bool { return i.name != "faults" }) {
		item, one, many = failing[0], "error of the sitemaps is", "errors of the sitemaps are"
	}
	text := fmt.Sprintf("--new: %s new since %s; %s lists what changed", cli.Of(item.count(counts), item.count(all), one, many),
		d.Old.Started.UTC().Format("2006-01-02 15:04 UTC"), n.diff+" "+d.Old.ID+" "+d.New.ID)
	if len(failing) == 0 {
		n.log.Info(text)
		return
	}
	n.log.Error(text)
	lines := newLines(d, failing)
	for _, line := range lines[:min(listedNew, len(lines))] {
		n.log.Error("--new: " + line)
	}
	more := max(0, len(lines)-listedNew)
	for v, count := range d.NewVerdicts {
		if slices.ContainsFunc(failing, func(i failItem) bool { return i.covers(v) }) {
			more += count - len(d.Newest[v])
		}
	}
	if more > 0 {
		n.log.Error("--new: and " + cli.Plural(more, "more", "more"))
	}
}

// newLines returns a line for each sitemap and for each address, as far as d has them, that makes the
// audit fail.
func newLines(d *diff.Result, failing []failItem) (lines []string) {
	words := report.NewDiffWords(d, "en")
	faults := slices.ContainsFunc(failing, failItem.wantsFaults)
	unread := faults || slices.ContainsFunc(failing, func(i failItem) bool { return i.name == "problem" })
	for i := range d.Sitemaps {
		c := &d.Sitemaps[i]
		if added, _ := c.Errors(); c.Lost() && unread || added > 0 && faults {
			then, now := words.Sitemap(c)
			lines = append(lines, fmt.Sprintf("%s    %s -> %s", c.URL, then, now))
		}
	}
	var newest []diff.Change
	for v, list := range d.Newest {
		if slices.ContainsFunc(failing, func(i failItem) bool { return i.covers(v) }) {
			newest = append(newest, list...)
		}
	}
	slices.SortFunc(newest, func(a, b diff.Change) int { return strings.Compare(a.URL, b.URL) })
	for i := range newest {
		then, now := words.Sides(&newest[i])
		lines = append(lines, fmt.Sprintf("%s    %s -> %s", newest[i].URL, then, now))
	}
	return lines
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
