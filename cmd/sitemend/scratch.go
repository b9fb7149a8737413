package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// scratchNames are the locks of scratch folders: each lies beside its folder, which
// has its name without the end. scratchMark is what stands in a lock: a user may well
// have a lock of this name for a folder of his own (flock in a crontab), which is not
// ours to remove.
const (
	scratchNames = "sitemend-*" + scratchEnd
	scratchEnd   = ".lock"
	scratchMark  = "The folder of this name is temporary; sitemend removes it with this file.\n"
)

// A scratch is a folder for the temporary files of this process, in the system's. It
// is kept under lock: what a process leaves there that was killed is removed by the
// next, and what a living one has there is not.
type scratch struct {
	dir  string
	lock *flock.Flock
}

// newScratch makes a folder that only this user can read. Close must be called.
func newScratch() (*scratch, error) {
	sweepScratch()
	for {
		f, err := os.CreateTemp("", scratchNames)
		if err != nil {
			return nil, err
		}
		_, err = f.WriteString(scratchMark)
		info, statErr := f.Stat()
		if err = errors.Join(err, statErr, f.Close()); err != nil {
			return nil, errors.Join(err, os.Remove(f.Name()))
		}
		s := &scratch{dir: strings.TrimSuffix(f.Name(), scratchEnd), lock: flock.New(f.Name())}
		locked, err := s.lock.TryLock()
		if err != nil { // nothing can be locked here, so nobody takes it for left
			locked, err = true, nil
		}
		// A sweep in between took the file for one that was left, and removed it.
		still, statErr := os.Stat(f.Name())
		if !locked || statErr != nil || !os.SameFile(info, still) {
			_ = s.lock.Close() // it is of no use
			continue
		}
		if err := os.Mkdir(s.dir, 0o700); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
}

// Close removes the folder.
func (s *scratch) Close() error {
	err := os.RemoveAll(s.dir)
	open := os.Remove(s.lock.Path()) != nil // Windows keeps what is open
	err = errors.Join(err, s.lock.Close())
	if open {
		_ = os.Remove(s.lock.Path()) // else the next sweep does it
	}
	return err
}

// sweepScratch removes the scratch folders of processes that ended without doing so.
// What cannot be removed (it is another user's) stays.
func sweepScratch() {
	locks, _ := fs.Glob(os.DirFS(os.TempDir()), scratchNames) // the pattern is well-formed
	for _, name := range locks {
		name = filepath.Join(os.TempDir(), name)
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(scratchMark)) {
			continue
		}
		if mark, err := os.ReadFile(name); err != nil || string(mark) != scratchMark {
			continue
		}
		lock := flock.New(name, flock.SetFlag(os.O_RDWR)) // does not make it anew
		if left, err := lock.TryLock(); err != nil || !left {
			continue
		}
		s := &scratch{dir: strings.TrimSuffix(name, scratchEnd), lock: lock}
		_ = s.Close()
	}
}
