package storage

import (
	"bytes"
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

// sum returns the checksum of a record.
func (p place) sum(key, record []byte) uint32 {
	return crc32.Update(crc32.Update(uint32(p), castagnoli, key), castagnoli, record)
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
	return &shelf{b: b, path: path, place: place(crc32.Checksum([]byte(path+"/"), castagnoli))}
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
	sealed := append(make([]byte, 0, len(record)+sealBytes), record...)
	return s.b.Put(key, binary.BigEndian.AppendUint32(sealed, s.place.sum(key, record)))
}

// Numbered records lie in blocks, for bbolt needs some time and space for each key: that of a block is the
// number of its first record. Each record follows its length.
const blockRecords = 64

func appendRecord(block, record []byte) []byte {
	return append(binary.AppendUvarint(block, uint64(len(record))), record...)
}

// putAt writes record n, alone in its block.
func (s *shelf) putAt(n uint64, record []byte) error { return s.put(key(n), appendRecord(nil, record)) }

// numbered calls fn with the records from <= n < to. One that is missing, or differs from what was
// written, is damage.
func (s *shelf) numbered(from, to uint64, fn func(n uint64, record []byte) error) error {
	c, n := s.b.Cursor(), from
	k, v := c.Seek(key(from))
	if !bytes.Equal(k, key(from)) { // it is within a block
		k, v = c.Prev()
	}
	for ; n < to && len(k) == 8 && binary.BigEndian.Uint64(k) <= n; k, v = c.Next() {
		block, err := s.open(k, v)
		for at := binary.BigEndian.Uint64(k); len(block) > 0 && n < to && err == nil; at++ {
			var record []byte
			if record, block, _ = cutText(block); at == n {
				err = fn(n, record)
				n++
			}
		}
		if err != nil {
			return err
		}
	}
	if n < to {
		return fault(s.name(key(n)) + " is missing")
	}
	return nil
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
	first uint64 // number of the first record
	data  []byte
	from  []int // where each record begins in data
}

// A batch is full when it reaches one of these; then it is written at once.
const (
	batchRecords = 8192
	batchBytes   = 1 << 20
)

func (b *batch) next() uint64 { return b.first + uint64(len(b.from)) }
func (b *batch) full() bool   { return len(b.from) >= batchRecords || len(b.data) >= batchBytes }

// add appends a copy of a record.
func (b *batch) add(record []byte) {
	b.from = append(b.from, len(b.data))
	b.data = appendRecord(b.data, record)
}

// record returns record n; nil if the batch does not have it. It is not to be changed.
func (b *batch) record(n uint64) []byte {
	if n < b.first || n >= b.next() {
		return nil
	}
	record, _, _ := cutText(b.data[b.from[n-b.first]:])
	return record
}

// after returns the batch of the records that follow, in the memory of one that is written.
func (b *batch) after(in batch) batch {
	return batch{first: b.next(), data: in.data[:0], from: in.from[:0]}
}

// write puts all records into a bucket of an audit.
func (b *batch) write(in *shelf, name []byte) error {
	to, err := in.within(name)
	if err != nil {
		return err
	}
	to.b.FillPercent = 1 // blocks are added at its end only
	c, first := to.b.Cursor(), key(b.first)
	for k, _ := c.Seek(first); k != nil && err == nil; k, _ = c.Seek(first) { // of a sitemap that was not added to its end
		err = c.Delete()
	}
	for i, ends := 0, append(b.from, len(b.data)); i < len(b.from) && err == nil; i += blockRecords {
		err = to.put(key(b.first+uint64(i)), b.data[ends[i]:ends[min(i+blockRecords, len(b.from))]])
	}
	return err
}
