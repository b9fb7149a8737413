package build

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Left counts the files of the folder that are not served, with the first of each kind.
type Left struct {
	Links, Special, Unreadable int
	Link, Odd, Unread          string

	hidden []string // all names except those of special files: their content is not known
}

// walk returns the names of the files below a root, with slashes and sorted. A link to a file below
// the root counts as that file. The properties of each file are written to sum.
func walk(root *os.Root, sum io.Writer) (names []string, left Left, err error) {
	take := func(name string, info fs.FileInfo, err error) {
		if err != nil { // it was removed meanwhile
			return
		}
		names = append(names, name)
		fmt.Fprintln(sum, name, info.Size(), info.ModTime().UnixNano())
	}
	note := func(n *int, first *string, name string) {
		if *n++; *n == 1 {
			*first = name
		}
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			note(&left.Unreadable, &left.Unread, name)
			left.hidden = append(left.hidden, name)
			return nil
		case d.Type().IsRegular():
			info, err := d.Info()
			take(name, info, err)
		case d.Type()&fs.ModeSymlink != 0:
			// os.Root refuses a link out of the folder.
			if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
				take(name, info, nil)
			} else {
				note(&left.Links, &left.Link, name)
				left.hidden = append(left.hidden, name)
			}
		case !d.IsDir():
			note(&left.Special, &left.Odd, name)
		}
		return nil
	})
	return names, left, err
}

// open opens a file of the build; it is an error where it is not a regular file any more. It does
// not block on a named pipe.
func (b *Build) open(name string) (*os.File, int64, error) {
	f, err := b.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
