package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// scratchNames are scratch folders; scratchLock is the lock in each, scratchMark the file
// that says what it is, in the words scratchText: a user may well have a folder of this
// name himself, which is not ours to remove. They are two files, for Windows lets nobody
// read or write what is locked but through the handle that has the lock.
const (
	scratchNames = "sitemend-*"
	scratchLock  = ".lock"
	scratchMark  = ".sitemend"
	scratchText  = "This folder is temporary; sitemend removes it.\n"
)

// A scratch is a folder for the temporary files of this process, in the system's. It
// is kept under lock: what a process leaves there that was killed is removed by the
// next, and what a living one has there is not. Nobody else can write to it, so nobody
// else can have it, or another folder, taken for one that was left.
type scratch struct {
	dir  string
	lock *flock.Flock
}

// newScratch makes a folder that only this user can read. Close must be called.
func newScratch() (*scratch, error) {
	sweepScratch()
	dir, err := os.MkdirTemp("", scratchNames)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir, lock: flock.New(filepath.Join(dir, scratchLock), flock.SetFlag(os.O_CREATE|os.O_EXCL|os.O_RDWR), flock.SetPermissions(0o600))}
	// Where nothing can be locked there is no mark, so nobody takes it for left. The
	// mark comes behind the lock: a sweep leaves alone what has none.
	if locked, err := s.lock.TryLock(); err == nil && locked {
		err = os.WriteFile(filepath.Join(dir, scratchMark), []byte(scratchText), 0o600)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close removes the folder.
func (s *scratch) Close() error {
	err := os.RemoveAll(s.dir) // still under lock
	unlocked := s.lock.Close()
	if err != nil { // Windows keeps what is open
		err = os.RemoveAll(s.dir)
	}
	return errors.Join(err, unlocked)
}

// sweepScratch removes the scratch folders of processes of this user that ended
// without doing so. What cannot be removed stays.
func sweepScratch() {
	temporary, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return
	}
	defer temporary.Close()
	names, _ := fs.Glob(temporary.FS(), scratchNames) // the pattern is well-formed
	for _, name := range names {
		if left(temporary, name) {
			_ = temporary.RemoveAll(name) // it does not follow links
		}
	}
}

// left tells whether a folder is a scratch of this user and nobody holds its lock any
// more.
func left(temporary *os.Root, name string) bool {
	info, err := temporary.Lstat(name)
	if err != nil || !info.IsDir() || !private(info) {
		return false
	}
	lock, mark := name+"/"+scratchLock, name+"/"+scratchMark
	for _, file := range []string{lock, mark} {
		if info, err := temporary.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	f, err := temporary.Open(mark)
	if err != nil {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(len(scratchText))+1))
	if err = errors.Join(err, f.Close()); err != nil || string(text) != scratchText {
		return false
	}
	held := flock.New(filepath.Join(os.TempDir(), filepath.FromSlash(lock)), flock.SetFlag(os.O_RDWR)) // does not make it anew
	free, err := held.TryLock()
	return errors.Join(err, held.Close()) == nil && free
}
