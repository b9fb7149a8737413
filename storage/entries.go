package storage

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// entriesAtOnce is how many entries are read in one transaction.
const entriesAtOnce = 1000

// entryRooms is memory for what Entries reads at once, used again and again.
var entryRooms = sync.Pool{New: func() any { return new([]audit.Entry) }}

// AddSitemap adds the next sitemap with its entries, and sets its N, First and Entries; other fields may be
// set while the entries are yielded. The entries get their N and Sitemap. They are written some thousands
// at a time, and become visible when the last is written: after a crash, an error of entries or the end of
// ctx the sitemap is missing; who adds it again overwrites what was written. entries may be nil for a
// sitemap without any, and may call any method of the Audit but AddSitemap.
func (a *Audit) AddSitemap(ctx context.Context, sm *audit.Sitemap, entries iter.Seq2[audit.Entry, error]) error {
	a.adding.Lock()
	defer a.adding.Unlock()
	a.mu.RLock()
	sm.N, sm.First = a.sitemaps, a.entries
	err := a.refusal()
	a.mu.RUnlock()
	if err != nil {
		return err
	}
	pending := batch{first: uint64(sm.First)}
	if entries != nil {
		if err := a.addEntries(ctx, &pending, sm.N, entries); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	sm.Entries = int(pending.next()) - sm.First
	err = a.update(func(b *shelf, st *state) error {
		st.Sitemaps, st.Entries = uint64(sm.N+1), pending.next()
		if err := pending.write(b, entriesBucket); err != nil {
			return err
		}
		return a.putSitemap(b, *sm)
	})
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sitemaps, a.entries = sm.N+1, sm.First+sm.Entries
	return nil
}

// addEntries writes the entries, and leaves the last of them in the batch.
func (a *Audit) addEntries(ctx context.Context, pending *batch, sitemap int, entries iter.Seq2[audit.Entry, error]) error {
	var room []byte
	for e, err := range entries {
		if err != nil {
			return err
		}
		e.N, e.Sitemap = 0, sitemap // the key is its number
		mask(&e)
		if room, err = a.s.codecs.entries.Encode(room[:0], &e, ""); err != nil {
			return explain(a.s.path, err)
		}
		if pending.add(room); !pending.full() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err = a.update(func(b *shelf, _ *state) error { return pending.write(b, entriesBucket) })
		if err != nil {
			return err
		}
		*pending = pending.after(*pending)
	}
	return nil
}

// mask takes the names and passwords out of the addresses of an entry: they are not stored.
func mask(e *audit.Entry) {
	e.Loc, e.Expected.To = address.Masked(e.Loc), address.Masked(e.Expected.To)
	if e.Also != nil {
		also := *e.Also
		also.By = slices.Clone(also.By)
		for i := range also.By {
			also.By[i].Loc = address.Masked(also.By[i].Loc)
		}
		e.Also = &also
	}
}

// PutSitemap replaces a sitemap that was added, by its N.
func (a *Audit) PutSitemap(sm audit.Sitemap) error {
	a.mu.RLock()
	n := a.sitemaps
	a.mu.RUnlock()
	if sm.N < 0 || sm.N >= n {
		return fmt.Errorf("there is no sitemap %d, the audit has %d", sm.N, n)
	}
	return a.commit(false, func(b *shelf) error { return a.putSitemap(b, sm) })
}

func (a *Audit) putSitemap(b *shelf, sm audit.Sitemap) error {
	in, err := b.within(sitemapsBucket)
	if err != nil {
		return err
	}
	n := sm.N
	sm.N = 0
	data, err := a.s.codecs.sitemaps.Encode(nil, &sm, "")
	if err != nil {
		return err
	}
	return in.putAt(uint64(n), data)
}

// Sitemaps returns the completely added sitemaps, in order.
func (a *Audit) Sitemaps() ([]audit.Sitemap, error) {
	a.mu.RLock()
	n := a.sitemaps
	a.mu.RUnlock()
	sitemaps := make([]audit.Sitemap, 0, n)
	err := a.chunk(sitemapsBucket, 0, uint64(n), func(n uint64, data []byte) error {
		sm, err := a.s.codecs.sitemaps.Decode(data, "")
		sm.N = int(n)
		sitemaps = append(sitemaps, sm)
		return unreadable(err)
	})
	if err != nil {
		return nil, err
	}
	return sitemaps, nil
}

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
	return ground.Until(ctx, func(yield func(audit.Entry, error) bool) {
		end, room := min(to, a.EntryCount()), entryRooms.Get().(*[]audit.Entry)
		defer entryRooms.Put(room)
		for at := max(from, 0); at < end; at += entriesAtOnce {
			*room = (*room)[:0]
			err := a.chunk(entriesBucket, uint64(at), uint64(min(at+entriesAtOnce, end)), func(n uint64, data []byte) error {
				e, err := a.s.codecs.entries.Decode(data, "")
				if err == nil {
					e.N = int(n)
					*room = append(*room, e)
				}
				return unreadable(err)
			})
			for i := range *room {
				if !yield((*room)[i], nil) {
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
