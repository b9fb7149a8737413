package storage

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockWait is how long Open waits for another process to release the file.
const lockWait = time.Second

// A Store is an open file of audits. Its methods are safe for concurrent use.
type Store struct {
	path     string
	db       *bbolt.DB
	file     *os.File // the file that db opened
	reader   reader
	readOnly bool
	noLink   bool
	counted  bool // bbolt counts free pages
	// how long to wait for another process that has the file open; 0 for lockWait
	wait time.Duration
	salt []byte
	now  func() time.Time
	// the hold on a file that is open for reading; nil for one that is open for writing
	lease *lease

	writing sync.Mutex  // held by the only writer
	stuck   bool        // a write met damage: bbolt's lock for writers may never be released
	dead    atomic.Bool // no further transaction can begin, not even to read

	mu     sync.Mutex
	open   map[string]*Audit
	closed bool
}

// Open opens the store at path for reading and writing, and creates it, with its folder, where
// there is none or the file is empty. It waits a second for another process that has it open; then
// the error is ErrLocked, names the process where the system does, and says whether that only
// reads. A file that cannot be read as a store is ErrDamaged or ErrSchema, and is not changed.
// Where only the last transaction cannot be read, the store is as it was before that.
func Open(path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, explain(path, err)
	}
	info, statErr := s.look()
	if statErr == nil && !info.Mode().IsRegular() {
		return nil, noFile(path)
	}
	if err := s.openFile(); err != nil {
		return nil, err
	}
	if err := s.mendHeaders(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	_ = os.Remove(s.compactPart()) // we have the lock, so no other process writes it
	if errors.Is(statErr, fs.ErrNotExist) {
		if err := syncDir(filepath.Dir(path)); err != nil {
			return nil, errors.Join(explain(path, err), s.Close())
		}
	}
	return s, nil
}

// OpenReadOnly opens the store at path for reading. It creates nothing: where there is no file, or
// an empty one, the error is ErrNone. Several processes may have a store open for reading; they and
// one that writes exclude each other. Where the last transaction cannot be read the error is
// ErrDamaged.
func OpenReadOnly(path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	s.readOnly = true
	info, err := s.look()
	switch {
	case errors.Is(err, fs.ErrNotExist) ||
		err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return nil, &Error{Path: path, What: "there is no store of audits here",
			Hint: "audit a site first (`sitemend audit TARGET` makes one in its --out folder), or name another one: --store FILE", Err: ErrNone}
	case err == nil && !info.Mode().IsRegular():
		return nil, noFile(path)
	case err != nil:
		return nil, explainLink(path, err)
	}
	if err := s.openFile(); err != nil {
		return nil, err
	}
	info, err = s.file.Stat()
	if err != nil {
		return nil, errors.Join(explain(path, err), s.Close())
	}
	s.lease = &lease{s: s, info: info, held: true, keep: true}
	return s, nil
}

