package storage

import (
	"cmp"
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

// spoolLevel is the compression level of the spool: sitemaps compress well, and time matters more.
const spoolLevel = 2

func (s *Store) spoolRoot() string         { return s.path + ".spool" }
func (s *Store) spoolDir(id string) string { return filepath.Join(s.spoolRoot(), id) }

// SpoolWriter creates a file in the audit's spool folder (FILE.spool/<id>/name), in place of one
// with that name. Whatever is written to it is packed with gzip (RFC 1952); data that is packed
// already is only wrapped. When Close has returned nil the file has its name, and survives a power
// loss. name must be a plain file name that does not begin with a dot.
func (a *Audit) SpoolWriter(name string) (io.WriteCloser, error) {
	path, err := a.spoolPath(name)
	if err != nil {
		return nil, err
	}
	if a.s.readOnly {
		return nil, explain(a.s.path, ErrReadOnly)
	}
	dir, err := a.s.openSpoolDir(a.id, true)
	if err != nil {
		return nil, err
	}
	part := "." + name + ".part"
	_ = dir.Remove(part) // left by a killed process
	f, err := dir.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, errors.Join(explain(path, err), dir.Close())
	}
	return &spoolWriter{path: path, dir: dir, part: part, file: f}, nil
}

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
		return nil, &Error{Path: path, What: "the spooled sitemap is gone", Err: err,
			Hint: hintSpool}
	}
	if err != nil {
		return nil, explainLink(path, err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(spoolDamaged(path, err), f.Close())
	}
	z.Multistream(false)
	return sitemap.Stoppable(ctx, &spoolReader{path: path, file: f, z: z}), nil
}

// openSpooled opens a regular file of the audit's spool folder.
func (a *Audit) openSpooled(name string) (*os.File, error) {
	dir, err := a.s.openSpoolDir(a.id, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errLink)
	}
	return dir.Open(name)
}

func (a *Audit) spoolPath(name string) (string, error) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:\x00") {
		return "", fmt.Errorf("spool: %q is not a plain file name", name)
	}
	return filepath.Join(a.s.spoolDir(a.id), name), nil
}

// A spoolWriter packs into a file beside path, and renames it when it is complete.
type spoolWriter struct {
	path   string   // for errors
	dir    *os.Root // the folder of both
	part   string
	file   *os.File
	z      *gzip.Writer // nil until the first two bytes came
	head   []byte
	err    error
	closed bool
}

// Write packs p. The first two bytes determine the compression level.
func (w *spoolWriter) Write(p []byte) (int, error) {
	if w.closed {
		return 0, explain(w.path, fs.ErrClosed)
	}
	if w.err == nil && w.z == nil {
		return len(p), w.begin(p)
	}
	if w.err == nil {
		_, w.err = w.z.Write(p)
	}
	if w.err != nil {
		return 0, explain(w.path, w.err)
	}
	return len(p), nil
}

// begin collects the head and starts packing when that is long enough.
func (w *spoolWriter) begin(p []byte) error {
	w.head = append(w.head, p...)
	if len(w.head) < 2 {
		return nil
	}
	w.start()
	return explain(w.path, w.err)
}

// start writes the head, at the level that suits it.
func (w *spoolWriter) start() {
	level := spoolLevel
	if len(w.head) >= 2 && w.head[0] == 0x1f && w.head[1] == 0x8b { // gzip, RFC 1952 2.3.1
		level = gzip.NoCompression
	}
	if w.z, w.err = gzip.NewWriterLevel(w.file, level); w.err == nil {
		_, w.err = w.z.Write(w.head)
	}
	w.head = nil
}

// Close writes the rest and gives the file its name. After an error, now or before, it removes the
// file, and an earlier one with the name stays.
func (w *spoolWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	defer w.dir.Close()
	if w.err == nil && w.z == nil {
		w.start()
	}
	if w.err == nil {
		w.err = errors.Join(w.z.Close(), w.file.Sync())
	}
	w.err = errors.Join(w.err, w.file.Close())
	if w.err == nil {
		w.err = w.dir.Rename(w.part, filepath.Base(w.path))
	}
	if w.err != nil {
		_ = w.dir.Remove(w.part) // the first error is returned
		return explain(w.path, w.err)
	}
	return explain(w.path, syncParents(w.path))
}

// syncParents syncs the names of the file, of its folder and of the spool.
func syncParents(path string) error {
	dir := filepath.Dir(path)
	root := filepath.Dir(dir)
	return errors.Join(syncDir(dir), syncDir(root), syncDir(filepath.Dir(root)))
}

type spoolReader struct {
	path string
	file *os.File
	z    *gzip.Reader
}

func (r *spoolReader) Read(p []byte) (int, error) {
	n, err := r.z.Read(p)
	if err != nil && err != io.EOF {
		err = spoolDamaged(r.path, err)
	}
	return n, err
}

// Close closes the file. Read has returned any error of its content.
func (r *spoolReader) Close() error {
	_ = r.z.Close()
	return r.file.Close()
}

// hintSpool is the hint where a spooled sitemap can no longer be read.
const hintSpool = "what was written before stays as it is; a new audit (--fresh) fetches the sitemap again"

func spoolDamaged(path string, err error) error {
	return &Error{Path: path, What: "the spooled sitemap is damaged: " + err.Error(),
		Err: ErrDamaged, Hint: hintSpool}
}
