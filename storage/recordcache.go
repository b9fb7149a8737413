package storage

import (
	"sync/atomic"
)

// Answers are mostly looked up in the order in which they were kept, because both follow the
// sitemaps. So after two look-ups in a stretch of stretchRecords numbers, the whole stretch is
// copied at once and serves the next ones without the file. Random look-ups copy nothing.
const (
	stretchRecords = 32
	cacheSlots     = 64 // cached stretches: about 0.3 MB
)

// A stretch is the records from first on. It is immutable.
type stretch struct {
	first uint64
	data  []byte
	ends  [stretchRecords]int // where each record ends in data
}

// recordCache holds the stretches of an audit that were used last. Its methods are safe for
// concurrent use.
type recordCache struct {
	slots [cacheSlots]struct {
		at   atomic.Pointer[stretch]
		last atomic.Uint64 // first number of the stretch that was last missed, plus one
	}
}

// record returns record n; nil where its stretch is not cached.
func (c *recordCache) record(n uint64) []byte {
	r := c.slots[n/stretchRecords%cacheSlots].at.Load()
	if r == nil || n-r.first >= stretchRecords {
		return nil
	}
	i, start := n-r.first, 0
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.data[start:r.ends[i]]
}

// wanted records that record n was not cached, and reports whether another one of its stretch was
// missed just before.
func (c *recordCache) wanted(n uint64) bool {
	first := n - n%stretchRecords + 1
	return c.slots[n/stretchRecords%cacheSlots].last.Swap(first) == first
}

// load copies the stretch of record n from the bucket b, unless a part of it is missing or damaged,
// or may not be there yet: numbers from end on are not committed.
func (c *recordCache) load(b *shelf, n, end uint64) {
	r := &stretch{first: n - n%stretchRecords}
	if r.first+stretchRecords > end {
		return
	}
	cursor := b.b.Cursor()
	k, v := cursor.Seek(key(r.first))
	var records [stretchRecords][]byte
	size := 0
	for i := range records {
		if got, ok := number(k); !ok || got != r.first+uint64(i) {
			return
		}
		record, err := b.open(k, v)
		if err != nil { // reading that record returns the error
			return
		}
		records[i] = record
		size += len(record)
		r.ends[i] = size
		k, v = cursor.Next()
	}
	r.data = make([]byte, 0, size)
	for _, v := range records {
		r.data = append(r.data, v...)
	}
	c.slots[n/stretchRecords%cacheSlots].at.Store(r)
}
