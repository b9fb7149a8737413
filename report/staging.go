package report

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

const (
	sitemapsDir  = "sitemaps"
	originalsDir = "originals"
	summaryName  = "summary.json"

	// stagingName is where the outputs of a directory are written before they are renamed. It lies
	// in that directory, so on the same file system.
	stagingName = ".sitemend-new"

	// lockEvery is how often is looked whether another run has written its outputs.
	lockEvery = 50 * time.Millisecond
)

// A Record is what somebody remembers of the files that were written to a directory and that must
// not outlive their audit. What lies in the directory itself is asked for no names: whoever can
// write there could have any file removed.
type Record struct {
	// Written are the names of such files that earlier runs wrote there, relative to
	// it, with slashes.
	Written []string
	// Keep remembers names in place of Written. It is called before the first of
	// them is there, with those of before, and where it fails nothing is touched; and
	// once more when those of before are gone. Required.
	Keep func(names []string) error
}

// staging writes a set of files beside their targets and puts them in place together. Nothing of the
// targets is touched before place, so a run that fails or is killed while writing leaves the old files
// whole. All names are relative to the directory, with slashes, and none leads out of it through a link.
type staging struct {
	dir    string
	in     *os.Root // the directory
	tmp    *os.Root // the place for new files in it
	lock   *flock.Flock
	count  int
	ready  []staged
	record Record
}

type staged struct{ from, name string } // from in tmp, name in the directory