func newStore(path string, opts []Option) *Store {
	s := &Store{path: path, open: map[string]*Audit{}, now: time.Now}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// openFile opens and checks the file. On an error nothing is left open.
func (s *Store) openFile() error {
	if err := s.openDB(); err != nil {
		return explainLink(s.path, err)
	}
	s.reader.begin = s.begin
	if err := cmp.Or(s.check(), s.checkHeaders()); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// openDB opens the file that has the name when the lock is acquired: during the wait, Compact may
// have put another one there. It tries again only a few times, for a file that never seems to have
// the name is in a file system that cannot show it. On an error nothing is left open.
func (s *Store) openDB() error {
	for tries := 1; ; tries++ {
		err := s.openLocked()
		if err != nil || s.inPlace() || tries == 3 {
			return err
		}
		if err := guard(s.db.Close); err != nil {
			return err
		}
	}
}

func (s *Store) openLocked() error {
	err := guard(func() error {
		var err error
		s.db, err = bbolt.Open(s.path, 0o644, &bbolt.Options{
			Timeout:      cmp.Or(s.wait, lockWait),
			ReadOnly:     s.readOnly,
			FreelistType: bbolt.FreelistMapType, // fast even after a large audit was removed
			NoStatistics: !s.counted,            // they take a lock for each transaction
			OpenFile:     s.keepFile,
		})
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		e := locked(s.path)
		e.Read = !s.readOnly && s.onlyRead()
		return e
	}
	if err != nil {
		s.abandon()
		return openError(err)
	}
	return nil
}

// keepFile opens the file for bbolt and stores it for abandon.
func (s *Store) keepFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := s.openFresh(name, flag, mode)
	s.file = f
	return f, err
}

// onlyRead reports whether the holders of the file allow others to read it: then all of them are
// readers.
func (s *Store) onlyRead() bool {
	reader := &Store{path: s.path, noLink: s.noLink, readOnly: true, wait: time.Nanosecond}
	return reader.openDB() == nil && guard(reader.db.Close) == nil
}

// openError marks bbolt.Open's error for a file too short for a header as damage. All its other
// errors are those of the system.
func openError(err error) error {
	var path *fs.PathError
	var sys syscall.Errno
	if errors.As(err, &path) || errors.As(err, &sys) || errors.Is(err, errLink) ||
		errors.Is(err, errUnnamed) || isDamage(err) {
		return err
	}
	return &fault{what: err.Error()}
}

// noFile refuses a folder, and files that would block when they are opened.
func noFile(path string) *Error {
	return &Error{Path: path, What: "the store's path is no ordinary file",
		Hint: "give the path of a file with --store", Err: fs.ErrInvalid}
}

func locked(path string) *Error {
	e := &Error{Path: path, What: ErrLocked.Error(), Err: ErrLocked,
		Hint: "another sitemend has it open; wait until it ends, or give another file with --store"}
	if who := holder(path); who != "" {
		e.What += " by " + who
	}
	return e
}

// Path returns the path that the store was opened with.
func (s *Store) Path() string { return s.path }

// Salt returns the 16 random bytes of the store, drawn when it was created. Secrets are compared by
// a hash with this salt and never stored themselves. It is nil for a store without an audit that is
// open for reading.
func (s *Store) Salt() []byte { return append([]byte(nil), s.salt...) }

// Close writes what is pending in every open audit and closes the file. It returns the first error
// of these. A second call does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	open := s.open
	s.open = map[string]*Audit{}
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	for _, a := range open {
		errs = append(errs, a.shut())
	}
	return errors.Join(append(errs, s.closeFile())...)
}

func (s *Store) closeFile() error {
	if s.lease != nil {
		return explain(s.path, s.lease.end())
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.reader.pause()
	if s.stuck || s.dead.Load() {
		s.abandon()
		return nil
	}
	return explain(s.path, guard(s.db.Close))
}

// abandon releases the file where bbolt cannot close it any more, because a transaction that ended
// in a panic holds its locks. The mapping stays.
func (s *Store) abandon() {
	if s.file != nil {
		_ = unlock(s.file) // an error means that it is closed already
		_ = s.file.Close()
	}
}

// write runs fn in a writable transaction and commits it. All writing goes through write. It must
// not be called within a transaction.
func (s *Store) write(fn func(tx *bbolt.Tx) error) error {
	if s.readOnly {
		return explain(s.path, ErrReadOnly)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.stuck || s.dead.Load() {
		return damaged(s.path, "it was met earlier")
	}
	s.reader.pause()
	defer s.reader.resume()
	err := guard(func() error { return s.db.Update(fn) })
	if caught(err) {
		s.stuck = true
	}
	return explain(s.path, err)
}

// view runs fn in a read-only transaction of its own.
func (s *Store) view(fn func(tx *bbolt.Tx) error) error {
	if err := s.enter(); err != nil {
		return explain(s.path, err)
	}
	defer s.leave()
	return explain(s.path, s.inTx(fn))
}

// inTx is view for a caller that has entered.
func (s *Store) inTx(fn func(tx *bbolt.Tx) error) error {
	tx, err := s.begin()
	if err != nil {
		return err
	}
	err = guard(func() error { return fn(tx) })
	return errors.Join(err, guard(tx.Rollback))
}

// begin opens a read-only transaction for a caller that has entered. bbolt holds two of its locks
// while it reads the header; a fault there leaves them held, and the next caller would wait for
// ever.
func (s *Store) begin() (tx *bbolt.Tx, err error) {
	if s.dead.Load() {
		return nil, &fault{what: "its header cannot be read any more"}
	}
	err = guard(func() error {
		tx, err = s.db.Begin(false)
		return err
	})
	if caught(err) {
		s.dead.Store(true)
	}
	return tx, err
}

// caught reports whether err was a panic, which may have left bbolt's locks held.
func caught(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.caught
}
