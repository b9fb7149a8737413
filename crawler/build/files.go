package build

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// walk returns the names of the files below a root, with slashes and sorted, and of what is not
// served: links that lead out of it or to folders, special files, and what cannot be read. A link
// to a file below the root counts as that file. The properties of each file are written to sum.
func walk(root *os.Root, sum io.Writer) (names, left []string, err error) {
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() || err != nil && name == "." {
			return err
		}
		info, failed := root.Stat(name) // it refuses a link out of the folder
		if err != nil || failed != nil || !info.Mode().IsRegular() {
			left = append(left, name)
			return nil
		}
		names = append(names, name)
		fmt.Fprintln(sum, name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return names, left, err
}

// open opens a file of the build; it is an error where it is not a regular file any more.
func (b *Build) open(name string) (*os.File, int64, error) { return regular(name, b.root.OpenFile) }

// regular opens a regular file, and returns its size. It does not block on a named pipe.
func regular(at string, open func(string, int, os.FileMode) (*os.File, error)) (*os.File, int64, error) {
	f, err := open(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
