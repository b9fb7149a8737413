package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errLink is the error for a link where a file or a folder of ours should be. Whoever could put one
// there would make us write or remove files elsewhere with our rights.
var errLink = errors.New("a link stands in its place, and nothing is written or removed through one")

const hintLink = "remove the link, or name another --store"

// errFile is the error for a file where a folder of ours should be.
var errFile = errors.New("a file stands in its place, and it is to be a folder")

// errUnnamed is the error for a link in place of a store that the user did not name: another user
// who could put one there would make us write to another store, and remove audits there.
var errUnnamed = errors.New("a link stands in its place, and one is followed only where --store names it")

// An Option changes how a store is opened.
type Option func(*Store)

// NoLink refuses a link in place of the store's file, wherever it leads. It is for a path that the
// user did not name.
func NoLink(s *Store) { s.noLink = true }

// look is os.Stat for the store's file.
func (s *Store) look() (os.FileInfo, error) {
	if !s.noLink {
		return os.Stat(s.path)
	}
	info, err := os.Lstat(s.path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = errUnnamed
	}
	return info, err
}

// openPlain opens a folder in root that is no link; where it does not exist, make creates it.
func openPlain(root *os.Root, name string, make bool) (*os.Root, error) {
	if make {
		if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	want, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if want.Mode().IsRegular() {
		return nil, errFile
	}
	if !want.IsDir() {
		return nil, errLink
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := sub.Stat(".")
	if err == nil && !os.SameFile(want, got) { // replaced meanwhile
		err = errLink
	}
	if err != nil {
		return nil, errors.Join(err, sub.Close())
	}
	return sub, nil
}

// openSpoolRoot opens the folder of all spools.
func (s *Store) openSpoolRoot(make bool) (*os.Root, error) {
	path := s.spoolRoot()
	beside, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, explain(path, err)
	}
	root, err := openPlain(beside, filepath.Base(path), make)
	return root, errors.Join(explainLink(path, err), beside.Close())
}

// openSpoolDir opens the spool folder of an audit.
func (s *Store) openSpoolDir(id string, make bool) (*os.Root, error) {
	root, err := s.openSpoolRoot(make)
	if err != nil {
		return nil, err
	}
	dir, err := openPlain(root, id, make)
	return dir, errors.Join(explainLink(s.spoolDir(id), err), root.Close())
}

// explainLink is explain, with a hint for a link.
func explainLink(path string, err error) error {
	if errors.Is(err, errUnnamed) {
		return &Error{Path: path, What: errUnnamed.Error(),
			Hint: "if the link is yours, name it: --store FILE; if not, remove it", Err: err}
	}
	if errors.Is(err, errFile) {
		return &Error{Path: path, What: errFile.Error(),
			Hint: "remove or rename that file, or name another --store", Err: err}
	}
	if errors.Is(err, errLink) {
		return &Error{Path: path, What: errLink.Error(), Hint: hintLink, Err: err}
	}
	return explain(path, err)
}

// openFresh opens a store's file for bbolt. It does not create a missing or empty one through a
// link, which may lead to an empty file that is not ours.
func (s *Store) openFresh(name string, flag int, mode os.FileMode) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return os.OpenFile(name, flag|noFollow, mode)
	}
	if s.noLink { // the link appeared after look
		return nil, errUnnamed
	}
	f, err := os.OpenFile(name, flag&^os.O_CREATE, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", errLink, err)
	}
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && info.Size() == 0 {
		err = errLink
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
