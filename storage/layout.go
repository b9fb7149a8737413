package storage

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"go.etcd.io/bbolt"
)

// Schema is the version of the layout that this package reads and writes.
const Schema = 2

// The buckets and keys of the file; the package comment shows them.
var (
	metaBucket     = []byte("meta")
	auditsBucket   = []byte("audits")
	sitemapsBucket = []byte("sitemaps")
	entriesBucket  = []byte("entries")
	hopsBucket     = []byte("hops")
	recordsBucket  = []byte("records")
	linksBucket    = []byte("links") // only audits with --links have some

	schemaKey = []byte("schema")
	toolKey   = []byte("tool")
	saltKey   = []byte("salt")
	rollKey   = []byte("audits") // how many audits there are

	infoKey  = []byte("info")  // infoRecord
	shapeKey = []byte("shape") // the caller's digest of targets and flags
	baseKey  = []byte("base")  // Unix milliseconds, the base of the times of hops
	tallyKey = []byte("tally") // how many records it has, and when it was last written to
	seqKey   = []byte("seq")   // the audit's number, since the clock may be set back
)

// check checks whether the file is a store that this version can use, and lays out a new file.
func (s *Store) check() error {
	if err := s.checkSize(); err != nil {
		return err
	}
	var schema []byte
	empty := true
	err := s.view(func(tx *bbolt.Tx) error {
		if k, _ := tx.Cursor().First(); k != nil {
			empty = false
		}
		meta := rootShelf(tx, metaBucket)
		if meta == nil {
			return nil
		}
		if schema = bytes.Clone(meta.b.Get(schemaKey)); string(schema) != strconv.Itoa(Schema) {
			return nil
		}
		salt, err := meta.need(saltKey)
		s.salt = bytes.Clone(salt)
		return err
	})
	switch {
	case err != nil:
		return err
	case !empty:
		return s.checkSchema(schema)
	case s.readOnly:
		return nil
	}
	return s.create()
}

// checkSize returns an error for a file that is shorter than its last transaction requires.
func (s *Store) checkSize() error {
	var want int64
	if err := s.view(func(tx *bbolt.Tx) error { want = tx.Size(); return nil }); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		return explain(s.path, err)
	}
	if info.Size() < want {
		return damaged(s.path, fmt.Sprintf("it is cut off, %d of at least %d bytes are left",
			info.Size(), want))
	}
	return nil
}

func (s *Store) checkSchema(schema []byte) error {
	n, err := strconv.Atoi(string(schema))
	switch {
	case schema == nil:
		return &Error{Path: s.path, What: "this bbolt file is not a store of audits",
			Err:  ErrSchema,
			Hint: "it belongs to another program and was not changed; give another file with --store"}
	case err != nil || n < 1:
		return damaged(s.path, fmt.Sprintf("its schema is %q", schema))
	case n < Schema:
		return &Error{Path: s.path, What: fmt.Sprintf("the store has schema %d, of an earlier sitemend, whose records have no checksums; this version reads schema %d", n, Schema), Err: ErrSchema,
			Hint: "it was not changed; move it away or give another file with --store, and begin a new audit"}
	case n > Schema:
		return &Error{Path: s.path, What: fmt.Sprintf(
			"the store has schema %d, this version reads %d", n, Schema), Err: ErrSchema,
			Hint: "a newer sitemend wrote it; use that one, or give another file with --store"}
	}
	return nil
}

// create lays out a new file.
func (s *Store) create() error {
	s.salt = make([]byte, 16)
	rand.Read(s.salt) // never fails
	return s.write(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		if err := meta.Put(schemaKey, []byte(strconv.Itoa(Schema))); err != nil {
			return err
		}
		sealed := newShelf(meta, string(metaBucket))
		_, err = tx.CreateBucket(auditsBucket)
		return errors.Join(err, sealed.put(saltKey, s.salt), new(roll).write(sealed))
	})
}

// bucket returns the bucket at a path of names below audits/<id>. Where one is missing the file is
// damaged, or the audit was removed.
func bucket(tx *bbolt.Tx, id string, names ...[]byte) (*shelf, error) {
	b := rootShelf(tx, auditsBucket)
	if b != nil {
		b = b.within([]byte(id))
	}
	for _, name := range names {
		if b != nil {
			b = b.within(name)
		}
	}
	if b == nil {
		return nil, &fault{what: "a part of audit " + id + " is missing"}
	}
	return b, nil
}

// tallied returns the bucket of an audit, with its tally.
func tallied(tx *bbolt.Tx, id string) (b *shelf, t tally, err error) {
	if b, err = bucket(tx, id); err == nil {
		t, err = readTally(b)
	}
	return b, t, err
}
