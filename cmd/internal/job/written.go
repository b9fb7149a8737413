package job

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/storage"
)

// writtenKey is the note of a store that lists what was written to a folder: the
// folder's path from that of the store follows.
const writtenKey = "written "

// recordOf is what the store remembers of the files in the folder of the outputs.
func recordOf(store *storage.Store, dir string) (*report.Record, error) {
	r := &report.Record{}
	text, ok, err := store.Noted(writtenKey + fromStore(store, dir))
	if err == nil && ok {
		err = audit.Damaged("what was written to "+dir, json.Unmarshal(text, &r.Written))
	}
	r.Keep = func(names []string) error {
		text, err := json.Marshal(names)
		if err == nil {
			err = store.Note(writtenKey+fromStore(store, dir), text)
		}
		if errors.Is(err, storage.ErrReadOnly) {
			return nil // of another user, whose own outputs are removed
		}
		return err
	}
	return r, err
}

// fromStore is the path of a folder as seen from the store: both may be moved
// together.
func fromStore(store *storage.Store, dir string) string {
	at, to := real(filepath.Dir(store.Path())), real(dir)
	if rel, err := filepath.Rel(at, to); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(to)
}

// real is the path of a folder without links, as far as it is there.
func real(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if there, err := filepath.EvalSymlinks(dir); err == nil {
		return there
	}
	if up := filepath.Dir(dir); up != dir {
		return filepath.Join(real(up), filepath.Base(dir))
	}
	return dir
}
