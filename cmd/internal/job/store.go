package job

import (
	"path/filepath"
	"strings"

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
	case f.Out == "" || f.Out == "-":
		return StoreIn(usualDir)
	}
	return StoreIn(f.Out)
}

// Folder is Out; where none is named, the outputs of an audit of these targets go into a folder of the
// first one's host.
func (f *Spec) Folder(targets []string) string {
	if f.Out != "" || len(targets) == 0 {
		return f.Out
	}
	name := sitemap.FileName(targets[0])
	if t, err := discover.ParseTarget(targets[0]); err == nil && len(t.URLs) > 0 {
		name, _, _ = strings.Cut(sitemap.FileName(t.URLs[0].String()), "/")
	}
	return filepath.Join(usualDir, filepath.FromSlash(name))
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

// earlier matches the audits of the scope of one that began before it.
func earlier(of audit.Info) func(*audit.Info) bool {
	scope := scopeOf(&of)
	return func(info *audit.Info) bool { return info.Before(&of) && scope.Has(*info) }
}

// all matches all audits.
func all(*audit.Info) bool { return true }
