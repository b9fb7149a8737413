package storage

import (
	"context"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/record"
)

// entriesAtOnce is how many entries are read in one transaction.
const entriesAtOnce = 1000

// EntryCount returns how many entries the audit has: those of completely added sitemaps.
func (a *Audit) EntryCount() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.entries
}

// Entries yields the entries with from <= N < to, in order. Numbers outside the audit are ignored.
// An error ends the sequence, and so does ctx. No transaction is open while the loop's body runs,
// so it may call any method of the Audit.
func (a *Audit) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return audit.Until(ctx, func(yield func(audit.Entry, error) bool) {
		end := min(to, a.EntryCount())
		entries := make([]audit.Entry, 0, max(0, min(entriesAtOnce, end-from)))
		for at := max(from, 0); at < end; at += entriesAtOnce {
			var err error
			entries, err = a.readEntries(entries[:0], at, min(at+entriesAtOnce, end))
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
		}
	})
}

// readEntries appends the entries that are readable to into.
func (a *Audit) readEntries(into []audit.Entry, from, to int) ([]audit.Entry, error) {
	err := a.chunk(entriesBucket, uint64(from), uint64(to),
		func(_ *shelf, n uint64, data []byte) error {
			e, err := record.DecodeEntry(int(n), data)
			if err == nil {
				into = append(into, e)
			}
			return unreadable(err)
		})
	return into, err
}
