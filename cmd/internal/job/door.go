package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/discover"
	"sitemend/crawler/ground"
	"sitemend/crawler/hreflang"
	"sitemend/crawler/links"
	"sitemend/crawler/sitemap"
	"sitemend/report/serve"
	"sitemend/storage"
)

// infoOf is what the store knows of an audit, as its outputs say it. Of a stopped audit no sitemap is
// written: what was not asked could change what is in it.
func infoOf(a *storage.Audit) audit.Info {
	info := a.Info()
	info.Partial = info.Partial || info.Ended.IsZero()
	return info
}

// evaluate decides on an audit of the store without a request; it judges only entries that the audit has not
// kept settled. see is that of audit.Plan.Result.
func evaluate(ctx context.Context, a *storage.Audit, info audit.Info, see func(*audit.Row) error) (*audit.Result, error) {
	var err error
	if info.Rules.Evidence, err = evidenceOf(ctx, a); err != nil {
		return nil, err
	}
	return audit.Evaluate(ctx, a, info, a.Settled(info.Rules.Settle()), new(sitemap.Names).Name, see)
}

// complete adds to a result what the store knows besides the audit. c lets go of what its rows need.
func complete(ctx context.Context, a *storage.Audit, t *audit.Result, c *Closers) error {
	var n News
	_, err1 := a.Load(newsKey, &n)
	_, err2 := a.Load(inspectionsKey, &t.Inspections)
	_, read, err3 := a.Get(linksRecord)
	logs, err4 := logsOf(ctx, a, a)
	if err := cmp.Or(err1, err2, err3, err4, buildOf(a, t)); err != nil {
		return err
	}
	t.Last, t.Logs = n.Last, logs
	sorter := new(storage.Sorter)
	err := hreflang.AddFaults(ctx, t, hreflang.Open(opener(a, t)), sorter)
	if err := errors.Join(err, sorter.Close()); err != nil {
		return err
	}
	if !read {
		return nil
	}
	source := links.Source{Answers: a, Pages: a.PageLinks, Sorter: func() ground.Sorter {
		s := new(storage.Sorter)
		c.Add(s.Close)
		return s
	}}
	if t.Info.Rules.Robots != "ignore" {
		if source.Forbidden, err = crawler.Forbidden(a.Get, t.Info.Identity); err != nil {
			return err
		}
	}
	t.Linked, err = links.Join(ctx, t, source)
	return errors.Join(err, a.Err())
}

// OpenStore opens a store, and an audit in it. c lets go of both.
func OpenStore(open func() (*storage.Store, error), id string, c *Closers) (*storage.Store, *storage.Audit, error) {
	store, err := open()
	if err != nil {
		return nil, nil, err
	}
	c.Add(store.Close)
	a, err := store.Audit(id)
	if err != nil {
		return nil, nil, err
	}
	c.Add(a.Close)
	return store, a, nil
}

// Report writes the outputs of audit id of the store again, without a request: id may be
// storage.Latest. Of s it looks at what is written and how it is judged; the fixes are those
// of the audit, changed by s.Fix and s.MaxDrop where they are given. It ends with ctx. The Outcome is nil
// where there is an error; else the caller closes it.
func Report(ctx context.Context, s Spec, id string, env Env) (*Outcome, error) {
	return hold(func(c *Closers) (*Outcome, error) {
		if err := s.checkOutputs(); err != nil {
			return nil, err
		}
		store, a, err := OpenStore(s.ChangeStore, id, c)
		if err != nil {
			return nil, err
		}
		info := infoOf(a)
		r := &info.Rules // where both decide, now counts
		r.Lastmod, r.Split = r.Lastmod || s.Lastmod, r.Split || s.Split
		r.Fix, r.Lift = maps.Collect(maps.All(r.Fix)), maps.Collect(maps.All(r.Lift))
		if err := s.fixes(r); err != nil {
			return nil, err
		}
		result, err := evaluate(ctx, a, info, nil)
		if err != nil {
			return nil, err
		}
		failOn, err := parseFailOn(s.FailOn, result.Expected != nil)
		if err != nil {
			return nil, err
		}
		out, err := newOutcome(ctx, &s, store, a, result, c)
		if err != nil {
			return nil, err
		}
		if err := out.files(ctx, env.Log); err != nil {
			return nil, cli.Lossless(err, "nothing is lost: it can be written again, elsewhere with --store FILE --out DIR")
		}
		out.fail(out.Result.Tally(), failOn)
		return out, nil
	})
}

