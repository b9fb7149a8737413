package job

import (
	"context"
	"encoding/json"
	"errors"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// sinceKey is the record of a finished audit that says what it found of what the last audit
// like it had to say: comparing takes a walk over both, which the outputs that are written
// again, and the pages of serve, do not make again.
const sinceKey = "since"

// keptSince is that record.
type keptSince struct {
	Of    string      `json:"of"` // ID of the earlier audit
	Since audit.Since `json:"since"`
}

// keepSince compares an audit with the last one like it, where there is one, and remembers
// what became of that one's corrections and decisions. What cannot be read of the earlier
// audit is said to the log: it is no reason to write nothing of this one. For --new the
// comparison stays, until j is closed. It returns an error of a, and ctx's once that ends.
func (j *job) keepSince(ctx context.Context, store *storage.Store, a *storage.Audit, result *audit.Result) error {
	last, ok, err := lastLike(store, result.Info)
	if err != nil || !ok {
		return err
	}
	older, err := store.Audit(last.ID)
	if err != nil {
		return err
	}
	d, err := compareAudits(ctx, older, a, result)
	if err == nil {
		var since *audit.Diff
		if since, err = j.keepSeenLast(ctx, store, older, a, d); err == nil {
			var text []byte
			if text, err = json.Marshal(keptSince{last.ID, since.Since}); err == nil {
				j.news.Applied = since.Since.Applied
				err = errors.Join(a.Put(sinceKey, text), j.news.back(older, result.Back))
			}
		}
		if j.f.New && err == nil {
			j.since = d
			j.closers.Add(d.Close)
			return errors.Join(d.compareErrors(ctx, store), older.Close())
		}
		return errors.Join(err, d.Close(), older.Close())
	}
	if e := ctx.Err(); e != nil {
		return errors.Join(e, older.Close())
	}
	j.log.Error("what changed since the audit " + last.ID + " is not told: " + err.Error())
	return older.Close()
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
