package storage

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Schema is the version of the layout that this package reads and writes.
const Schema = 3

// The buckets and keys of the file; the package comment shows them.
var (
	metaBucket     = []byte("meta")
	notesBucket    = []byte("notes")
	auditsBucket   = []byte("audits")
	sitemapsBucket = []byte("sitemaps")
	entriesBucket  = []byte("entries")
	hopsBucket     = []byte("hops")
	recordsBucket  = []byte("records")
	linksBucket    = []byte("links")

	schemaKey = []byte("schema")
	saltKey   = []byte("salt")
	fieldsKey = []byte("fields")
	listKey   = []byte("audits")
	infoKey   = []byte("info")
	stateKey  = []byte("state")
)

// An Option changes how a store is opened.
type Option func(*Store)

// Existing makes no store where there is none: then the error is ErrNone.
func Existing(s *Store) { s.existing = true }

func newStore(path string, opts []Option) *Store {
	s := &Store{path: path, open: map[string]*Audit{}, now: time.Now}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Open opens the store at path for reading and writing, and creates it, with its folder, where
// there is none or the file is empty. It waits a second for another process that has it open; then
// the error is ErrLocked. A file that cannot be read as a store is ErrDamaged or ErrSchema, and is not changed.
// Where only the last transaction cannot be read, the store is as it was before that.
func Open(path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	dir := filepath.Dir(path)
	there, err := s.present()
	if err == nil && !there && !s.existing {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = s.openFile()
	}
	if err != nil {
		return nil, explain(path, err)
	}
	if !there {
		if err := syncDir(dir); err != nil {
			return nil, errors.Join(explain(path, err), s.Close())
		}
	}
	return s, nil
}

// OpenReadOnly opens the store at path for reading. It creates nothing: where there is no file, or
// an empty one, the error is ErrNone. Several processes may have a store open for reading; they and
// one that writes exclude each other.
func OpenReadOnly(path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	s.readOnly, s.existing = true, true
	_, err := s.present()
	if err == nil {
		err = s.openFile()
	}
	if err != nil {
		return nil, explain(path, err)
	}
	return s, nil
}

// present reports whether the store's file is there and not empty. It refuses a folder, files that
// would block when they are opened, and a link: another user who could put it there would make us write
// to another store, and remove audits there.
func (s *Store) present() (bool, error) {
	info, err := os.Lstat(s.path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return false, errLink
	}
	none := errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
	switch {
	case none && s.existing:
		err = &Error{Path: s.path, What: "there is no store of audits here", Err: ErrNone,
			Hint: "audit a site first (`sitemend audit TARGET` makes one in its --out folder), or name another one: --store FILE"}
	case none:
		err = nil
	case err == nil && !info.Mode().IsRegular():
		err = &Error{Path: s.path, What: "the store's path is no ordinary file",
			Hint: "give the path of a file with --store", Err: fs.ErrInvalid}
	}
	return !none, err
}

// openFile opens and checks the file. On an error nothing is left open.
func (s *Store) openFile() error {
	if err := s.openDB(); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return errors.Join(explain(s.path, err), s.release())
	}
	return nil
}

// openDB opens the file. On an error nothing is left open.
func (s *Store) openDB() error {
	err := guard(func() (err error) {
		s.db, err = bbolt.Open(s.path, 0o644, &bbolt.Options{
			Timeout:      cmp.Or(s.wait, time.Second),
			ReadOnly:     s.readOnly,
			FreelistType: bbolt.FreelistMapType, // fast even after a large audit was removed
			NoStatistics: true,                  // they take a lock for each transaction
			OpenFile:     s.openFresh,
		})
		return err
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return &Error{Path: s.path, What: ErrLocked.Error(), Err: ErrLocked,
			Hint: "another sitemend has it open; wait until it ends, or give another file with --store"}
	}
	if err != nil {
		s.abandon()
		return openError(err)
	}
	return nil
}

// openFresh opens a store's file for bbolt, through its folder, for a link may have come there.
func (s *Store) openFresh(name string, flag int, mode os.FileMode) (*os.File, error) {
	root, err := s.beside()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s.file, err = root.OpenFile(filepath.Base(name), flag, mode)
	return s.file, err
}

// openError marks bbolt.Open's error for a file too short for a header as damage. All its other
// errors are those of the system.
func openError(err error) error {
	var path *fs.PathError
	var sys syscall.Errno
	if errors.As(err, &path) || errors.As(err, &sys) || errors.Is(err, errLink) {
		return err
	}
	return &fault{what: err.Error()}
}

// check checks whether the file is a store that this version can use, and lays out a new file.
func (s *Store) check() error {
	var size int64
	var schema, salt []byte
	var names fieldNames
	empty := true
	err := s.view(func(tx *bbolt.Tx) error {
		size = tx.Size()
		k, _ := tx.Cursor().First()
		empty = k == nil
		meta := rootShelf(tx, metaBucket)
		if meta == nil {
			return nil
		}
		if schema = bytes.Clone(meta.b.Get(schemaKey)); string(schema) != strconv.Itoa(Schema) {
			return nil
		}
		v, err := meta.need(saltKey)
		salt = bytes.Clone(v)
		return errors.Join(err, meta.load(fieldsKey, &names))
	})
	if err != nil {
		return err
	}
	if info, err := s.file.Stat(); err != nil {
		return err
	} else if info.Size() < size {
		return damaged(s.path, fmt.Sprintf("it is cut off, %d of at least %d bytes are left", info.Size(), size))
	}
	if !empty {
		if err := s.checkSchema(schema); err != nil {
			return err
		}
	}
	s.salt, s.codecs = salt, newCodecs(names)
	if s.readOnly || reflect.DeepEqual(names, s.codecs.names()) {
		return nil
	}
	return s.layOut(empty)
}

func (s *Store) checkSchema(schema []byte) error {
	n, err := strconv.Atoi(string(schema))
	e := &Error{Path: s.path, Err: ErrSchema}
	switch {
	case schema == nil:
		e.What = "this bbolt file is not a store of audits"
		e.Hint = "it belongs to another program and was not changed; give another file with --store"
	case err != nil || n < 1:
		return damaged(s.path, fmt.Sprintf("its schema is %q", schema))
	case n != Schema:
		e.What = fmt.Sprintf("another version of sitemend wrote this store (schema %d; this one reads %d)", n, Schema)
		e.Hint = "nothing in it is lost: audit into another --store, or read it with the version that wrote it"
	default:
		return nil
	}
	return e
}

// layOut writes what each store has into a new file, and the names of the fields that this version
// knows.
func (s *Store) layOut(fresh bool) error {
	if fresh {
		s.salt = make([]byte, 16)
		rand.Read(s.salt) // never fails
	}
	return guard(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(metaBucket)
			if err != nil {
				return err
			}
			meta := newShelf(b, string(metaBucket))
			if !fresh {
				return meta.save(fieldsKey, s.codecs.names())
			}
			_, err1 := tx.CreateBucket(auditsBucket)
			return errors.Join(err1, b.Put(schemaKey, []byte(strconv.Itoa(Schema))), meta.put(saltKey, s.salt),
				meta.save(fieldsKey, s.codecs.names()), meta.save(listKey, auditList{}))
		})
	})
}

// syncDir makes the names in a folder survive a power loss. Windows cannot do that, and does not
// need to.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
