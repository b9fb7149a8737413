package storage

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"

	"sitemend/storage/internal/record"
)

// Every record ends with a checksum (CRC-32C) of its place and its content: the path of its bucket,
// its key and its bytes. So a damaged record, or one that a damaged page returns in place of
// another, is never taken for what was written. Only the schema has none, because any version must
// be able to read it.
const sealBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A place is the checksum of a bucket's path, from which those of its records are continued.
type place uint32

func placeOf(path string) place { return place(crc32.Checksum([]byte(path+"/"), castagnoli)) }

// auditPlace returns the place of a bucket of an audit.
func auditPlace(id string, name []byte) place { return placeOf("audits/" + id + "/" + string(name)) }

// sum returns the checksum of a record.
func (p place) sum(key, record []byte) uint32 {
	return crc32.Update(crc32.Update(uint32(p), castagnoli, key), castagnoli, record)
}

// seal appends a record and its checksum.
func (p place) seal(to, key, record []byte) []byte {
	return binary.BigEndian.AppendUint32(append(to, record...), p.sum(key, record))
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

// auditShelf returns the bucket at a path of names below audits/<id>. Where one is missing the file
// is damaged, or the audit was removed.
func auditShelf(tx *bbolt.Tx, id string, names ...[]byte) (s *shelf, err error) {
	if s = rootShelf(tx, auditsBucket); s == nil {
		return nil, fault("it has no audits")
	}
	s, err = s.within([]byte(id))
	for _, name := range names {
		if err == nil {
			s, err = s.within(name)
		}
	}
	return s, err
}

// within returns a bucket in this one; a missing one is damage.
func (s *shelf) within(name []byte) (*shelf, error) {
	in := newShelf(s.b.Bucket(name), s.path+"/"+string(name))
	if in == nil {
		return nil, fault(s.path + "/" + string(name) + " is missing")
	}
	return in, nil
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
		err = fault(s.name(key) + " is missing")
	}
	return record, err
}

// open returns the record in a value that a cursor returned.
func (s *shelf) open(key, value []byte) ([]byte, error) {
	n := len(value) - sealBytes
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != s.place.sum(key, value[:n]) {
		return nil, fault(s.name(key) + " is not what was written (its checksum is another)")
	}
	return value[:n:n], nil
}

// put writes a record in place of an earlier one of the key.
func (s *shelf) put(key, record []byte) error {
	return s.b.Put(key, s.place.seal(nil, key, record))
}

// load decodes the record of a key, which must exist, and save encodes it.
func (s *shelf) load(key []byte, into any) error {
	data, err := s.need(key)
	if err == nil {
		err = unreadable(record.Unmarshal(data, into))
	}
	return err
}

func (s *shelf) save(key []byte, v any) error {
	data, err := record.Marshal(v)
	if err == nil {
		err = s.put(key, data)
	}
	return err
}

// from calls fn with the records from a key on, in order, until it returns false or an error.
func (s *shelf) from(start []byte, fn func(key, record []byte) (bool, error)) error {
	c := s.b.Cursor()
	for k, v := c.Seek(start); k != nil; k, v = c.Next() {
		record, err := s.open(k, v)
		if err != nil {
			return err
		}
		if more, err := fn(k, record); !more || err != nil {
			return err
		}
	}
	return nil
}

// name names a record, for messages.
func (s *shelf) name(key []byte) string {
	if len(key) == 8 {
		return fmt.Sprintf("record %d of %s", binary.BigEndian.Uint64(key), s.path)
	}
	return fmt.Sprintf("record %q of %s", key, s.path)
}

// key returns n as a key: eight bytes, big-endian, so that keys sort as numbers.
func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// A batch holds encoded records with consecutive numbers that are not yet on disk, in a single
// block of memory.
type batch struct {
	place place
	first uint64 // number of the first record
	data  []byte
	ends  []int // where each record with its checksum ends in data
	key   [8]byte
}

// A batch is full when it reaches one of these; then it is written at once.
const (
	batchRecords = 8192
	batchBytes   = 1 << 20
)

func (b *batch) next() uint64 { return b.first + uint64(len(b.ends)) }
func (b *batch) full() bool   { return len(b.ends) >= batchRecords || len(b.data) >= batchBytes }

// add appends a copy of a record, with its checksum.
func (b *batch) add(record []byte) {
	binary.BigEndian.PutUint64(b.key[:], b.next())
	b.data = b.place.seal(b.data, b.key[:], record)
	b.ends = append(b.ends, len(b.data))
}

// record returns record n; nil if the batch does not have it. It is not to be changed.
func (b *batch) record(n uint64) []byte {
	if n < b.first || n >= b.next() {
		return nil
	}
	i, start := int(n-b.first), 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.data[start : b.ends[i]-sealBytes]
}

// after returns the batch of the records that follow, in the memory of one that is written.
func (b *batch) after(in batch) batch {
	return batch{place: b.place, first: b.next(), data: in.data[:0], ends: in.ends[:0]}
}

// write puts all records into a bucket of an audit, which refers to them until its transaction ends.
func (b *batch) write(in *shelf, name []byte) error {
	to, err := in.within(name)
	if err != nil {
		return err
	}
	to.b.FillPercent = 1 // records are added at its end only
	k := make([]byte, 8) // bbolt copies keys
	start := 0
	for i, end := range b.ends {
		binary.BigEndian.PutUint64(k, b.first+uint64(i))
		if err := to.b.Put(k, b.data[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}
