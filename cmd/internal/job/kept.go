package job

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// runKey is the record of the run that is under way; a run that ends empties it.
const runKey = "run"

// A run is when a run of an audit began, and how long those before it took. Began is zero where
// none is under way: where it stays otherwise, the run was killed.
type run struct {
	Began  time.Time     `json:"began,omitzero"`
	Before time.Duration `json:"before,omitempty"`
}

// keptRun returns the run that is under way, or that was killed.
func keptRun(a *storage.Audit) (r run, err error) {
	text, ok, err := a.Get(runKey)
	if err == nil && ok {
		err = audit.Damaged("the record "+runKey, json.Unmarshal(text, &r))
	}
	return r, err
}

// keepRun remembers r.
func keepRun(a *storage.Audit, r run) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return a.Put(runKey, text)
}

// beginRun notes that a run of an audit begins, and returns what is known of those before, also of
// one that was killed.
func beginRun(a *storage.Audit, at time.Time) (audit.Info, error) {
	before, err := Kept(a)
	if err == nil {
		err = keepRun(a, run{at, before.Duration})
	}
	before.Partial, before.Until = a.Info().Partial, time.Time{} // that of the flags alone
	return before, err
}

// endRun notes that a run has crawled all that it will, writes what info says of the audit then,
// and returns it.
func endRun(a *storage.Audit, info func() (audit.Info, error)) (audit.Info, error) {
	now, err := info()
	if err == nil {
		err = errors.Join(keepRun(a, run{}), a.SetInfo(now))
	}
	return now, err
}

// Kept returns what the store knows of an audit, as its outputs say it. Of one that has not ended
// all is counted from what is stored, for a run that was killed wrote nothing at its end: its time
// is that until it last wrote, and of its requests those are missing whose answers it did not come
// to write.
func Kept(a *storage.Audit) (audit.Info, error) {
	info := a.Info()
	info.Partial = Unwritten(info)
	if !info.Ended.IsZero() {
		return info, nil
	}
	active, err := a.Active()
	if err != nil {
		return info, err
	}
	info.Until = active.Add(continueWithin)
	r, err := keptRun(a)
	if err != nil {
		return info, err
	}
	if !r.Began.IsZero() {
		info.Least, info.Duration = true, max(info.Duration, r.Before+active.Sub(r.Began))
	}
	info.Requests, info.AltSpellingRequests, err = requests(a)
	return info, err
}

// requests counts what was sent for an audit, also before it was stopped or killed: it follows from
// what is remembered.
func requests(a *storage.Audit) (all, second int, err error) {
	other, err := crawler.OtherRequests(a.Get)
	if err != nil {
		return 0, 0, err
	}
	all, second = a.Sent()
	all += other
	sitemaps, err := a.Sitemaps()
	for _, sm := range sitemaps {
		all += sm.Requests
	}
	return all, second, err
}

// evaluateKept judges an audit of the store as it is. src is a, or what watches it being read.
func evaluateKept(ctx context.Context, a *storage.Audit, src audit.Source) (*audit.Result, error) {
	info, err := Kept(a)
	if err != nil {
		return nil, err
	}
	return Evaluate(ctx, src, info)
}

// Audits returns what the store knows of each audit, as Kept does, the oldest first.
func Audits(store *storage.Store) ([]audit.Info, error) {
	infos, err := store.Audits()
	for i := range infos {
		if err != nil || !infos[i].Ended.IsZero() {
			continue
		}
		var a *storage.Audit
		if a, err = store.Audit(infos[i].ID); err == nil {
			infos[i], err = Kept(a)
			err = errors.Join(err, a.Close())
		}
	}
	return infos, err
}
