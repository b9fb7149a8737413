package job

import (
	"path/filepath"

	"sitemend/storage"
)

// A StoreFile is the bbolt file of a command, and how it is opened. A link is followed
// only where --store names it: one in the folder of the outputs may have been put there
// by somebody else.
type StoreFile struct {
	Path string
	opts []storage.Option
}

// storeName is what a store is called in the folder of the outputs.
const storeName = "audits.db"

// StoreFile is what --store names, else audits.db in the folder of the outputs.
func (f *Spec) StoreFile() StoreFile {
	if f.Store != "" {
		return StoreFile{Path: f.Store}
	}
	return StoreIn(f.Dir())
}

// StoreIn is the store that nobody named, in a folder of outputs.
func StoreIn(dir string) StoreFile {
	return StoreFile{filepath.Join(dir, storeName), []storage.Option{storage.NoLink}}
}

// Write opens the store for writing, and makes it where there is none.
func (s StoreFile) Write() (*storage.Store, error) { return storage.Open(s.Path, s.opts...) }

// Read opens the store for reading, and keeps audits from writing to it until it is closed.
func (s StoreFile) Read() (*storage.Store, error) { return storage.OpenReadOnly(s.Path, s.opts...) }

// Compact writes the file anew where half of it is free, and returns how many bytes that saved.
func (s StoreFile) Compact() (saved int64, err error) { return storage.Compact(s.Path, s.opts...) }
