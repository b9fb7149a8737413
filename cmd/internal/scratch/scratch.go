// Package scratch makes folders for temporary files, removes those of processes that were killed,
// and replaces files whole.
package scratch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// names are scratch folders; lockName is the lock in each, markName the file
// that says what it is, in the words markText: a user may well have a folder of this
// name himself, which is not ours to remove. They are two files, for Windows lets nobody
// read or write what is locked but through the handle that has the lock.
const (
	names    = "sitemend-*"
	lockName = ".lock"
	markName = ".sitemend"
	markText = "This folder is temporary; sitemend removes it.\n"
)

// A Folder is a folder for the temporary files of this process, in the system's. It
// is kept under lock: what a process leaves there that was killed is removed by the
// next, and what a living one has there is not. Nobody else can write to it, so nobody
// else can have it, or another folder, taken for one that was left.
type Folder struct {
	Dir  string
	lock *flock.Flock
}

// New makes a folder that only this user can read. Close must be called.
func New() (*Folder, error) {
	Sweep()
	dir, err := os.MkdirTemp("", names)
	if err != nil {
		return nil, err
	}
	s := &Folder{Dir: dir, lock: flock.New(filepath.Join(dir, lockName),
		flock.SetFlag(os.O_CREATE|os.O_EXCL|os.O_RDWR), flock.SetPermissions(0o600))}
	// Where nothing can be locked there is no mark, so nobody takes it for left. The
	// mark comes behind the lock: a sweep leaves alone what has none.
	if locked, err := s.lock.TryLock(); err == nil && locked {
		err = os.WriteFile(filepath.Join(dir, markName), []byte(markText), 0o600)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close removes the folder.
func (s *Folder) Close() error {
	err := os.RemoveAll(s.Dir) // still under lock
	unlocked := s.lock.Close()
	if err != nil { // Windows keeps what is open
		err = os.RemoveAll(s.Dir)
	}
	return errors.Join(err, unlocked)
}

// Sweep removes the scratch folders of processes of this user that ended
// without doing so. What cannot be removed stays.
func Sweep() {
	temporary, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return
	}
	defer temporary.Close()
	found, _ := fs.Glob(temporary.FS(), names) // the pattern is well-formed
	for _, name := range found {
		if left(temporary, name) {
			_ = temporary.RemoveAll(name) // it does not follow links
		}
	}
}

// left reports whether a folder is a Folder of this user and nobody holds its lock any
// more.
func left(temporary *os.Root, name string) bool {
	info, err := temporary.Lstat(name)
	if err != nil || !info.IsDir() || !private(info) {
		return false
	}
	lock, mark := name+"/"+lockName, name+"/"+markName
	for _, file := range []string{lock, mark} {
		if info, err := temporary.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	f, err := temporary.Open(mark)
	if err != nil {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(len(markText))+1))
	if err = errors.Join(err, f.Close()); err != nil || string(text) != markText {
		return false
	}
	// does not make it anew
	held := flock.New(filepath.Join(os.TempDir(), filepath.FromSlash(lock)),
		flock.SetFlag(os.O_RDWR))
	free, err := held.TryLock()
	return errors.Join(err, held.Close()) == nil && free
}
