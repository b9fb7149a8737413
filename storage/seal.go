package storage

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"go.etcd.io/bbolt"
)

// Every record ends with a checksum (CRC-32C) of its place and its content: the path of its bucket,
// its key and its bytes. So a damaged record, or one that a damaged page returns in place of
// another, is never taken for what was written. All reading and writing of records goes through
// this file; only the schema has no checksum, because any version must be able to read it.
const sealBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A place is the checksum of a bucket's path, from which those of its records are continued.
type place uint32

func placeOf(path string) place { return place(crc32.Checksum([]byte(path+"/"), castagnoli)) }

// auditPlace returns the place of a bucket of an audit.
func auditPlace(id string, name []byte) place {
	return placeOf("audits/" + id + "/" + string(name))
}

// sum returns the checksum of a record.
func (p place) sum(key, record []byte) uint32 {
	return crc32.Update(crc32.Update(uint32(p), castagnoli, key), castagnoli, record)
}

// seal appends a record and its checksum.
func (p place) seal(to, key, record []byte) []byte {
	return binary.BigEndian.AppendUint32(append(to, record...), p.sum(key, record))
}

// open returns the record that seal sealed; false where it does not match.
func (p place) open(key, sealed []byte) ([]byte, bool) {
	record, sum, ok := unsealed(sealed)
	return record, ok && sum == p.sum(key, record)
}

// unsealed splits a record from its checksum, without a comparison.
func unsealed(sealed []byte) (record []byte, sum uint32, ok bool) {
	n := len(sealed) - sealBytes
	if n < 0 {
		return nil, 0, false
	}
	return sealed[:n:n], binary.BigEndian.Uint32(sealed[n:]), true
}

// A shelf is a bucket whose records have checksums.
type shelf struct {
	b     *bbolt.Bucket
	path  string
	place place
}

// newShelf returns the shelf of a bucket; nil where there is none.
func newShelf(b *bbolt.Bucket, path string) *shelf {
	if b == nil {
		return nil
	}
	return &shelf{b: b, path: path, place: placeOf(path)}
}

// rootShelf returns the shelf of a bucket of the file; nil where there is none.
func rootShelf(tx *bbolt.Tx, name []byte) *shelf { return newShelf(tx.Bucket(name), string(name)) }

// within returns a shelf in this one; nil where there is none.
func (s *shelf) within(name []byte) *shelf {
	return newShelf(s.b.Bucket(name), s.path+"/"+string(name))
}

// get returns the record of a key; nil where there is none. It is valid while the transaction
// lasts.
func (s *shelf) get(key []byte) ([]byte, error) {
	v := s.b.Get(key)
	if v == nil {
		return nil, nil
	}
	return s.open(key, v)
}

// need is get for a record that must exist.
func (s *shelf) need(key []byte) ([]byte, error) {
	record, err := s.get(key)
	if err == nil && record == nil {
		err = &fault{what: s.name(key) + " is missing"}
	}
	return record, err
}

// open returns the record in a value that a cursor returned.
func (s *shelf) open(key, value []byte) ([]byte, error) {
	record, ok := s.place.open(key, value)
	if !ok {
		return nil, &fault{what: s.name(key) + " is not what was written (its checksum is another)"}
	}
	return record, nil
}

// put writes a record in place of an earlier one of the key.
func (s *shelf) put(key, record []byte) error {
	return s.b.Put(key, s.place.seal(nil, key, record))
}

// each calls fn with every record.
func (s *shelf) each(fn func(key, record []byte) error) error {
	return s.b.ForEach(func(k, v []byte) error {
		if v == nil { // a bucket
			return nil
		}
		record, err := s.open(k, v)
		if err != nil {
			return err
		}
		return fn(k, record)
	})
}

// name names a record, for messages.
func (s *shelf) name(key []byte) string {
	what := fmt.Sprintf("the record %q", key)
	if n, ok := number(key); ok {
		what = fmt.Sprintf("record %d", n)
	}
	return what + " of " + spoken(s.path)
}

// spoken returns a path of buckets in the form for messages.
func spoken(path string) string {
	if id, ok := strings.CutPrefix(path, "audits/"); ok {
		id, part, _ := strings.Cut(id, "/")
		if part == "" {
			return fmt.Sprintf("audit %q", id)
		}
		return fmt.Sprintf("the %s of audit %q", part, id)
	}
	return "the store's " + path
}
