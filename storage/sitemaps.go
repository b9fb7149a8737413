package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/record"
)

// AddSitemap adds the next sitemap with its entries, and returns it with N, First and Entries set.
// The entries get their N and Sitemap. They are written while they come, some thousands at a time,
// and become visible only when the last is written: after a crash, an error of entries or the end
// of ctx, the sitemap is missing, and is to be added again. entries may be nil for a sitemap
// without any. It may call any method of the Audit but AddSitemap.
func (a *Audit) AddSitemap(ctx context.Context, sm audit.Sitemap,
	entries iter.Seq2[audit.Entry, error]) (audit.Sitemap, error) {
	a.adding.Lock()
	defer a.adding.Unlock()
	a.mu.RLock()
	sm.N, sm.First = a.sitemaps, a.entries
	err := a.refusal()
	a.mu.RUnlock()
	if err != nil {
		return sm, err
	}
	if err := a.dropLeftovers(ctx, uint64(sm.First)); err != nil {
		return sm, err
	}
	if err := a.addEntries(ctx, &sm, entries); err != nil {
		if ctx.Err() == nil {
			err = errors.Join(err, a.dropLeftovers(ctx, uint64(sm.First)))
		}
		return sm, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sitemaps, a.entries = sm.N+1, sm.First+sm.Entries
	return sm, nil
}

// addEntries writes the entries, and with the last of them the sitemap, which is their done mark.
func (a *Audit) addEntries(ctx context.Context, sm *audit.Sitemap,
	entries iter.Seq2[audit.Entry, error]) error {
	pending := batch{place: auditPlace(a.id, entriesBucket), first: uint64(sm.First)}
	if entries == nil {
		entries = func(func(audit.Entry, error) bool) {}
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		e.Sitemap = sm.N
		data, err := record.EncodeEntry(e)
		if err != nil {
			return explain(a.s.path, err)
		}
		pending.add(data)
		if !pending.full() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.writeEntries(&pending, nil); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	sm.Entries = int(pending.next()) - sm.First
	return a.writeEntries(&pending, sm)
}

// writeEntries writes and empties the batch, and writes done with it if that is not nil.
func (a *Audit) writeEntries(pending *batch, done *audit.Sitemap) error {
	err := a.s.write(func(tx *bbolt.Tx) error {
		b, t, err := tallied(tx, a.id)
		if err != nil {
			return err
		}
		entries, err := b.part(string(entriesBucket))
		if err != nil {
			return err
		}
		if err := pending.write(entries); err != nil {
			return err
		}
		if done != nil {
			if err := putSitemap(b, *done); err != nil {
				return err
			}
		}
		if err := t.count(b); err != nil {
			return err
		}
		return t.write(b, a.s.now())
	})
	pending.reset(pending.next())
	return err
}

// dropLeftovers removes the entries from first on, some thousands at a time: those of a sitemap
// without a done mark. It ends with ctx, because each transaction waits for the disk, and there can
// be thousands.
func (a *Audit) dropLeftovers(ctx context.Context, first uint64) error {
	for {
		left := false
		err := a.s.view(func(tx *bbolt.Tx) error {
			b, err := bucket(tx, a.id, entriesBucket)
			if err == nil {
				k, _ := b.b.Cursor().Seek(key(first))
				left = k != nil
			}
			return err
		})
		if err == nil && left {
			err = ctx.Err()
		}
		if err != nil || !left {
			return err
		}
		if err := a.s.write(func(tx *bbolt.Tx) error { return a.dropSome(tx, first) }); err != nil {
			return err
		}
	}
}

func (a *Audit) dropSome(tx *bbolt.Tx, first uint64) error {
	b, t, err := tallied(tx, a.id)
	if err != nil {
		return err
	}
	entries, err := b.part(string(entriesBucket))
	if err != nil {
		return err
	}
	var keys [][]byte // a cursor must not move while its bucket changes
	c := entries.b.Cursor()
	k, _ := c.Seek(key(first))
	for ; k != nil && len(keys) < batchRecords; k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	if k == nil { // otherwise the last of them is still there
		t.Entries = first
	}
	for _, k := range keys {
		if err := entries.b.Delete(k); err != nil {
			return err
		}
	}
	return t.write(b, a.s.now())
}

// PutSitemap replaces all fields of a sitemap that was added, by its N, except First and Entries.
func (a *Audit) PutSitemap(sm audit.Sitemap) error {
	a.mu.RLock()
	n := a.sitemaps
	a.mu.RUnlock()
	if sm.N < 0 || sm.N >= n {
		return fmt.Errorf("there is no sitemap %d, the audit has %d", sm.N, n)
	}
	return a.commit(func(b *shelf) error {
		old, err := b.sitemap(sm.N)
		if err != nil {
			return err
		}
		sm.First, sm.Entries = old.First, old.Entries
		return putSitemap(b, sm)
	})
}

// standingKey is the key, before the address, of what is present at the place of a corrected
// sitemap.
const standingKey = "standing/"

// PutStanding stores what is present at the address of a corrected sitemap.
func (a *Audit) PutStanding(url string, s *audit.Standing) error {
	return a.Put(standingKey+url, s.Encode())
}

// Standing returns what PutStanding stored; nil for nothing.
func (a *Audit) Standing(url string) (*audit.Standing, error) {
	b, ok, err := a.Get(standingKey + url)
	if !ok || err != nil {
		return nil, err
	}
	s, err := audit.DecodeStanding(b)
	if err != nil {
		return nil, explain(a.s.path, err)
	}
	return s, nil
}

// sitemap reads a sitemap of the audit of this bucket.
func (s *shelf) sitemap(n int) (audit.Sitemap, error) {
	sitemaps, err := s.part(string(sitemapsBucket))
	if err != nil {
		return audit.Sitemap{}, err
	}
	data, err := sitemaps.need(key(uint64(n)))
	if err != nil {
		return audit.Sitemap{}, err
	}
	sm, err := record.DecodeSitemap(n, data)
	return sm, unreadable(err)
}

func putSitemap(b *shelf, sm audit.Sitemap) error {
	data, err := record.EncodeSitemap(sm)
	if err != nil {
		return err
	}
	sitemaps, err := b.part(string(sitemapsBucket))
	if err != nil {
		return err
	}
	return sitemaps.put(key(uint64(sm.N)), data)
}

// Sitemaps returns the completely added sitemaps, in order.
func (a *Audit) Sitemaps() ([]audit.Sitemap, error) {
	a.mu.RLock()
	n := a.sitemaps
	a.mu.RUnlock()
	sitemaps := make([]audit.Sitemap, 0, n)
	err := a.chunk(sitemapsBucket, 0, uint64(n), func(_ *shelf, n uint64, data []byte) error {
		sm, err := record.DecodeSitemap(int(n), data)
		sitemaps = append(sitemaps, sm)
		return unreadable(err)
	})
	if err != nil {
		return nil, err
	}
	return sitemaps, nil
}
