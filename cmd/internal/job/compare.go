package job

import (
	"context"
	"encoding/json"
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
func keepSeen(ctx context.Context, a *storage.Audit, result *audit.Result) error {
	w, err := a.SpoolWriter(seenFile)
	if err != nil {
		return err
	}
	sorter := storage.NewSorter("")
	err = diff.Write(ctx, w, result, shelf{sorter})
	return errors.Join(err, w.Close(), sorter.Close())
}

// seenOf returns what an audit saw. It is read again whenever it is compared, also once the store is
// closed.
func seenOf(ctx context.Context, a *storage.Audit) (*diff.Seen, error) {
	seen, err := diff.Open(ctx, a.Info(), func(ctx context.Context) (io.ReadCloser, error) { return a.OpenSpool(ctx, seenFile) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("audit %s cannot be compared: it has not ended, or an older version made it", a.ID()), "sitemend list shows which audits have ended; audit the targets again")
	}
	return seen, err
}

// compareAudits compares two audits that are open.
func compareAudits(ctx context.Context, older, newer *storage.Audit) (*diff.Result, error) {
	old, err := seenOf(ctx, older)
	if err != nil {
		return nil, err
	}
	new, err := seenOf(ctx, newer)
	if err != nil {
		return nil, err
	}
	return diff.Compare(ctx, old, new)
}

// Compare compares two audits of the store, by their ids.
func Compare(ctx context.Context, store *storage.Store, older, newer string) (*diff.Result, error) {
	const hint = "sitemend list shows the audits of a store"
	a, err := store.Audit(older)
	if err != nil {
		return nil, cli.WithHint(err, hint)
	}
	defer a.Close()
	b, err := store.Audit(newer)
	if err != nil {
		return nil, cli.WithHint(err, hint)
	}
	defer b.Close()
	return compareAudits(ctx, a, b)
}

// sinceKey is the record of a finished audit that counts what changed since the last one like it.
const sinceKey = "since"

// keptSince is that record.
type keptSince struct {
	Of    string      `json:"of"` // ID of the earlier audit
	Since audit.Since `json:"since"`
}

// compareLast keeps what an audit saw, compares it with the last one like it, where there is one, and
// remembers what changed. An earlier audit that cannot be compared is said to the log: it is no
// reason to write nothing of this one.
func (j *job) compareLast(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) error {
	if err := keepSeen(ctx, a, result); err != nil {
		return err
	}
	last, ok, err := lastLike(store, result.Info)
	if err != nil || !ok {
		return err
	}
	older, err := store.Audit(last.ID)
	if err != nil {
		return err
	}
	d, err := compareAudits(ctx, older, a)
	if err = errors.Join(err, older.Close()); err != nil {
		if e := ctx.Err(); e != nil {
			return e
		}
		j.log.Error("what changed since the audit " + last.ID + " is not told: " + err.Error())
		return nil
	}
	since := audit.Since{Fixed: d.Counts[diff.Fixed], New: d.Problems(), Open: d.Open}
	text, err := json.Marshal(keptSince{last.ID, since})
	if err != nil {
		return err
	}
	j.since = d
	j.news.compare(d)
	if result.Last != nil && result.Last.At.Equal(last.Started) {
		result.Last.Since = &since
	}
	return a.Put(sinceKey, text)
}

// sinceOf returns what an audit remembers of that comparison; nil where it was not made.
func sinceOf(store *storage.Store, id string) (*keptSince, error) {
	a, err := store.Audit(id)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	text, ok, err := a.Get(sinceKey)
	if err != nil || !ok {
		return nil, err
	}
	var s keptSince
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, audit.Damaged("what audit "+id+" compared", err)
	}
	return &s, nil
}

// Pair returns the ids of the two audits of the store at path to compare: those
// named, else the last finished one and the last before it of the same targets that was made
// without trouble.
func Pair(store *storage.Store, path string, args []string) (older, newer string, err error) {
	for i, id := range args {
		if id == storage.Latest {
			if args[i], err = Latest(store); err != nil {
				return "", "", err
			}
		}
	}
	if len(args) == 2 {
		return args[0], args[1], nil
	}
	infos, err := store.Audits()
	if err != nil {
		return "", "", err
	}
	infos = slices.DeleteFunc(infos, func(i audit.Info) bool { return i.Ended.IsZero() })
	const hint = "audit the same targets again, or name two audits of sitemend list: sitemend diff OLD NEW"
	if len(infos) == 0 {
		return "", "", cli.WithHint(fmt.Errorf("%s: the store has no finished audit", path), hint)
	}
	last := infos[len(infos)-1]
	for _, i := range slices.Backward(infos[:len(infos)-1]) {
		if i.Site != last.Site || !audit.SameTargets(i.Targets, last.Targets) {
			continue
		}
		if ok, err := untroubled(store, i.ID); ok || err != nil {
			return i.ID, last.ID, err
		}
	}
	return "", "", cli.WithHint(fmt.Errorf("%s: the store has no earlier finished audit of %s to compare with %s", path, strings.Join(last.Targets, " "), last.ID), hint)
}
