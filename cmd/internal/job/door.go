package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/hreflang"
	"sitemend/crawler/sitemap"
	"sitemend/report"
	"sitemend/report/command"
	"sitemend/report/serve"
	"sitemend/storage"
)

// Latest is the id of the latest finished audit; of the latest at all where none
// is finished.
func Latest(store *storage.Store) (string, error) {
	infos, err := store.Audits()
	for _, info := range slices.Backward(infos) {
		if !info.Ended.IsZero() {
			return info.ID, nil
		}
	}
	return storage.Latest, err
}

// OpenAudit opens an audit by its id, or the latest.
func OpenAudit(store *storage.Store, id string) (a *storage.Audit, err error) {
	if id == storage.Latest {
		id, err = Latest(store)
	}
	if err == nil {
		a, err = store.Audit(id)
	}
	if err != nil {
		return nil, cli.WithHint(err, "sitemend list shows the audits of a store")
	}
	return a, nil
}

// Unwritten reports whether no sitemap of an audit is written. Of a stopped audit
// nothing is that others could upload: what was not asked could change it.
func Unwritten(info audit.Info) bool { return info.Partial || info.Ended.IsZero() }

// Kept returns what the store knows of an audit, as its outputs say it. The requests of one that has
// not ended are counted from what is stored, for a run that was killed wrote nothing at its end.
func Kept(a *storage.Audit) (audit.Info, error) {
	info := a.Info()
	info.Partial = Unwritten(info)
	if !info.Ended.IsZero() {
		return info, nil
	}
	var err error
	info.Requests, info.AltSpellingRequests, err = requests(a)
	return info, err
}

// evaluateKept judges an audit of the store as it is.
func evaluateKept(ctx context.Context, a *storage.Audit) (*audit.Result, error) {
	info, err := Kept(a)
	if err != nil {
		return nil, err
	}
	return Evaluate(ctx, a, info)
}

// Evaluate judges an audit as a whole from the store.
func Evaluate(ctx context.Context, a *storage.Audit, info audit.Info) (*audit.Result, error) {
	if err := withEvidence(ctx, a, &info); err != nil {
		return nil, err
	}
	return audit.Evaluate(ctx, a, info, new(sitemap.Names).Name)
}

// withEvidence adds to the rules of an audit what its access logs say, where it has any, and what
// its robots.txt files say, where it heeded them.
func withEvidence(ctx context.Context, a *storage.Audit, info *audit.Info) (err error) {
	if info.Rules.Evidence == nil {
		info.Rules.Evidence, err = evidenceOf(ctx, a)
	}
	if err == nil && info.Rules.Permits == nil && info.Rules.Robots != "ignore" {
		info.Rules.Permits, err = crawler.NewPermits(a.Get, info.Identity)
	}
	return err
}

// complete adds to a result what the store knows besides the audit. c lets go of what its rows need.
func complete(ctx context.Context, a *storage.Audit, t *audit.Result, c *Closers) (err error) {
	if t.Last == nil {
		t.Last, _, err = get[*audit.Last](a, lastKey)
	}
	for _, add := range []func() error{
		func() (err error) { t.Inspections, _, err = get[*audit.Inspections](a, inspectionsKey); return err },
		func() error { return addLogs(ctx, a, t) },
		func() error { return addHreflang(ctx, a, t) },
		func() (err error) { t.Build, err = buildOf(a); return err },
		func() error { return addLinks(ctx, a, t, c) },
	} {
		if err == nil {
			err = add()
		}
	}
	return err
}

// addHreflang adds to the files of an audit what is wrong with their alternates.
func addHreflang(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	sorter := storage.NewSorter("")
	faults, err := hreflang.Faults(ctx, t, hreflang.Open(opener(a, t)), shelf{sorter})
	if err := errors.Join(err, sorter.Close()); err != nil {
		return err
	}
	t.AddFaults(faults)
	return nil
}

// Report writes the outputs of audit id of the store again, without a request: id may be
// storage.Latest. Of s it looks at what is written and how it is judged; the fixes are those
// of the audit, changed by s.Fix and s.MaxDrop where they are given. It ends with ctx.
// For its results see Run.
func Report(ctx context.Context, s Spec, id string, env Env) (*Outcome, error) {
	var c Closers
	out, err := s.rewrite(ctx, id, env, &c)
	return out.holding(&c, err)
}

func (f *Spec) rewrite(ctx context.Context, id string, env Env, c *Closers) (*Outcome, error) {
	if err := f.checkOutputs(); err != nil {
		return nil, err
	}
	store, err := f.StoreFile().Read()
	if err != nil {
		return nil, err
	}
	c.Add(store.Close)
	a, err := OpenAudit(store, id)
	if err != nil {
		return nil, err
	}
	c.Add(a.Close)
	info, err := Kept(a)
	if err == nil {
		err = f.change(&info.Rules)
	}
	if err != nil {
		return nil, err
	}
	f.Place(info.Targets)
	result, err := Evaluate(ctx, a, info)
	if err != nil {
		return nil, err
	}
	failOn, err := parseFailOn(f.FailOn, result.Expected != nil)
	if err != nil {
		return nil, err
	}
	out, err := newOutcome(ctx, f, store, a, result, c)
	if err != nil {
		return nil, err
	}
	err = out.files(ctx)
	if errors.Is(err, report.ErrFinished) {
		return nil, cli.WithHint(err, "nothing was changed; sitemend report "+a.ID()+" --out DIR --store "+command.Word(store.Path())+" writes them elsewhere, or let sitemend audit end it: it replaces them then")
	}
	if err != nil {
		return nil, cli.Lossless(err, "nothing is lost: it can be written again, elsewhere with --store FILE --out DIR")
	}
	out.warn(env.Log)
	out.Failed, out.FailedOn = fails(tallyOf(out.Result), failOn)
	return out, nil
}

