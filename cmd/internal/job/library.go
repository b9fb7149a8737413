package job

import (
	"context"
	"errors"
	"fmt"
	"io"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/report/serve"
	"sitemend/storage"
)

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
		list, err = audits(s)
		return err
	})
	for i := range list {
		list[i].Running = l.running(list[i].Info)
	}
	return list, err
}

func (l Library) running(info audit.Info) bool { return l.Running != nil && l.Running(info) }

// audits returns every audit of a store with what it counted, the oldest first.
func audits(s *storage.Store) ([]serve.Audit, error) {
	infos, err := s.Audits()
	if err != nil {
		return nil, err
	}
	list := make([]serve.Audit, len(infos))
	for i, info := range infos {
		a, err := s.Audit(info.ID)
		if err != nil {
			return nil, err
		}
		list[i].Active, err = a.Active()
		kept, e1 := Kept(a)
		list[i].Info = kept
		err = errors.Join(err, e1)
		c, ok, e := keptCounts(a)
		if ok && !info.Ended.IsZero() {
			counts := c.shown()
			list[i].Counts = &counts
		}
		if err := errors.Join(err, e, a.Close()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Evaluate judges an audit as sitemend report does.
func (l Library) Evaluate(ctx context.Context, id string, fn func(serve.Evaluated) error) error {
	return l.open(id, func(s *storage.Store, a *storage.Audit) error {
		info := a.Info()
		if l.running(info) {
			return fmt.Errorf("%w: it is being made", serve.ErrBusy)
		}
		result, err := evaluateKept(ctx, a, a)
		if err != nil {
			return err
		}
		links, err := complete(ctx, s, a, result)
		if err != nil {
			return err
		}
		open := func(ctx context.Context, file int) (io.ReadCloser, error) {
			return a.OpenSpool(ctx, result.Files[file].Sitemap.Spool)
		}
		return errors.Join(fn(serve.Evaluated{Result: result, Open: open, Again: l.Again(id)}), links())
	})
}

// Diff compares two audits as sitemend diff does. The store is let go of before fn
// is called.
func (l Library) Diff(ctx context.Context, older, newer string, fn func(*diff.Result) error) error {
	for _, id := range []string{older, newer} {
		err := l.open(id, func(_ *storage.Store, a *storage.Audit) error {
			if l.running(a.Info()) {
				return fmt.Errorf("%w: %s is being made", serve.ErrBusy, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
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
	return l.open(id, func(_ *storage.Store, a *storage.Audit) error { return fn(a) })
}

// open hands fn an audit. What could not be read on the way is an error too.
func (l Library) open(id string, fn func(*storage.Store, *storage.Audit) error) error {
	return l.with(func(s *storage.Store) error {
		a, err := s.Audit(id)
		if err != nil {
			return err
		}
		return errors.Join(fn(s, a), a.Flush(), a.Close())
	})
}

// with hands fn the store, and returns its errors in the words of serve.
func (l Library) with(fn func(*storage.Store) error) error {
	if l.Open != nil {
		return l.said(fn(l.Open))
	}
	s, err := l.File.Read()
	if err == nil {
		err = errors.Join(fn(s), s.Close())
	}
	return l.said(err)
}

// said is an error of the store in the words of serve.
func (l Library) said(err error) error {
	switch {
	case errors.Is(err, storage.ErrLocked):
		var e *storage.Error
		errors.As(err, &e)
		return fmt.Errorf("%w: %w", serve.ErrBusy, e)
	case errors.Is(err, storage.ErrNone):
		return fmt.Errorf("%w: %w", serve.ErrNone, err)
	}
	return err
}
