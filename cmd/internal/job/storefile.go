package job

import (
	"path/filepath"
	"strings"

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
	if f.Out == "" {
		f.Out, f.usual = folderOf(targets), true
	}
}

// folderOf is the usual folder for the outputs of an audit.
func folderOf(targets []string) string {
	if len(targets) == 0 {
		return usualDir
	}
	if t, err := discover.ParseTarget(targets[0]); err == nil && len(t.URLs) > 0 {
		host, _, _ := strings.Cut(sitemap.FileName(t.URLs[0].String()), "/")
		return filepath.Join(usualDir, host)
	}
	return filepath.Join(usualDir, filepath.FromSlash(sitemap.FileName(targets[0])))
}

// StoreIn is the store that nobody named, in a folder of outputs.
func StoreIn(dir string) StoreFile {
	return StoreFile{filepath.Join(dir, storeName), []storage.Option{storage.NoLink}}
}

// Write opens the store for writing, and makes it where there is none.
func (s StoreFile) Write() (*storage.Store, error) { return storage.Open(s.Path, s.opts...) }

// Read opens the store for reading, and keeps audits from writing to it until it is closed.
func (s StoreFile) Read() (*storage.Store, error) { return storage.OpenReadOnly(s.Path, s.opts...) }
