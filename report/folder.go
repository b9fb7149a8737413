package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// A folder is a directory that files are written to and removed from, by names
// relative to it, with slashes. Nothing in it is reached through a link: who could
// put one there would have us write or remove files elsewhere with our rights.
type folder struct{ *os.Root }

// errLink is what a link is where a folder of ours should be.
const errLink = "a link, and nothing is written or removed through one"

// An ObstacleError says that something which is not ours stands where a file or a folder of the
// outputs is to be.
type ObstacleError struct {
	Path string
	Is   string // "a folder"
}

// Error says what stands where.
func (e *ObstacleError) Error() string { return e.Path + " is " + e.Is }

// Hint returns what the user can do.
func (e *ObstacleError) Hint() string {
	return "remove or rename " + e.Path + ", then the same command writes the outputs and asks nothing again; or name another folder with --out"
}

// openFolder opens a directory that the user named, which may be a link itself.
func openFolder(dir string) (folder, error) {
	root, err := os.OpenRoot(dir)
	return folder{root}, err
}

// sub opens a folder in f that is no link.
func (f folder) sub(name string) (folder, error) {
	if err := f.plain(name); err != nil {
		return folder{}, err
	}
	want, err := f.Lstat(name)
	if err != nil {
		return folder{}, err
	}
	root, err := f.OpenRoot(name)
	if err != nil {
		return folder{}, err
	}
	got, err := root.Stat(".")
	if err == nil && !os.SameFile(want, got) { // it was put in its place meanwhile
		err = &ObstacleError{f.path(name), errLink}
	}
	if err != nil {
		return folder{}, errors.Join(err, root.Close())
	}
	return folder{root}, nil
}

// plain returns an error where a name, or a folder on the way to it, is a link.
// What is not there is none.
func (f folder) plain(name string) error {
	for end := 0; end < len(name); end++ {
		end += strings.IndexByte(name[end:]+"/", '/')
		at := name[:end]
		info, err := f.Lstat(at)
		switch {
		case absent(err):
			return nil
		case err != nil:
			return err
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // a junction of Windows is irregular
			return &ObstacleError{f.path(at), errLink}
		}
	}
	return nil
}

// absent reports whether an error says that a file is not there, nor can be.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// plainFolders is plain for the folders on the way to a file.
func (f folder) plainFolders(name string) error { return f.plain(path.Dir(name)) }

// put gives a file in f another name, in place of what has that, with the folders on
// the way to it. A link of that name is replaced, not followed.
func (f folder) put(from, to string) error {
	if err := f.plainFolders(to); err != nil {
		return err
	}
	err := f.MkdirAll(path.Dir(to), 0o777)
	if err == nil {
		err = f.Rename(from, to)
	}
	if err == nil {
		return nil
	}
	if in := f.free(to); in != nil {
		return in
	}
	return fmt.Errorf("%s: %w", f.path(to), err)
}

// free returns an error where something stands in the place of a file that cannot be
// replaced by it, or of a folder on the way to it.
func (f folder) free(name string) error {
	for end := 0; end < len(name); end++ {
		end += strings.IndexByte(name[end:]+"/", '/')
		if err := f.taken(name[:end], end < len(name)); err != nil {
			return err
		}
	}
	return nil
}

// taken returns an error where a file stands in the place of a folder, or a folder in that
// of a file.
func (f folder) taken(name string, dir bool) error {
	switch info, err := f.Lstat(name); {
	case absent(err):
		return nil
	case err != nil:
		return err
	case dir && !info.IsDir():
		return &ObstacleError{f.path(name), "a file, and a folder is to be there"}
	case !dir && info.IsDir():
		return &ObstacleError{f.path(name), "a folder, and a file is to be there"}
	}
	return nil
}

// remove removes an ordinary file, where it is there, and each folder above it that
// is empty then.
func (f folder) remove(name string) error {
	if err := f.plainFolders(name); err != nil {
		return err
	}
	info, err := f.Lstat(name)
	if absent(err) || err == nil && !info.Mode().IsRegular() {
		return nil // what we wrote is an ordinary file
	}
	if err == nil {
		err = f.Remove(name)
	}
	if err != nil {
		return err
	}
	for up := path.Dir(name); up != "."; up = path.Dir(up) {
		if f.Remove(up) != nil {
			return nil // not empty
		}
	}
	return nil
}

// begins reports whether an ordinary file begins with head.
func (f folder) begins(name, head string) bool {
	if info, err := f.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := f.Open(name)
	if err != nil {
		return false
	}
	got := make([]byte, len(head))
	_, err = io.ReadFull(file, got)
	return errors.Join(err, file.Close()) == nil && string(got) == head
}

// path is a name in f as the user knows it.
func (f folder) path(name string) string { return strings.TrimSuffix(f.Name(), "/") + "/" + name }
