package storage

import "encoding/binary"

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

func (b *batch) len() int     { return len(b.ends) }
func (b *batch) next() uint64 { return b.first + uint64(len(b.ends)) }
func (b *batch) full() bool   { return len(b.ends) >= batchRecords || len(b.data) >= batchBytes }

// add appends a copy of a record, with its checksum.
func (b *batch) add(record []byte) {
	binary.BigEndian.PutUint64(b.key[:], b.next())
	b.data = b.place.seal(b.data, b.key[:], record)
	b.ends = append(b.ends, len(b.data))
}

// record returns record n; nil if the batch does not have it. It is valid until the batch is reset.
func (b *batch) record(n uint64) []byte {
	if n < b.first || n >= b.next() {
		return nil
	}
	i := int(n - b.first)
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.data[start : b.ends[i]-sealBytes]
}

// reset empties the batch; its next record has the number first.
func (b *batch) reset(first uint64) {
	b.first, b.data, b.ends = first, b.data[:0], b.ends[:0]
}

// write puts all records. The bucket refers to them until its transaction ends.
func (b *batch) write(to *shelf) error {
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

// key returns n as a key: eight bytes, big-endian, so that keys sort as numbers.
func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// number returns the number of a key; ok is false for a key of another length.
func number(k []byte) (uint64, bool) {
	if len(k) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(k), true
}
