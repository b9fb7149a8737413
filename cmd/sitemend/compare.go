package main

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// compared is a comparison with the files that it is read from.
type compared struct {
	*audit.Diff
	sorted []*storage.Sorter
}

// Close removes the temporary files.
func (c *compared) Close() error {
	var errs []error
	for _, s := range c.sorted {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// compare compares two audits of the store until ctx ends. The caller closes what
// is returned.
func compare(ctx context.Context, older, newer *storage.Audit) (*compared, error) {
	audits := []*storage.Audit{older, newer}
	c := &compared{sorted: []*storage.Sorter{storage.NewSorter(""), storage.NewSorter("")}}
	seen := make([]audit.Snapshot, 2)
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i, a := range audits {
		both.Go(func() {
			errs[i] = audit.Guard(func() (err error) {
				seen[i], err = look(ctx, a, c.sorted[i])
				return err
			})
		})
	}
	both.Wait()
	err := errors.Join(errs...)
	if err == nil {
		c.Diff, err = audit.Compare(seen[0], seen[1])
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// look judges an audit and keeps what was seen, in order of address.
func look(ctx context.Context, a *storage.Audit, sorted *storage.Sorter) (audit.Snapshot, error) {
	var seen audit.Snapshot
	var buf []byte
	err := a.Snapshot(func(mem audit.Answers) error {
		var err error
		seen, err = audit.Observe(ending{a, ctx}, a.Info(), func(s *audit.Observation) error {
			if buf, err = s.AppendBinary(buf[:0]); err != nil {
				return err
			}
			return sorted.Add(s.Address, buf)
		})
		return err
	})
	seen.Sights = func() iter.Seq2[audit.Observation, error] { return sights(ctx, sorted) }
	return seen, err
}

// sights reads back what look kept, until ctx ends.
func sights(ctx context.Context, sorted *storage.Sorter) iter.Seq2[audit.Observation, error] {
	return func(yield func(audit.Observation, error) bool) {
		for r, err := range sorted.Records() {
			s := audit.Observation{Address: string(r.Key)}
			if err = cmp.Or(err, ctx.Err()); err == nil {
				err = s.UnmarshalBinary(r.Value)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}
