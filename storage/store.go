package storage

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/storage/internal/record"
)

// A Store is an open file of audits. Its methods are safe for concurrent use.
type Store struct {
	path               string
	readOnly, existing bool
	now                func() time.Time

	db     *bbolt.DB
	file   *os.File    // the file that db opened
	dir    *os.Root    // the folder of the store, through which all that lies beside it is reached: never a link that leads elsewhere
	broken atomic.Bool // a panic may have left bbolt's locks held

	salt   []byte
	codecs codecs

	writing sync.Mutex // held by the only writer

	mu     sync.Mutex
	open   map[string]*Audit
	closed bool
}

// codecs are how values of package audit are recorded in this store.
type codecs struct {
	hops     *record.Codec[answers.Hop]
	entries  *record.Codec[audit.Entry]
	sitemaps *record.Codec[audit.Sitemap]
	infos    *record.Codec[audit.Info]
}

// fieldNames are the names of the fields of records, by number.
type fieldNames struct{ Hops, Entries, Sitemaps, Infos []string }

func newCodecs(n fieldNames) codecs {
	return codecs{record.New[answers.Hop](n.Hops), record.New[audit.Entry](n.Entries),
		record.New[audit.Sitemap](n.Sitemaps), record.New[audit.Info](n.Infos)}
}

func (c *codecs) names() fieldNames {
	return fieldNames{c.hops.Names(), c.entries.Names(), c.sitemaps.Names(), c.infos.Names()}
}

// Path returns the path that the store was opened with.
func (s *Store) Path() string { return s.path }

// Salt returns the 16 random bytes of the store, drawn when it was created. Secrets are compared by
// a hash with this salt and never stored themselves. It is nil for a store without an audit that is
// open for reading.
func (s *Store) Salt() []byte { return bytes.Clone(s.salt) }

// Close writes what is pending in every open audit and closes the file. It returns the first error
// of these. A second call does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	open, closed := s.open, s.closed
	s.open, s.closed = map[string]*Audit{}, true
	s.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	for _, a := range open {
		errs = append(errs, a.shut())
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return errors.Join(append(errs, explain(s.path, s.release()))...)
}

// release closes the file. bbolt cannot do that where it did not open it, or where a transaction that
// ended in a panic holds its locks: the mapping stays then.
func (s *Store) release() error {
	defer s.dir.Close()
	if s.db != nil && !s.broken.Load() {
		return guard(s.db.Close)
	}
	if s.file != nil {
		_ = unlock(s.file) // an error means that it is closed already
		_ = s.file.Close()
	}
	return nil
}

// write runs fn in a writable transaction and commits it. All writing goes through write. It must
// not be called within a transaction.
func (s *Store) write(fn func(tx *bbolt.Tx) error) error {
	if s.readOnly {
		return explain(s.path, ErrReadOnly)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return explain(s.path, s.locking(func() error { return s.db.Update(fn) }))
}

// view runs fn in a read-only transaction of its own.
func (s *Store) view(fn func(tx *bbolt.Tx) error) error {
	var tx *bbolt.Tx
	err := s.locking(func() (err error) {
		tx, err = s.db.Begin(false)
		return err
	})
	if err == nil {
		err = guard(func() error { return fn(tx) })
		err = errors.Join(err, guard(tx.Rollback))
	}
	return explain(s.path, err)
}

// locking runs fn, in which bbolt holds locks: it does while it writes, and while it reads the header. A
// panic there leaves them held, and the next caller would wait for ever.
func (s *Store) locking(fn func() error) error {
	if s.broken.Load() {
		return errPage // it was met earlier
	}
	err := guard(fn)
	if errors.Is(err, errPage) {
		s.broken.Store(true)
	}
	return err
}
