package storage

import (
	"bytes"
	"errors"
	"io/fs"

	"go.etcd.io/bbolt"
)

// Note stores a small value of the store as a whole under a name, in place of an earlier one, and
// returns when it is on disk. A Store that is open for reading closes the file and opens it for
// writing for a moment: where another process has it the error is ErrLocked, and where this user
// may not write to it ErrReadOnly.
func (s *Store) Note(name string, value []byte) error {
	if !s.readOnly {
		return s.NoteAll(map[string][]byte{name: append([]byte{}, value...)}) // nil would remove it
	}
	return s.Beside(func(w *Store) error { return w.Note(name, value) })
}

// Beside lets go of the file of a Store that is open for reading, and hands do the same store open
// for writing. Whatever s reads next opens the file again; do must not use s. It returns the error
// of do, and ErrLocked where another process holds the file.
func (s *Store) Beside(do func(w *Store) error) error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.lost != nil {
		return explain(s.path, s.lost)
	}
	if err := s.release(); err != nil {
		return explain(s.path, err)
	}
	w, err := Open(s.path, func(w *Store) { w.noLink = s.noLink })
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, codeReadOnly) {
		return explain(s.path, ErrReadOnly)
	}
	if err != nil {
		return err
	}
	return errors.Join(do(w), w.Close())
}

// NoteAll stores small values of the store as a whole under their names, all or none of them, and
// returns when they are on disk. A nil value removes the name. The Store must be open for writing.
func (s *Store) NoteAll(values map[string][]byte) error {
	return s.write(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(notesBucket)
		if err != nil {
			return err
		}
		notes := newShelf(b, string(notesBucket))
		for name, value := range values {
			if value == nil {
				err = b.Delete([]byte(name))
			} else {
				err = notes.put([]byte(name), value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Noted returns the value of a name that Note stored; ok is false where there is none.
func (s *Store) Noted(name string) (value []byte, ok bool, err error) {
	err = s.NotedUnder("", func(found string, record []byte) error { // all are read, for a name may be damaged
		if found == name {
			value = bytes.Clone(record)
		}
		return nil
	})
	return value, value != nil, err
}

// NotedUnder calls fn with each name that begins with prefix, and its value, in order of the names.
// The value is valid during the call, in which the Store must not be used. An error of fn ends the
// calls and is returned.
func (s *Store) NotedUnder(prefix string, fn func(name string, value []byte) error) error {
	return s.view(func(tx *bbolt.Tx) error {
		notes := rootShelf(tx, notesBucket)
		if notes == nil {
			return nil
		}
		return notes.from([]byte(prefix), func(k, record []byte) (bool, error) {
			if !bytes.HasPrefix(k, []byte(prefix)) {
				return false, nil
			}
			return true, fn(string(k), record)
		})
	})
}
