package storage

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// compactFrom is how much has to be free in a file before it is written anew, in
// bytes; half of the file has to be, too.
const compactFrom = 1 << 20

// compactStep is how much is copied in one transaction.
const compactStep = 1 << 20

// Compact writes the store at path anew where at least half of it is free, and gives
// that back to the system. It returns how many bytes that was, 0 where it was not worth
// it. It needs the store for itself, as Open does, and room for what is left.
//
// The new file is whole and on disk before it takes the name of the old one, while the
// old one is still locked. Who waits for that lock finds out that it got that of a file
// that has no name any more, and opens the new one (see openDB): so a process that is
// killed at any moment leaves the one or the other, and nobody writes where nobody
// reads. Windows does not rename what is open; there nothing is done.
func Compact(path string, opts ...Option) (saved int64, err error) {
	if runtime.GOOS == "windows" {
		return 0, nil
	}
	s := newStore(path, opts)
	s.counted = true
	if !s.noLink {
		if s.path, err = filepath.EvalSymlinks(path); err != nil {
			return 0, explain(path, err)
		}
	}
	if err := s.openFile(); err != nil {
		return 0, err
	}
	before, err := s.file.Stat()
	if err == nil && worthIt(s.db.Stats().FreePageN*s.db.Info().PageSize, before.Size()) {
		saved, err = s.compact(before)
	}
	return saved, errors.Join(explain(path, err), s.Close())
}

func worthIt(free int, size int64) bool { return free >= compactFrom && int64(free) >= size/2 }

// compact puts a copy without what is free in the place of the file.
func (s *Store) compact(before os.FileInfo) (saved int64, err error) {
	part := s.compactPart()
	defer os.Remove(part) // it has another name where all went well
	err = guard(func() error { return copyInto(part, s.db) })
	if err != nil {
		return 0, err
	}
	if err := likeBefore(part, before); err != nil {
		return 0, err
	}
	after, err := os.Stat(part)
	if err != nil {
		return 0, err
	}
	if err := os.Rename(part, s.path); err != nil {
		return 0, err
	}
	return before.Size() - after.Size(), syncDir(filepath.Dir(s.path))
}

// copyInto writes what is in from to a new file, and to the disk.
func copyInto(part string, from *bbolt.DB) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	to, err := bbolt.Open(part, 0o600,
		&bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType, Timeout: lockWait,
			OpenFile: openNew})
	if err != nil {
		return err
	}
	err = bbolt.Compact(to, from, compactStep)
	return errors.Join(err, to.Sync(), to.Close())
}

// openNew opens a file for bbolt that is not there yet, nor a link of its name.
func openNew(name string, flag int, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag|os.O_EXCL, mode)
}

// compactPart is where the new file is written: beside the old one, wherever a link
// to that lies. What a killed process left there is removed when the store is opened for
// writing next.
func (s *Store) compactPart() string {
	path := s.path
	if real, err := filepath.EvalSymlinks(path); err == nil && !s.noLink {
		path = real
	}
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".sitemend-new")
}

// inPlace reports whether the file that is open still has its name.
func (s *Store) inPlace() bool {
	opened, err := s.file.Stat()
	if err != nil || runtime.GOOS == "windows" { // the next look at it says so; it is never renamed
		return true
	}
	named, err := s.look()
	return err == nil && os.SameFile(opened, named)
}
