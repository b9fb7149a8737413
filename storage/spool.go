package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/sitemap"
)

func (s *Store) spoolDir(id string) string { return filepath.Join(s.path+".spool", id) }

// beside opens the folder of the store, through which all that lies beside it is reached: a link
// that leads elsewhere is never followed. Whoever could put one there would make us write or remove
// files with our rights.
func (s *Store) beside() (*os.Root, error) {
	root, err := os.OpenRoot(filepath.Dir(s.path))
	return root, explain(s.path, err)
}

// spoolName is the name of a file of an audit's spool folder, beside the store.
func (s *Store) spoolName(id, name string) string {
	return filepath.Join(filepath.Base(s.path)+".spool", id, name)
}

// checkSpool returns an error where no spool can be written.
func (s *Store) checkSpool() error {
	root, err := s.beside()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Stat(s.spoolName("", ""))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		err = errFile
	}
	return explain(s.path+".spool", err)
}

// removeSpool removes the spool folder of an audit.
func (s *Store) removeSpool(id string) error {
	if s.readOnly {
		return explain(s.path, ErrReadOnly)
	}
	root, err := s.beside()
	if err != nil {
		return err
	}
	defer root.Close()
	return explain(s.spoolDir(id), root.RemoveAll(s.spoolName(id, "")))
}

func (a *Audit) spoolPath(name string) (string, error) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:\x00") {
		return "", fmt.Errorf("spool: %q is not a plain file name", name)
	}
	return filepath.Join(a.s.spoolDir(a.at.ID), name), nil
}

// SpoolWriter creates a file in the audit's spool folder (FILE.spool/<id>/name), in place of one
// with that name. Whatever is written to it is packed with gzip (RFC 1952). When Close has returned nil the file has its name, and survives a power
// loss. name must be a plain file name that does not begin with a dot.
func (a *Audit) SpoolWriter(name string) (io.WriteCloser, error) {
	path, err := a.spoolPath(name)
	if err != nil {
		return nil, err
	}
	root, file, err := a.createSpooled("." + name + ".part")
	if err != nil {
		return nil, err
	}
	w := &spoolWriter{path: path, root: root, name: a.s.spoolName(a.at.ID, name), part: a.s.spoolName(a.at.ID, "."+name+".part"), file: file}
	w.z, err = gzip.NewWriterLevel(w.file, gzip.BestSpeed) // sitemaps compress well, and time matters more
	return w, err
}

// createSpooled creates a file of the audit's spool folder, in place of one that a killed process left. It
// is reached through root, which is to be closed.
func (a *Audit) createSpooled(name string) (root *os.Root, f *os.File, err error) {
	if a.s.readOnly {
		return nil, nil, explain(a.s.path, ErrReadOnly)
	}
	if root, err = a.s.beside(); err != nil {
		return nil, nil, err
	}
	name = a.s.spoolName(a.at.ID, name)
	if err = root.MkdirAll(filepath.Dir(name), 0o755); err == nil {
		_ = root.Remove(name)
		f, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	}
	if err != nil {
		return nil, nil, errors.Join(explain(a.s.path+".spool", err), root.Close())
	}
	return root, f, nil
}

// A spoolWriter packs into a file beside path, and renames it when it is complete.
type spoolWriter struct {
	path       string // for errors
	root       *os.Root
	name, part string
	file       *os.File
	z          *gzip.Writer
	err        error
}

// Write packs p.
func (w *spoolWriter) Write(p []byte) (n int, err error) {
	if w.file == nil {
		return 0, explain(w.path, fs.ErrClosed)
	}
	if w.err == nil {
		n, w.err = w.z.Write(p)
	}
	return n, explain(w.path, w.err)
}

// Close writes the rest and gives the file its name. After an error, now or before, it removes the
// file, and an earlier one with the name stays.
func (w *spoolWriter) Close() error {
	if w.file == nil {
		return nil
	}
	defer w.root.Close()
	if w.err == nil {
		w.err = errors.Join(w.z.Close(), w.file.Sync())
	}
	w.err = errors.Join(w.err, w.file.Close())
	w.file = nil
	if w.err == nil {
		w.err = w.root.Rename(w.part, w.name)
	}
	if w.err != nil {
		_ = w.root.Remove(w.part) // the first error is returned
		return explain(w.path, w.err)
	}
	dir := filepath.Dir(w.path)
	spool := filepath.Dir(dir)
	return explain(w.path, errors.Join(syncDir(dir), syncDir(spool), syncDir(filepath.Dir(spool))))
}

// hintSpool is the hint where a spooled sitemap can no longer be read.
const hintSpool = "what was written before stays as it is; a new audit (--fresh) fetches the sitemap again"

// OpenSpool opens a file of the audit's spool folder and returns what was written to it, until ctx
// ends. Where there is none the error is fs.ErrNotExist; a damaged file gives an error while it is
// read, because of its checksum.
func (a *Audit) OpenSpool(ctx context.Context, name string) (io.ReadCloser, error) {
	path, err := a.spoolPath(name)
	if err != nil {
		return nil, err
	}
	f, err := a.openSpooled(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Path: path, What: "the spooled sitemap is gone", Err: err, Hint: hintSpool}
	}
	if err != nil {
		return nil, explain(path, err)
	}
	r := &spoolReader{path: path, file: f}
	if r.z, err = gzip.NewReader(f); err != nil {
		return nil, errors.Join(r.damaged(err), f.Close())
	}
	r.z.Multistream(false)
	return sitemap.Stoppable(ctx, r), nil
}

// openSpooled opens a regular file of the audit's spool folder.
func (a *Audit) openSpooled(name string) (*os.File, error) {
	root, err := a.s.beside()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = a.s.spoolName(a.at.ID, name)
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errLink
	}
	if err != nil {
		return nil, err
	}
	return root.Open(name)
}

type spoolReader struct {
	path string
	file *os.File
	z    *gzip.Reader
}

func (r *spoolReader) damaged(err error) error {
	return &Error{Path: r.path, What: "the spooled sitemap is damaged: " + err.Error(), Err: ErrDamaged, Hint: hintSpool}
}

func (r *spoolReader) Read(p []byte) (int, error) {
	n, err := r.z.Read(p)
	if err != nil && err != io.EOF {
		err = r.damaged(err)
	}
	return n, err
}

// Close closes the file. Read has returned any error of its content.
func (r *spoolReader) Close() error { return r.file.Close() }
