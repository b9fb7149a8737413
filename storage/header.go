package storage

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"

	"go.etcd.io/bbolt"
)

// A bbolt file begins with two header pages, which transactions write alternately. Where the newer
// one cannot be read bbolt uses the older one without an error: the file is then consistent, but as
// it was one transaction before. An audit that has ended may then be one that has not.
//
// A system that stops while it writes can cause this, too, so the file can still be opened for
// writing: an audit that is continued repeats the missing requests. Opening for reading is refused,
// because the reader would see an old state.

// Offsets in a header page (bbolt's page.go and meta.go): the 16 bytes at the start of every page,
// then these, in the byte order of the machine.
const (
	headerAt      = 16
	headerMagicAt = 0 // four bytes, like the version after it
	headerSumAt   = 56
	headerBytes   = headerSumAt + 8
	headerMagic   = 0xED0CDAED
	headerVersion = 2
)

const hintOlder = "the file was not changed; `sitemend audit` with this store goes on from what was written a moment before, and makes it whole; else give another one with --store"

// wholeHeaders reports whether both header pages of an open file can be read.
func (s *Store) wholeHeaders() (bool, error) {
	size := s.db.Info().PageSize
	for page := range 2 {
		head := make([]byte, headerBytes)
		_, err := s.file.ReadAt(head, int64(page*size+headerAt))
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if err != nil || !wholeHeader(head) {
			return false, nil
		}
	}
	return true, nil
}

func wholeHeader(head []byte) bool {
	order := binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(head[:headerSumAt]) // a hash returns no error
	return order.Uint32(head[headerMagicAt:]) == headerMagic &&
		order.Uint32(head[headerMagicAt+4:]) == headerVersion &&
		order.Uint64(head[headerSumAt:]) == sum.Sum64()
}

// checkHeaders refuses to open a file for reading if one of its header pages cannot be read.
func (s *Store) checkHeaders() error {
	whole, err := s.wholeHeaders()
	if err != nil {
		return explain(s.path, err)
	}
	if whole || !s.readOnly {
		return nil
	}
	e := damaged(s.path, "its last transaction cannot be read")
	e.Hint = hintOlder
	return e
}

// mendHeaders restores a header page that cannot be read: an empty transaction writes the page that
// the last complete one did not.
func (s *Store) mendHeaders() error {
	whole, err := s.wholeHeaders()
	if err != nil || whole {
		return explain(s.path, err)
	}
	return s.write(func(*bbolt.Tx) error { return nil })
}