// A Library is a store as the pages of serve need it. It opens the file for each
// call, and never keeps it.
type Library struct {
	File  string
	Again func(id string) string // the command that writes the outputs of an audit again
	// Open is the store where this process has it open for writing; nil where it is opened for
	// each call. Running reports of such a store whether an audit is being made: it is listed,
	// and not judged before it has ended.
	Open    *storage.Store
	Running func(audit.Info) bool
	Damaged func(error) // hears of each audit that List leaves out, for it cannot be read; nil for nobody
}

// List returns every audit with what it counted, the oldest first.
func (l Library) List() (list []serve.Audit, err error) {
	err = l.with(func(s *storage.Store) error {
		for a, err := range s.Each(all) {
			var x serve.Audit
			if err == nil {
				x, err = l.listed(a)
			}
			if err == nil {
				list = append(list, x)
			} else if l.Damaged != nil {
				l.Damaged(err)
			}
		}
		return nil
	})
	slices.Reverse(list)
	return list, err
}

// listed is an audit with what it counted.
func (l Library) listed(a *storage.Audit) (x serve.Audit, err error) {
	var n News
	ended, err1 := a.Load(newsKey, &n)
	active, err2 := a.Active()
	if x = (serve.Audit{Info: infoOf(a), Active: active, Running: l.running(a.Info())}); ended {
		x.Counts = &n.Counts
	}
	return x, cmp.Or(err1, err2)
}

func (l Library) running(info audit.Info) bool { return l.Running != nil && l.Running(info) }

// Evaluate judges an audit as sitemend report does.
func (l Library) Evaluate(ctx context.Context, id string, fn func(serve.Evaluated) error) error {
	return l.open(id, func(a *storage.Audit) (err error) {
		if l.running(a.Info()) {
			return fmt.Errorf("%w: it is being made", serve.ErrBusy)
		}
		var c Closers
		defer func() { err = errors.Join(err, c.Close()) }()
		result, err := evaluate(ctx, a, infoOf(a), nil)
		if err == nil {
			err = complete(ctx, a, result, &c)
		}
		if err != nil {
			return err
		}
		return fn(serve.Evaluated{Result: result, Open: opener(a, result), Again: l.Again(id)})
	})
}

// Diff compares two audits as sitemend diff does.
func (l Library) Diff(ctx context.Context, older, newer string) (d *diff.Result, err error) {
	err = l.with(func(s *storage.Store) error {
		d, err = Compare(ctx, s, older, newer)
		return err
	})
	return d, err
}

// Read hands fn what an audit remembers, and its rules.
func (l Library) Read(ctx context.Context, id string, fn func(audit.Source, *audit.Rules) error) error {
	return l.open(id, func(a *storage.Audit) (err error) {
		rules := a.Info().Rules
		if rules.Evidence, err = evidenceOf(ctx, a); err != nil {
			return err
		}
		return fn(a, &rules)
	})
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
		if s, err = storage.OpenReadOnly(l.File); err == nil {
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

// storeName is what a store is called in its folder; usualDir has the store, and a folder of
// outputs for each site, where none is named.
const (
	storeName = "audits.db"
	usualDir  = "sitemend-out"
)

// StoreFile is the path of the store: what --store names, else audits.db in the folder that --out names,
// else in the usual one.
func (f *Spec) StoreFile() string {
	if f.Store == "" && f.Out == "-" {
		return StoreIn("")
	}
	return cmp.Or(f.Store, StoreIn(f.Out))
}

// Folder is Out; where none is named, the outputs of an audit of these targets go into a folder of the
// first one's host.
func (f *Spec) Folder(targets []string) string {
	if f.Out != "" || len(targets) == 0 {
		return cmp.Or(f.Out, usualDir)
	}
	name := sitemap.FileName(targets[0])
	if t, err := discover.ParseTarget(targets[0]); err == nil && len(t.URLs) > 0 {
		name, _, _ = strings.Cut(sitemap.FileName(t.URLs[0].String()), "/")
	}
	return filepath.Join(usualDir, filepath.FromSlash(name))
}

// StoreIn is the store of a folder of outputs, "" for the usual one.
func StoreIn(dir string) string { return filepath.Join(cmp.Or(dir, usualDir), storeName) }

// ReadStore opens the store for reading, and keeps audits from writing to it until it is closed.
func (f *Spec) ReadStore() (*storage.Store, error) { return storage.OpenReadOnly(f.StoreFile()) }

// ChangeStore opens the store for writing, where it is there.
func (f *Spec) ChangeStore() (*storage.Store, error) { return storage.OpenExisting(f.StoreFile()) }

// earlier matches the audits of the scope of one that began before it.
func earlier(of audit.Info) func(*audit.Info) bool {
	scope := scopeOf(&of)
	return func(info *audit.Info) bool { return info.Before(&of) && scope.Has(*info) }
}

// all matches all audits.
func all(*audit.Info) bool { return true }
