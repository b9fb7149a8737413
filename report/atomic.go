package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// stagingName is where the outputs of a directory are written before they are
// renamed. It lies in that directory, so on the same file system.
const stagingName = ".sitemend-new"

// staging writes a set of files beside their targets and puts them in place
// together. Nothing of the targets is touched before commit, so a run that
// fails or is killed while writing leaves the old files whole.
type staging struct {
	dir   string // the targets' directory
	tmp   string
	count int
	ready []staged
}

type staged struct {
	from string
	name string // relative to dir, with slashes
}

// stage makes dir, where it does not exist, and a place in it for new files.
// What a killed run left in that place is removed.
func stage(dir string) (*staging, error) {
	tmp := filepath.Join(dir, stagingName)
	if err := os.RemoveAll(tmp); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return nil, err
	}
	return &staging{dir: dir, tmp: tmp}, nil
}

// write stages one file: name relative to the directory, with slashes, its
// content written by fill. It may be called again from within fill.
func (s *staging) write(name string, fill func(io.Writer) error) (err error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name for a file of %s", name, s.dir)
	}
	from := filepath.Join(s.tmp, strconv.Itoa(s.count))
	s.count++
	f, err := os.Create(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fill(w); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.ready = append(s.ready, staged{from, name})
	return nil
}

// forget takes back the file that was staged last under name.
func (s *staging) forget(name string) {
	for i := len(s.ready) - 1; i >= 0; i-- {
		if s.ready[i].name == name {
			s.ready = append(s.ready[:i], s.ready[i+1:]...)
			return
		}
	}
}

// commit renames every staged file to its target, in the order of staging. One
// that cannot be put in place (it is open in a program that locks it) does not
// hinder the others; the errors are joined.
func (s *staging) commit() error {
	var errs []error
	for _, f := range s.ready {
		to := filepath.Join(s.dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			errs = append(errs, err)
			continue
		}
		if err := os.Rename(f.from, to); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// names returns the names of what is staged.
func (s *staging) names() []string {
	names := make([]string, len(s.ready))
	for i, f := range s.ready {
		names[i] = f.name
	}
	return names
}

// close removes the place for new files and what was not put in its place.
func (s *staging) close() error { return os.RemoveAll(s.tmp) }
