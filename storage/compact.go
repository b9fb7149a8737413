package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// compactFrom is how many bytes have to be free in a file before it is written anew; that must be
// at least half of the file, too. compactStep is how many are copied in one transaction.
const (
	compactFrom = 1 << 20
	compactStep = 1 << 20
)

// Compact writes the store at path anew where at least half of it is free, and gives the free space
// back to the system. It returns how many bytes that was; 0 where it did nothing. Like Open it
// needs the store for itself, and space for the new file.
//
// The new file is complete and on disk before it takes the name of the old one, while the old one
// is still locked. A process that waits for that lock then finds that it got the lock of a file
// without a name, and opens the new one (see openDB): so a process that is killed at any moment
// leaves either file, and no process writes to a file that others do not read. On Windows, which
// does not rename open files, Compact does nothing.
func Compact(path string, opts ...Option) (saved int64, err error) {
	if runtime.GOOS == "windows" {
		return 0, nil
	}
	s := newStore(path, opts)
	s.counts = true
	if !s.noLink {
		if s.path, err = filepath.EvalSymlinks(path); err != nil {
			return 0, explain(path, err)
		}
	}
	if err := s.openFile(); err != nil {
		return 0, explain(path, err)
	}
	before, err := s.file.Stat()
	free := int64(s.db.Stats().FreePageN * s.db.Info().PageSize)
	if err == nil && free >= compactFrom && free >= before.Size()/2 {
		saved, err = s.compact(before)
	}
	return saved, errors.Join(explain(path, err), s.Close())
}

// compact replaces the file by a copy without free pages.
func (s *Store) compact(before os.FileInfo) (saved int64, err error) {
	part := s.compactPart()
	defer os.Remove(part) // after a success the file has another name
	if err := guard(func() error { return copyInto(part, s.db) }); err != nil {
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

// copyInto copies from to a new file, and syncs it. It opens no file or link of that name.
func copyInto(part string, from *bbolt.DB) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	to, err := bbolt.Open(part, 0o600, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(name, flag|os.O_EXCL, mode)
		}})
	if err != nil {
		return err
	}
	err = bbolt.Compact(to, from, compactStep)
	return errors.Join(err, to.Sync(), to.Close())
}

// compactPart returns the path of the new file: beside the old one, after links are resolved. A
// file that a killed process left there is removed when the store is next opened for writing.
func (s *Store) compactPart() string {
	path := s.path
	if real, err := filepath.EvalSymlinks(path); err == nil && !s.noLink {
		path = real
	}
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".sitemend-new")
}
