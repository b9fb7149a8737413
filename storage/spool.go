package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/sitemap"
)

// spoolPath is the path of a file of an audit's spool folder: "" for the folder itself, and that of all audits.
func (s *Store) spoolPath(id, name string) string { return filepath.Join(s.path+".spool", id, name) }

// spoolName is the name of a file of an audit's spool folder, in the folder of the store.
func (s *Store) spoolName(id, name string) string {
	return filepath.Join(filepath.Base(s.path)+".spool", id, name)
}

// SpoolWriter creates a file in the audit's spool folder (FILE.spool/<id>/name), in place of one
// with that name. Whatever is written to it is packed with gzip (RFC 1952). When Close has returned nil the
// file has its name, and survives a power loss.
func (a *Audit) SpoolWriter(name string) (io.WriteCloser, error) {
	w := &spoolWriter{a: a, name: name, part: "." + name + ".part"}
	w.file, w.err = a.createSpooled(w.part)
	if w.err == nil {
		w.z, w.err = gzip.NewWriterLevel(w.file, gzip.BestSpeed) // sitemaps compress well, and time matters more
	}
	return w, w.err
}

// createSpooled creates a file of the audit's spool folder, in place of one that a killed process left.
func (a *Audit) createSpooled(name string) (f *os.File, err error) {
	if a.s.readOnly {
		return nil, explain(a.s.path, ErrReadOnly)
	}
	name = a.s.spoolName(a.at.ID, name)
	if err = a.s.dir.MkdirAll(filepath.Dir(name), 0o755); err == nil {
		_ = a.s.dir.Remove(name)
		f, err = a.s.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	}
	return f, explain(a.s.path+".spool", err)
}

// A spoolWriter packs into a file beside the one with the name, and renames it when it is complete.
type spoolWriter struct {
	a          *Audit
	name, part string
	file       *os.File // nil when it is closed
	z          *gzip.Writer
	err        error
}

// Write packs p.
func (w *spoolWriter) Write(p []byte) (n int, err error) {
	if w.err == nil {
		n, w.err = w.z.Write(p)
	}
	if w.err == nil { // a path is not put together for each row
		return n, nil
	}
	return n, explain(w.a.s.spoolPath(w.a.at.ID, w.name), w.err)
}

// Close writes the rest and gives the file its name. After an error, now or before, it removes the
// file, and an earlier one with the name stays.
func (w *spoolWriter) Close() error {
	if w.file == nil {
		return nil
	}
	if w.err == nil {
		w.err = errors.Join(w.z.Close(), w.file.Sync())
	}
	w.err = errors.Join(w.err, w.file.Close())
	w.file = nil
	s, part, path := w.a.s, w.a.s.spoolName(w.a.at.ID, w.part), w.a.s.spoolPath(w.a.at.ID, w.name)
	if w.err == nil {
		w.err = s.dir.Rename(part, s.spoolName(w.a.at.ID, w.name))
	}
	if w.err != nil {
		_ = s.dir.Remove(part) // the first error is returned
		return explain(path, w.err)
	}
	w.err = fs.ErrClosed
	return explain(path, errors.Join(syncDir(filepath.Dir(path)), syncDir(s.spoolPath("", "")), syncDir(filepath.Dir(s.path))))
}

// hintSpool is the hint where a spooled sitemap can no longer be read.
const hintSpool = "what was written before stays as it is; a new audit (--fresh) fetches the sitemap again"

// OpenSpool opens a file of the audit's spool folder and returns what was written to it, until ctx
// ends. Where there is none the error is fs.ErrNotExist; a damaged file gives an error while it is
// read, because of its checksum.
func (a *Audit) OpenSpool(ctx context.Context, name string) (io.ReadCloser, error) {
	path := a.s.spoolPath(a.at.ID, name)
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
	return sitemap.Stoppable(ctx, r), nil
}

// openSpooled opens a regular file of the audit's spool folder.
func (a *Audit) openSpooled(name string) (*os.File, error) {
	name = a.s.spoolName(a.at.ID, name)
	info, err := a.s.dir.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errLink
	}
	if err != nil {
		return nil, err
	}
	return a.s.dir.Open(name)
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
