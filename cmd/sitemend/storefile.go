package main

import (
	"path/filepath"

	"sitemend/storage"
)

// A storeFile is the bbolt file of a command, and how it is opened. A link is followed
// only where --store names it: one in the folder of the outputs may have been put there
// by somebody else.
type storeFile struct {
	path string
	opts []storage.Option
}

// storeFile is what --store names, else audits.db in the folder of the outputs.
func (f *auditFlags) storeFile() storeFile {
	if f.store != "" {
		return storeFile{path: f.store}
	}
	return storeIn(f.dir())
}

// storeIn is the store that nobody named, in a folder of outputs.
func storeIn(dir string) storeFile {
	return storeFile{filepath.Join(dir, "audits.db"), []storage.Option{storage.NoLink}}
}

func (s storeFile) write() (*storage.Store, error)    { return storage.Open(s.path, s.opts...) }
func (s storeFile) read() (*storage.Store, error)     { return storage.OpenReadOnly(s.path, s.opts...) }
func (s storeFile) share() (*storage.Store, error)    { return storage.OpenShared(s.path, s.opts...) }
func (s storeFile) compact() (saved int64, err error) { return storage.Compact(s.path, s.opts...) }
