package job

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/hreflang"
	"sitemend/crawler/sitemap"
	"sitemend/storage"
)

// Comparison is a comparison with the files that it is read from.
type Comparison struct {
	*audit.Diff
	// OldTold and NewTold are the audits, judged as a whole.
	OldResult, NewResult *audit.Result

	errors []audit.FaultChange // compareErrors

	lists  bool // the addresses that are named beside the entries are compared, too
	mu     sync.Mutex
	sorted []*storage.Sorter
	rows   Closers // what the rows of results are read from
}

// Close removes the temporary files.
func (c *Comparison) Close() error {
	errs := []error{c.rows.Close()}
	for _, s := range c.sorted {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// shelf is a Sorter as audit.Compare needs it.
type shelf struct{ *storage.Sorter }

// Add keeps a record.
func (s shelf) Add(key, value string) error { return s.AddText(key, value) }

// Sorted yields the records in order.
func (s shelf) Sorted() iter.Seq2[[2]string, error] { return s.Texts() }

// sorter returns a new Sorter, which Close removes. It may be called by several goroutines.
func (c *Comparison) sorter() *storage.Sorter {
	s := storage.NewSorter("")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sorted = append(c.sorted, s)
	return s
}

// compareAudits compares the addresses of two audits of the store until ctx ends. result is the
// newer one judged as a whole, nil where nobody did yet. The caller closes what is returned.
func compareAudits(ctx context.Context, older, newer *storage.Audit, result *audit.Result) (*Comparison, error) {
	c := &Comparison{lists: true}
	return c, c.addresses(ctx, older, newer, result)
}

// addresses compares the addresses. Where it returns an error the files are removed.
func (c *Comparison) addresses(ctx context.Context, older, newer *storage.Audit, result *audit.Result) error {
	audits := []*storage.Audit{older, newer}
	results := []*audit.Result{nil, result}
	seen := make([]audit.Snapshot, 2)
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i, a := range audits {
		both.Go(func() {
			errs[i] = audit.Guard(func() (err error) {
				results[i], seen[i], err = c.look(ctx, a, results[i])
				return err
			})
		})
	}
	both.Wait()
	err := errors.Join(errs...)
	if err == nil {
		c.OldResult, c.NewResult = results[0], results[1]
		c.Diff, err = audit.Compare(ctx, seen[0], seen[1], func() audit.Shelf { return shelf{c.sorter()} })
	}
	if err != nil {
		return errors.Join(err, c.Close())
	}
	return nil
}

// look keeps what was seen, in order of address, and judges the audit where result is nil.
func (c *Comparison) look(ctx context.Context, a *storage.Audit, result *audit.Result) (_ *audit.Result, seen audit.Snapshot, _ error) {
	sorted := c.sorter()
	err := a.Snapshot(func(audit.Answers) (err error) {
		if result != nil {
			seen, err = audit.Observe(ctx, a, result, keepIn(sorted))
		} else {
			info := a.Info()
			if err = errors.Join(lastWritten(a, &info.Rules), withEvidence(ctx, a, &info)); err == nil {
				result, seen, err = audit.EvaluateObserved(ctx, a, info, new(sitemap.Names).Name, keepIn(sorted))
			}
		}
		if err != nil || !c.lists {
			return err
		}
		seen.Also, err = c.lookAlso(ctx, result)
		return err
	})
	seen.Sights = sightsOf(sorted)
	return result, seen, err
}

// lookAlso keeps what was seen of the lists of addresses that are named beside the entries.
func (c *Comparison) lookAlso(ctx context.Context, result *audit.Result) (lists []audit.AlsoSights, err error) {
	for i := range result.Also {
		sorted := c.sorter()
		if err := audit.ObserveAlso(ctx, result, i, keepIn(sorted)); err != nil {
			return nil, err
		}
		lists = append(lists, audit.AlsoSights{List: result.Also[i].List, Addresses: result.Also[i].Counts.Entries, Sights: sightsOf(sorted)})
	}
	return lists, nil
}

// keepIn returns what keeps sights in a Sorter.
func keepIn(sorted *storage.Sorter) func(*audit.Observation) error {
	var buf []byte
	return func(s *audit.Observation) (err error) {
		if buf, err = s.AppendBinary(buf[:0]); err != nil {
			return err
		}
		return sorted.Add(s.Address, buf)
	}
}

func sightsOf(sorted *storage.Sorter) func() iter.Seq2[audit.Observation, error] {
	return func() iter.Seq2[audit.Observation, error] { return sights(sorted) }
}

// sights reads back what keepIn kept.
func sights(sorted *storage.Sorter) iter.Seq2[audit.Observation, error] {
	return func(yield func(audit.Observation, error) bool) {
		for r, err := range sorted.Records() {
			s := audit.Observation{Address: string(r.Key)}
			if err == nil {
				err = s.UnmarshalBinary(r.Value)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
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

// Compare compares two audits of the store, by their ids, until ctx ends: their addresses, the
// faults of their files, and the links of their pages. The caller closes what is returned.
func Compare(ctx context.Context, store *storage.Store, older, newer string) (*Comparison, error) {
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
	c := &Comparison{lists: true}
	if err := c.addresses(ctx, a, b, nil); err != nil {
		return nil, err
	}
	if err := c.files(ctx, a, b, nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// files compares what is wrong with the files of two audits, and the links of their pages. Where
// earlier is not nil, errors of a sitemap are compared with those that it had when it was read last
// (audit.Diff.CompareFaultsSeen). The results of the audits stay as they are.
func (c *Comparison) files(ctx context.Context, older, newer *storage.Audit, earlier iter.Seq2[audit.Source, error]) error {
	var results []*audit.Result
	for _, x := range []struct {
		a      *storage.Audit
		result *audit.Result
	}{{older, c.OldResult}, {newer, c.NewResult}} {
		result := *x.result
		result.Files = slices.Clone(result.Files)
		if err := addAlternates(ctx, x.a, &result, hreflang.AllFaults); err != nil {
			return err
		}
		done, err := addLinks(ctx, x.a, &result)
		if err != nil {
			return err
		}
		c.rows.Add(done)
		results = append(results, &result)
	}
	if err := c.CompareFaultsSeen(ctx, results[0], results[1], earlier); err != nil {
		return err
	}
	return c.CompareLinks(ctx, results[0].Linked, results[1].Linked, func() audit.Shelf { return shelf{c.sorter()} })
}
