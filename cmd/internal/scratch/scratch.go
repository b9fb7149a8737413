// Package scratch makes folders for temporary files, removes those left by killed processes, and
// replaces files atomically.
package scratch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// names is the pattern of scratch folders; lockName is the lock in each, markName the file whose
// content markText marks the folder as ours: a user may have made a folder of such a name, which
// must not be removed. Lock and mark are two files, because on Windows a locked file can be read
// and written only through the handle that has the lock.
const (
	names    = "sitemend-*"
	lockName = ".lock"
	markName = ".sitemend"
	markText = "This folder is temporary; sitemend removes it.\n"
)

// A Folder is a folder for the temporary files of this process, in the system's temporary folder.
// It is locked: the next process removes the folder of a process that was killed, but not that of a
// running one. Nobody else can write to it, so nobody can make it, or another folder, look like one
// that was left.
type Folder struct {
	Dir  string
	lock *flock.Flock
}

// New makes a folder that only this user can read. The caller must call Close.
func New() (*Folder, error) {
	Sweep()
	dir, err := os.MkdirTemp("", names)
	if err != nil {
		return nil, err
	}
	s := &Folder{Dir: dir, lock: flock.New(filepath.Join(dir, lockName),
		flock.SetFlag(os.O_CREATE|os.O_EXCL|os.O_RDWR), flock.SetPermissions(0o600))}
	// Without a lock there is no mark, so the folder is not taken for one that was left. The mark
	// is written after the lock: Sweep ignores folders without a mark.
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
	err := os.RemoveAll(s.Dir) // still locked
	unlocked := s.lock.Close()
	if err != nil { // Windows does not remove open files
		err = os.RemoveAll(s.Dir)
	}
	return errors.Join(err, unlocked)
}

// Sweep removes the scratch folders that processes of this user left behind. Folders that cannot be
// removed stay.
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

// left reports whether a folder is a Folder of this user whose lock nobody holds any more.
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
	// do not create the lock file
	held := flock.New(filepath.Join(os.TempDir(), filepath.FromSlash(lock)),
		flock.SetFlag(os.O_RDWR))
	free, err := held.TryLock()
	return errors.Join(err, held.Close()) == nil && free
}