// stage makes dir, where it does not exist, and a place in it for new files. What a killed run left in
// that place is removed; one that is at work there is waited for until ctx ends, for the outputs of one
// audit belong together. Where the file system cannot lock, it is not locked.
func stage(ctx context.Context, dir string, record *Record) (*staging, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &staging{dir: dir, record: Record{Keep: func([]string) error { return nil }}, lock: flock.New(dir, flock.SetFlag(os.O_RDONLY))}
	if record != nil {
		s.record = *record
	}
	if runtime.GOOS == "windows" { // where a file has to lie there to be locked
		s.lock = flock.New(filepath.Join(dir, ".sitemend-lock"))
	}
	_, _ = s.lock.TryLockContext(ctx, lockEvery)
	err := ctx.Err()
	if err == nil {
		s.in, err = os.OpenRoot(dir)
	}
	if err == nil { // whatever else has its name goes, too
		err = errors.Join(s.in.RemoveAll(stagingName), s.in.Mkdir(stagingName, 0o700))
	}
	if err == nil {
		s.tmp, err = s.in.OpenRoot(stagingName)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close removes the place for new files and what was not put in its place, and lets the next one in.
func (s *staging) close() error {
	var errs []error
	if s.tmp != nil {
		errs = append(errs, s.tmp.Close(), s.in.RemoveAll(stagingName))
	}
	if s.in != nil {
		errs = append(errs, s.in.Close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

// write stages one file, its content written by fill until ctx ends. It may be called again from
// within fill.
func (s *staging) write(ctx context.Context, name string, fill func(io.Writer) error) error {
	f, err := s.create(ctx, name)
	if err != nil {
		return err
	}
	return f.close(ground.Guard(func() error { return fill(f) }))
}

// A newFile is a file that is being staged. It fails when ctx has ended.
type newFile struct {
	*bufio.Writer
	s    *staging
	ctx  context.Context
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
	return &newFile{bufio.NewWriterSize(f, 64<<10), s, ctx, f, staged{from, name}}, nil
}

// close stages the file where err, of writing it, is nil. It returns err, or what went wrong then,
// with the file's name.
func (f *newFile) close(err error) error {
	if err == nil {
		err = cmp.Or(f.Flush(), f.ctx.Err(), f.file.Sync())
	}
	err = cmp.Or(err, f.file.Close())
	switch {
	case err == nil:
		f.s.ready = append(f.s.ready, f.staged)
	case !strings.HasPrefix(err.Error(), f.name):
		err = fmt.Errorf("%s: %w", f.name, err)
	}
	return err
}

// at is where in ready the file is that was staged under name; -1 for none.
func (s *staging) at(name string) int {
	return slices.IndexFunc(s.ready, func(f staged) bool { return f.name == name })
}

// forget takes back the file that was staged under name.
func (s *staging) forget(name string) {
	s.ready = slices.DeleteFunc(s.ready, func(f staged) bool { return f.name == name })
}

// read hands fn the file that was staged under name. A panic in fn is an error.
func (s *staging) read(name string, fn func(io.Reader) error) error {
	i := s.at(name)
	if i < 0 {
		return fmt.Errorf("%s is not staged", name)
	}
	f, err := s.tmp.Open(s.ready[i].from)
	if err != nil {
		return err
	}
	defer f.Close()
	return ground.Guard(func() error { return fn(f) })
}

// names returns the names of what is staged.
func (s *staging) names() []string {
	names := make([]string, len(s.ready))
	for i, f := range s.ready {
		names[i] = f.name
	}
	return names
}

// place renames every staged file to its target, in the order of staging, and removes what earlier
// runs wrote that is not replaced, except what stays.
func (s *staging) place(stays func(name string) bool) error {
	names := s.names()
	stale, kept := []string{}, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !ofOneAudit(name) })
	for _, name := range s.record.Written {
		switch {
		case slices.Contains(names, name) || !ofOneAudit(name):
		case stays(name):
			kept = append(kept, name)
		default:
			stale = append(stale, name)
		}
	}
	if err := s.record.keep(slices.Concat(kept, stale)); err != nil {
		return err
	}
	if err := s.remove(stale); err != nil {
		return err
	}
	for _, f := range s.ready {
		err := s.in.MkdirAll(path.Dir(f.name), 0o777)
		if err == nil {
			err = s.in.Rename(stagingName+"/"+f.from, f.name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", pathOf(s.in, f.name), err)
		}
	}
	return s.record.keep(kept) // somebody else may take the other names
}

// keep has names remembered, unless they are already.
func (r *Record) keep(names []string) error {
	distinct := func(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
	names = distinct(names)
	if slices.Equal(names, distinct(r.Written)) {
		return nil
	}
	r.Written = names
	return r.Keep(names)
}

// ofOneAudit reports whether a file must not outlive its audit: each of ours but those that every audit
// writes anew.
func ofOneAudit(name string) bool {
	under := strings.HasPrefix(name, sitemapsDir+"/") || strings.HasPrefix(name, originalsDir+"/")
	return under && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) || slices.Contains(Tables(), name) || isFormat(name)
}

// foreign reports whether a table does not begin as ours of that name does: it is somebody's own by now.
func (s *staging) foreign(name string) bool {
	for _, t := range allTables(context.Background(), &audit.Result{}, nil) {
		if t.file != name {
			continue
		}
		ours := bom + strings.Join(t.names, ",") + "\r\n"
		begin := make([]byte, len(ours))
		if f, err := s.in.Open(name); err == nil {
			_, _ = io.ReadFull(f, begin) // what is shorter is another, too
			_ = f.Close()
		}
		return string(begin) != ours
	}
	return false
}

// remove removes what earlier runs wrote, and the folders that this empties. Originals go last: a
// corrected sitemap is never there without.
func (s *staging) remove(stale []string) error {
	slices.Sort(stale)
	for _, name := range slices.Backward(stale) {
		info, err := s.in.Lstat(name)
		if absent(err) || err == nil && (!info.Mode().IsRegular() || s.foreign(name)) {
			continue // what we wrote is an ordinary file
		}
		if err == nil {
			err = s.in.Remove(name)
		}
		if err != nil {
			return err
		}
		for up := path.Dir(name); up != "." && s.in.Remove(up) == nil; { // until one is not empty
			up = path.Dir(up)
		}
	}
	return nil
}

// left are the files under sitemaps/, and those with the name of an output, that this audit did not write,
// nor an earlier one that the record knows: of an audit in another store, or somebody's own.
func (s *staging) left() (names []string) {
	known := slices.Sorted(slices.Values(slices.Concat(s.names(), s.record.Written)))
	// What cannot be looked at is not named.
	_ = fs.WalkDir(s.in.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != "." && !strings.HasPrefix(name+"/", sitemapsDir+"/") {
			return fs.SkipDir
		}
		if _, ours := slices.BinarySearch(known, name); err == nil && d.Type().IsRegular() && ofOneAudit(name) && !ours {
			names = append(names, name)
		}
		return nil
	})
	return names
}

// absent reports whether an error says that a file is not there, nor can be.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// pathOf is a name in a directory as the user knows it.
func pathOf(in *os.Root, name string) string { return strings.TrimSuffix(in.Name(), "/") + "/" + name }
