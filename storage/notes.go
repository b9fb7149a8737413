package storage

import (
	"bytes"
	"errors"

	"go.etcd.io/bbolt"
)

// NoteAll stores small values of the store as a whole under their names, all or none of them, and
// returns when they are on disk. A nil value removes the name.
func (s *Store) NoteAll(values map[string][]byte) error {
	return s.write(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(notesBucket)
		if err != nil {
			return err
		}
		notes := newShelf(b, string(notesBucket))
		for name, value := range values {
			if value == nil {
				err = errors.Join(err, b.Delete([]byte(name)))
			} else {
				err = errors.Join(err, notes.put([]byte(name), value))
			}
		}
		return err
	})
}

// Noted returns the value of a name that NoteAll stored; ok is false where there is none.
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
		c := notes.b.Cursor()
		for k, v := c.Seek([]byte(prefix)); k != nil && bytes.HasPrefix(k, []byte(prefix)); k, v = c.Next() {
			value, err := notes.open(k, v)
			if err == nil {
				err = fn(string(k), value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
