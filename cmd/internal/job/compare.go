package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/storage"
)

// shelf is a Sorter as packages that know no store need it.
type shelf struct{ *storage.Sorter }

// Add keeps a record.
func (s shelf) Add(key, value string) error { return s.AddText(key, value) }

// Sorted yields the records in order.
func (s shelf) Sorted() iter.Seq2[[2]string, error] { return s.Texts() }

// seenFile is the file of an audit's spool that says what the audit saw (package diff). It is
// written as the audit ends.
const seenFile = "seen"

// keepSeen writes what an audit saw.
func keepSeen(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	w, err := a.SpoolWriter(seenFile)
	if err != nil {
		return err
	}
	sorter := storage.NewSorter("")
	err = diff.Write(ctx, w, t, shelf{sorter})
	return errors.Join(err, w.Close(), sorter.Close())
}

// seenOf returns what an audit saw. It is read again whenever it is compared, also once the store is
// closed.
func seenOf(ctx context.Context, store *storage.Store, id string) (*diff.Seen, error) {
	a, err := OpenAudit(store, id)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	seen, err := diff.Open(ctx, a.Info(), func(ctx context.Context) (io.ReadCloser, error) { return a.OpenSpool(ctx, seenFile) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("audit %s cannot be compared: it has not ended, or an older version made it", a.ID()), "sitemend list shows which audits have ended; audit the targets again")
	}
	return seen, err
}

// Compare compares two audits of the store, by their ids.
func Compare(ctx context.Context, store *storage.Store, older, newer string) (*diff.Result, error) {
	old, err := seenOf(ctx, store, older)
	if err != nil {
		return nil, err
	}
	new, err := seenOf(ctx, store, newer)
	if err != nil {
		return nil, err
	}
	return diff.Compare(ctx, old, new)
}

// compareLast keeps what an audit saw, compares it with the last one like it, where there is one, and
// remembers what changed. An earlier audit that cannot be compared is said to the log: it is no
// reason to write nothing of this one.
func (j *job) compareLast(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	if err := keepSeen(ctx, a, t); err != nil {
		return err
	}
	last, ok, err := lastLike(j.open, &t.Info)
	if err != nil || !ok {
		return err
	}
	d, err := Compare(ctx, j.open, last.ID, a.ID())
	if err != nil {
		if e := ctx.Err(); e != nil {
			return e
		}
		j.log.Error("what changed since the audit " + last.ID + " is not told: " + err.Error())
		return nil
	}
	j.since = d
	j.news.compare(d)
	t.Last = &audit.Last{At: last.Started, Fixed: d.Counts[diff.Fixed], New: d.Problems(), Open: d.Open}
	return put(a, lastKey, t.Last)
}

// Pair returns the ids of two audits of the store to compare: those named, else the last finished
// one and the last before it like it that was made without trouble.
func Pair(store *storage.Store, args []string) (older, newer string, err error) {
	if len(args) == 2 {
		return args[0], args[1], nil
	}
	const hint = "audit the same targets again, or name two audits of sitemend list: sitemend diff OLD NEW"
	a, err := OpenAudit(store, storage.Latest)
	if err != nil {
		return "", "", cli.WithHint(err, hint)
	}
	of := a.Info()
	last, ok, err := lastLike(store, &of)
	if err == nil && !ok {
		err = cli.WithHint(fmt.Errorf("%s: the store has no earlier finished audit of %s to compare with %s", store.Path(), strings.Join(of.Targets, " "), of.ID), hint)
	}
	return last.ID, of.ID, errors.Join(err, a.Close())
}

// onlyNew counts for --fail-on what the last audit like this one did not have, and lists the first
// of it where that makes the audit fail, with -q too: it is what a mail of cron is read for. Where
// there is no such audit everything counts: the first run hides nothing.
func (j *job) onlyNew(all tally) tally {
	d := j.since
	if d == nil {
		j.log.Info("--new: there is no earlier audit of the same targets, robot and filters; everything counts")
		return all
	}
	counts := all
	counts.verdicts, counts.unread = d.NewVerdicts, d.Lost()
	counts.faults, _ = d.Errors()
	failing := slices.DeleteFunc(slices.Clone(j.failOn), func(i failItem) bool { return !i.fails(&counts) })
	item, said := failItem{name: defaultFailOn}, j.log.Info
	if len(failing) > 0 {
		item, said = failing[0], j.log.Error
	}
	said(fmt.Sprintf("--new: %s new since %s; %s lists what changed", cli.Of(item.count(&counts), item.count(&all), "problem is", "problems are"),
		d.Old.Started.UTC().Format("2006-01-02 15:04 UTC"), j.f.Command("diff")+" "+d.Old.ID+" "+d.New.ID))
	worse := &j.news.Worse
	told := worse.Told("en")
	for _, x := range told {
		said(fmt.Sprintf("--new: %s    %s -> %s", x.Address, x.Then, x.Now))
	}
	if more := worse.Addresses + worse.Sitemaps - len(told); more > 0 {
		said("--new: and " + cli.Plural(more, "more", "more"))
	}
	return counts
}
