package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gofrs/flock"

	"sitemend/crawler/audit"
)

// stagingName is where the outputs of a directory are written before they are
// renamed. It lies in that directory, so on the same file system.
const stagingName = ".sitemend-new"

// staging writes a set of files beside their targets and puts them in place
// together. Nothing of the targets is touched before commit, so a run that
// fails or is killed while writing leaves the old files whole.
type staging struct {
	dir    string // the targets' directory
	in     folder // the same, open
	lock   *flock.Flock
	tmp    folder // the place for new files
	count  int
	ready  []staged
	record *Record
}

type staged struct {
	from string // relative to tmp
	name string // relative to dir, with slashes
}

// stage makes dir, where it does not exist, and a place in it for new files.
// What a killed run left in that place is removed; one that is at work there is
// waited for until ctx ends, for the outputs of one audit belong together. record may
// be nil.
func stage(ctx context.Context, dir string, record *Record) (*staging, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &staging{dir: dir, lock: lock, record: record}
	if s.in, err = openFolder(dir); err == nil {
		err = s.begin()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// begin makes the place for new files. Whatever else has its name goes; a link is
// removed, not followed.
func (s *staging) begin() error {
	err := s.in.RemoveAll(stagingName)
	if err == nil {
		err = s.in.Mkdir(stagingName, 0o700)
	}
	if err == nil {
		s.tmp, err = s.in.sub(stagingName)
	}
	return err
}

// write stages one file: name relative to the directory, with slashes, its
// content written by fill until ctx ends. It may be called again from within fill.
func (s *staging) write(ctx context.Context, name string, fill func(io.Writer) error) error {
	f, err := s.create(ctx, name)
	if err != nil {
		return err
	}
	return f.close(audit.Guard(func() error { return fill(f) }))
}

// A newFile is a file that is being staged.
type newFile struct {
	*bufio.Writer
	s    *staging
	to   stoppable // file
	file *os.File
	staged
}

// create begins to stage a file, as write does. It must be closed.
func (s *staging) create(ctx context.Context, name string) (*newFile, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%q is no name for a file of %s", name, s.dir)
	}
	from := strconv.Itoa(s.count)
	f, err := s.tmp.OpenFile(from, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	s.count++
	to := stoppable{ctx, f}
	return &newFile{bufio.NewWriterSize(to, 64<<10), s, to, f, staged{from, name}}, nil
}

// A stoppable writer fails when its context has ended: so whatever a format writes after its
// last row ends with Ctrl-C, too.
type stoppable struct {
	ctx context.Context
	io.Writer
}

func (s stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

// close stages the file where err, of writing it, is nil. It returns err, or what
// went wrong then, with the file's name.
func (f *newFile) close(err error) error {
	if err == nil {
		err = f.Flush()
	}
	if err == nil {
		err = f.to.ctx.Err()
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err = errors.Join(err, f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	f.s.ready = append(f.s.ready, f.staged)
	return nil
}

// drop ends a file that is not to be staged.
func (f *newFile) drop() { _ = f.file.Close() } // it is removed with the place for new files

// find returns the place in ready of the file that was staged under name; -1 for none.
func (s *staging) find(name string) int {
	return slices.IndexFunc(s.ready, func(f staged) bool { return f.name == name })
}

// forget takes back the file that was staged under name.
func (s *staging) forget(name string) {
	if i := s.find(name); i >= 0 {
		s.ready = slices.Delete(s.ready, i, i+1)
	}
}

// rename gives the file that was staged under a name another one.
func (s *staging) rename(name, to string) {
	if i := s.find(name); i >= 0 {
		s.ready[i].name = to
	}
}

// forgetAll takes back all that was staged.
func (s *staging) forgetAll() { s.ready = nil }

// read hands fn the file that was staged under name. A panic in fn is an error.
func (s *staging) read(name string, fn func(io.Reader) error) error {
	i := s.find(name)
	if i < 0 {
		return fmt.Errorf("%s is not staged", name)
	}
	f, err := s.tmp.Open(s.ready[i].from)
	if err != nil {
		return err
	}
	defer f.Close()
	return audit.Guard(func() error { return fn(f) })
}

// commit renames every staged file to its target, in the order of staging. One
// that cannot be put in place (it is open in a program that locks it) does not
// hinder the others; the errors are joined.
func (s *staging) commit() error {
	var errs []error
	for _, f := range s.ready {
		errs = append(errs, s.in.put(stagingName+"/"+f.from, f.name))
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

// close removes the place for new files and what was not put in its place, and lets
// the next one in.
func (s *staging) close() error {
	var errs []error
	if s.tmp.Root != nil {
		errs = append(errs, s.tmp.Close(), s.in.RemoveAll(stagingName))
	}
	if s.in.Root != nil {
		errs = append(errs, s.in.Close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}
