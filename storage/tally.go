package storage

import (
	"fmt"
	"time"

	"sitemend/storage/internal/record"
)

// A tally is how many records an audit has, and when it was last written to. It is written in each
// transaction that writes to the audit, so that it shows where a record, or a page of them, is
// missing.
type tally struct {
	Active   int64  `cbor:"1,keyasint,omitempty"` // Unix milliseconds
	Sitemaps uint64 `cbor:"2,keyasint,omitempty"`
	Entries  uint64 `cbor:"3,keyasint,omitempty"` // with those of a sitemap without its done mark
	Hops     uint64 `cbor:"4,keyasint,omitempty"`
	Records  uint64 `cbor:"5,keyasint,omitempty"`
	// exclusive or of the checksums of the named records
	Sums  uint32 `cbor:"6,keyasint,omitempty"`
	Links uint64 `cbor:"7,keyasint,omitempty"` // records of links, each of many pages
}

func readTally(b *shelf) (t tally, err error) {
	data, err := b.need(tallyKey)
	if err == nil {
		err = unreadable(record.Decode(data, &t))
	}
	return t, err
}

// active returns when the audit was last written to.
func (t *tally) active() time.Time { return time.UnixMilli(t.Active).UTC() }

// put writes a named record and counts it.
func (t *tally) put(records *shelf, name string, value []byte) error {
	k := []byte(name)
	old, err := records.get(k)
	if err != nil {
		return err
	}
	if old == nil {
		t.Records++
	} else {
		t.Sums ^= records.place.sum(k, old)
	}
	t.Sums ^= records.place.sum(k, value)
	return records.put(k, value)
}

// count counts the numbered records of the audit of this bucket. It must not be called after some
// were removed in the same transaction, for then bbolt never stops looking for the last one.
func (t *tally) count(b *shelf) error {
	for name, n := range t.numbered() {
		in, err := b.part(name)
		if err != nil {
			return err
		}
		if *n, err = after(in); err != nil {
			return err
		}
	}
	return nil
}

// write writes the tally into the bucket of its audit.
func (t *tally) write(b *shelf, now time.Time) error {
	t.Active = now.UnixMilli()
	data, err := record.Encode(t)
	if err != nil {
		return err
	}
	return b.put(tallyKey, data)
}

func (t *tally) numbered() map[string]*uint64 {
	return map[string]*uint64{string(sitemapsBucket): &t.Sitemaps,
		string(entriesBucket): &t.Entries, string(hopsBucket): &t.Hops}
}

// check returns an error where records are missing that the audit had when it was last written to.
// Of the numbered ones it checks the last; reading finds each of the others that is missing.
func (t *tally) check(b *shelf) error {
	for name, n := range t.numbered() {
		in, err := b.part(name)
		if err != nil {
			return err
		}
		if got, err := after(in); err != nil {
			return err
		} else if got != *n {
			return &fault{what: fmt.Sprintf("%s have %d records, there were %d", spoken(in.path),
				got, *n)}
		}
	}
	if err := t.checkLinks(b); err != nil {
		return err
	}
	records, err := b.part(string(recordsBucket))
	if err != nil {
		return err
	}
	n, sums := uint64(0), uint32(0)
	err = records.each(func(k, record []byte) error {
		n++
		sums ^= records.place.sum(k, record)
		return nil
	})
	if err == nil && (n != t.Records || sums != t.Sums) {
		err = &fault{what: fmt.Sprintf("%s are %d, not the %d that were written",
			spoken(records.path), n, t.Records)}
	}
	return err
}

// part returns a bucket of an audit; a missing one is damage.
func (s *shelf) part(name string) (*shelf, error) {
	in := s.within([]byte(name))
	if in == nil {
		return nil, &fault{what: "the " + name + " of " + spoken(s.path) + " are missing"}
	}
	return in, nil
}

// A roll is how many audits a store has. It is written with each that begins or is removed: if one
// could no longer be seen, an older one would seem to be the newest.
type roll struct {
	Audits int    `cbor:"1,keyasint,omitempty"`
	Sums   uint32 `cbor:"2,keyasint,omitempty"` // exclusive or of the checksums of their IDs
	Seq    uint64 `cbor:"3,keyasint,omitempty"` // the number of the newest
}

func readRoll(meta *shelf) (r roll, err error) {
	data, err := meta.need(rollKey)
	if err == nil {
		err = unreadable(record.Decode(data, &r))
	}
	return r, err
}

func (r *roll) write(meta *shelf) error {
	data, err := record.Encode(r)
	if err != nil {
		return err
	}
	return meta.put(rollKey, data)
}

// count counts an audit: by is 1 for one that begins, -1 for one that is removed.
func (r *roll) count(id string, by int) {
	r.Audits += by
	r.Sums ^= uint32(placeOf("audits/" + id))
}
