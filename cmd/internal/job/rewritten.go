package job

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/storage"
)

// rewrittenKey is the record of an audit whose sitemaps were written again: by what rules.
const rewrittenKey = "rewritten"

// writtenRules are the rules that decide what is written.
type writtenRules struct {
	Fix     map[audit.Verdict]audit.Action
	Lift    map[audit.Note]bool
	KeepAll bool
	MaxDrop float64
}

func writtenBy(r *audit.Rules) writtenRules {
	w := writtenRules{map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}, r.KeepAll, r.MaxDrop}
	for v, a := range r.Fix {
		w.Fix[v] = a
	}
	for n, on := range r.Lift {
		w.Lift[n] = on
	}
	return w
}

// lastWritten are the rules of an audit by which its sitemaps were written last: those of the
// audit, or of a report that wrote them again.
func lastWritten(a *storage.Audit, rules *audit.Rules) error {
	text, ok, err := a.Get(rewrittenKey)
	if err != nil || !ok {
		return err
	}
	var w writtenRules
	if err := json.Unmarshal(text, &w); err != nil {
		return audit.Damaged("how the sitemaps of audit "+a.ID()+" were written", err)
	}
	rules.Fix, rules.Lift, rules.KeepAll, rules.MaxDrop = w.Fix, w.Lift, w.KeepAll, w.MaxDrop
	return nil
}

// A rewritten is what is to be remembered of sitemaps that were written again by other rules: then
// a comparison says that these corrections were applied, and what they took out is looked at by
// later audits. It is kept once the store is not read any more.
type rewritten struct {
	file           StoreFile
	log            *slog.Logger
	id             string
	rules, dropped []byte // nil where there is nothing to remember
}

// note takes what is to be remembered of result, which was written.
func (w *rewritten) note(ctx context.Context, a *storage.Audit, result *audit.Result) error {
	last := a.Info().Rules
	if err := lastWritten(a, &last); err != nil {
		return err
	}
	now := writtenBy(&result.Info.Rules)
	if result.Info.Partial || reflect.DeepEqual(now, writtenBy(&last)) {
		return nil
	}
	list, err := takenOut(a)
	if err != nil {
		return err
	}
	out, err := editedOut(ctx, result)
	if err != nil {
		return err
	}
	known := map[discover.Dropped]bool{}
	for _, d := range list {
		known[d] = true
	}
	for _, d := range out {
		if !known[d] {
			list = append(list, d)
		}
	}
	if w.dropped, err = json.Marshal(list); err != nil {
		return err
	}
	w.id = a.ID()
	w.rules, err = json.Marshal(now)
	return err
}

// keep remembers it. Where the store cannot be written to, that is logged: what was written is
// whole all the same.
func (w *rewritten) keep() error {
	if w.rules == nil {
		return nil
	}
	if err := w.put(); err != nil {
		w.log.Warn(fmt.Sprintf("diff will not know which corrections were written now, for the store cannot be written to: %v", err))
	}
	return nil
}

func (w *rewritten) put() (err error) {
	store, err := w.file.Write()
	if err != nil {
		return err
	}
	defer func() {
		if e := store.Close(); err == nil {
			err = e
		}
	}()
	a, err := store.Audit(w.id)
	if err != nil {
		return err
	}
	if err = a.Put(droppedKey, w.dropped); err == nil {
		err = a.Put(rewrittenKey, w.rules)
	}
	if e := a.Close(); err == nil {
		err = e
	}
	return err
}
