package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/sitemap"
	"sitemend/storage"
)

// A StoreFile is the bbolt file of a command, and how it is opened. A link is followed
// only where --store names it: one in the folder of the outputs may have been put there
// by somebody else.
type StoreFile struct {
	Path string
	opts []storage.Option
}

// storeName is what a store is called in its folder; usualDir has the store, and a folder of
// outputs for each site, where none is named.
const (
	storeName = "audits.db"
	usualDir  = "sitemend-out"
)

// StoreFile is what --store names, else audits.db in the folder that --out names, else in the usual
// one.
func (f *Spec) StoreFile() StoreFile {
	switch {
	case f.Store != "":
		return StoreFile{Path: f.Store}
	case f.usual || f.Out == "" || f.Out == "-":
		return StoreIn(usualDir)
	}
	return StoreIn(f.Out)
}

// Place sets Out where none is named: the outputs of an audit of these targets go into a folder of
// the first one's host.
func (f *Spec) Place(targets []string) {
	if f.Out != "" {
		return
	}
	f.Out, f.usual = usualDir, true
	if len(targets) == 0 {
		return
	}
	name := sitemap.FileName(targets[0])
	if t, err := discover.ParseTarget(targets[0]); err == nil && len(t.URLs) > 0 {
		name, _, _ = strings.Cut(sitemap.FileName(t.URLs[0].String()), "/")
	}
	f.Out = filepath.Join(usualDir, filepath.FromSlash(name))
}

// StoreIn is the store that nobody named, in a folder of outputs.
func StoreIn(dir string) StoreFile {
	return StoreFile{filepath.Join(dir, storeName), []storage.Option{storage.NoLink}}
}

// Write opens the store for writing, and makes it where there is none.
func (s StoreFile) Write() (*storage.Store, error) { return storage.Open(s.Path, s.opts...) }

// Read opens the store for reading, and keeps audits from writing to it until it is closed.
func (s StoreFile) Read() (*storage.Store, error) { return storage.OpenReadOnly(s.Path, s.opts...) }

// Noting opens a store that is there, for writing where nothing hinders that: then it can note what was
// written from it.
func (s StoreFile) Noting() (*storage.Store, error) {
	there, err := s.Read()
	if err == nil {
		err = there.Close()
	}
	if err != nil {
		return nil, err
	}
	if w, err := s.Write(); err == nil {
		return w, nil
	}
	return s.Read()
}

// OpenAudit opens an audit by its id, or the latest: the latest finished one, the latest at all where
// none is finished.
func OpenAudit(store *storage.Store, id string) (*storage.Audit, error) {
	var err error
	if id == storage.Latest {
		var infos []audit.Info
		infos, err = store.Audits()
		for _, info := range infos {
			if !info.Ended.IsZero() {
				id = info.ID
			}
		}
	}
	a, e := store.Audit(id)
	if err = errors.Join(err, e); err != nil {
		return nil, cli.WithHint(err, "sitemend list shows the audits of a store")
	}
	return a, nil
}

// audits yields the audits of a store that match, the last first, each open until the next.
func audits(store *storage.Store, match func(*audit.Info) bool) iter.Seq2[*storage.Audit, error] {
	return func(yield func(*storage.Audit, error) bool) {
		infos, err := store.Audits()
		for _, info := range slices.Backward(infos) {
			if err != nil || !match(&info) {
				continue
			}
			a, failed := store.Audit(info.ID)
			if failed != nil {
				yield(nil, failed)
				return
			}
			more := yield(a, nil)
			if err = errors.Join(a.Err(), a.Close()); !more {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// earlier matches the audits of the scope of one that began before it.
func earlier(of audit.Info) func(*audit.Info) bool {
	scope := scopeOf(&of)
	return func(info *audit.Info) bool { return info.Before(&of) && scope.Has(*info) }
}

// all matches all audits.
func all(*audit.Info) bool { return true }

// get returns a record of an audit; ok is false where it has none.
func get[T any](a *storage.Audit, key string) (v T, ok bool, err error) {
	text, ok, err := a.Get(key)
	if err == nil && ok {
		err = audit.Damaged("the record "+key+" of audit "+a.ID(), json.Unmarshal(text, &v))
	}
	return v, ok && err == nil, err
}

// put keeps a record of an audit.
func put(a *storage.Audit, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.Put(key, text)
}

// anyText reads records in which a text need not be UTF-8: it may have come over the wire.
var anyText, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode() // constant options: no error

// spool writes records to a file of the spool of an audit: there may be a million.
func spool[T any](a *storage.Audit, name string, records iter.Seq2[T, error]) error {
	f, err := a.SpoolWriter(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	to := cbor.NewEncoder(w)
	for r, failed := range records {
		if err = failed; err == nil {
			err = to.Encode(r)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// spooled yields the records of a file of the spool, none where it is not there.
func spooled[T any](ctx context.Context, a *storage.Audit, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f, err := a.OpenSpool(ctx, name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(*new(T), err)
			}
			return
		}
		defer f.Close()
		for from := anyText.NewDecoder(bufio.NewReader(f)); ; {
			var record T
			err := from.Decode(&record)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && ctx.Err() == nil {
				err = audit.Damaged("the file "+name+" of audit "+a.ID(), err)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}