// change changes the rules of an audit by what is given now: where both decide, now counts.
func (f *Spec) change(r *audit.Rules) error {
	then := *r
	r.Lastmod, r.Split = then.Lastmod && !f.NoLastmod || f.Lastmod, then.Split && !f.NoSplit || f.Split
	r.Fix, r.Lift = map[audit.Verdict]audit.Action{}, map[audit.Note]bool{}
	maps.Copy(r.Fix, then.Fix)
	maps.Copy(r.Lift, then.Lift)
	return f.fixes(r)
}

// A Library is a store as the pages of serve need it. It opens the file for each
// call, and never keeps it.
type Library struct {
	File  StoreFile
	Again func(id string) string // the command that writes the outputs of an audit again
	// Open is the store where this process has it open for writing; nil where it is opened for
	// each call. Running reports of such a store whether an audit is being made: it is listed,
	// and not judged before it has ended.
	Open    *storage.Store
	Running func(audit.Info) bool
}

// List returns every audit with what it counted, the oldest first.
func (l Library) List() (list []serve.Audit, err error) {
	err = l.with(func(s *storage.Store) error {
		list, err = Audits(s)
		return err
	})
	for i := range list {
		list[i].Running = l.running(list[i].Info)
	}
	return list, err
}

// Audits returns every audit of a store with what it counted, the oldest first.
func Audits(s *storage.Store) (list []serve.Audit, err error) {
	infos, err := s.Audits()
	for _, info := range infos {
		if err == nil {
			var x serve.Audit
			x, err = listed(s, info.ID)
			list = append(list, x)
		}
	}
	return list, err
}

func (l Library) running(info audit.Info) bool { return l.Running != nil && l.Running(info) }

// listed is an audit as a list has it.
func listed(s *storage.Store, id string) (x serve.Audit, err error) {
	a, err := s.Audit(id)
	if err != nil {
		return x, err
	}
	x.Info, err = Kept(a)
	active, e1 := a.Active()
	counts, ok, e2 := get[serve.Counts](a, countsKey)
	if x.Active = active; ok && !x.Info.Ended.IsZero() {
		x.Counts = &counts
	}
	return x, errors.Join(err, e1, e2, a.Close())
}

// Evaluate judges an audit as sitemend report does.
func (l Library) Evaluate(ctx context.Context, id string, fn func(serve.Evaluated) error) error {
	return l.open(id, func(a *storage.Audit) (err error) {
		if l.running(a.Info()) {
			return fmt.Errorf("%w: it is being made", serve.ErrBusy)
		}
		result, err := evaluateKept(ctx, a)
		if err != nil {
			return err
		}
		var c Closers
		defer func() { err = errors.Join(err, c.Close()) }()
		if err := complete(ctx, a, result, &c); err != nil {
			return err
		}
		return fn(serve.Evaluated{Result: result, Open: opener(a, result), Again: l.Again(id)})
	})
}

// Diff compares two audits as sitemend diff does. The store is let go of before fn
// is called.
func (l Library) Diff(ctx context.Context, older, newer string, fn func(*diff.Result) error) error {
	var d *diff.Result
	err := l.with(func(s *storage.Store) (err error) {
		d, err = Compare(ctx, s, older, newer)
		return err
	})
	if err != nil {
		return err
	}
	return fn(d)
}

// Read hands fn what an audit remembers.
func (l Library) Read(_ context.Context, id string, fn func(audit.Source) error) error {
	return l.open(id, func(a *storage.Audit) error { return fn(a) })
}

// open hands fn an audit. What could not be read on the way is an error too.
func (l Library) open(id string, fn func(*storage.Audit) error) error {
	return l.with(func(s *storage.Store) error {
		a, err := s.Audit(id)
		if err != nil {
			return err
		}
		return errors.Join(fn(a), a.Flush(), a.Close())
	})
}

// with hands fn the store, and returns its errors in the words of serve.
func (l Library) with(fn func(*storage.Store) error) (err error) {
	s := l.Open
	if s == nil {
		if s, err = l.File.Read(); err == nil {
			defer func() { err = errors.Join(err, s.Close()) }()
		}
	}
	if err == nil {
		err = fn(s)
	}
	switch {
	case errors.Is(err, storage.ErrLocked):
		return fmt.Errorf("%w: %w", serve.ErrBusy, err)
	case errors.Is(err, storage.ErrNone):
		return fmt.Errorf("%w: %w", serve.ErrNone, err)
	}
	return err
}
