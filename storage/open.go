package storage

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// schema is the version of the layout that this package reads and writes.
const schema = "4"

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

// Open opens the store at path for reading and writing, and creates it, with its folder, where
// there is none or the file is empty. It waits a second for another process that has it open; then
// the error is ErrLocked. A file that cannot be read as a store is ErrDamaged or ErrSchema, and is not
// changed. If only the last transaction cannot be read, the store is as it was before that.
func Open(path string) (*Store, error) { return open(&Store{path: path}) }

// OpenExisting is Open for a store that is there: where there is none the error is ErrNone.
func OpenExisting(path string) (*Store, error) { return open(&Store{path: path, existing: true}) }

// OpenReadOnly opens the store at path for reading. It creates nothing: where there is no file, or
// an empty one, the error is ErrNone. Several processes may have a store open for reading; they and
// one that writes exclude each other.
func OpenReadOnly(path string) (*Store, error) {
	return open(&Store{path: path, readOnly: true, existing: true})
}

// open opens and checks the file of a store. On an error nothing is left open.
func open(s *Store) (*Store, error) {
	s.open, s.now = map[string]*Audit{}, time.Now
	folder := filepath.Dir(s.path)
	there, err := s.present()
	if err == nil && !there {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		s.dir, err = os.OpenRoot(folder)
	}
	if err != nil {
		return nil, explain(s.path, err)
	}
	err = s.openDB()
	if err == nil {
		err = explain(s.path, s.check())
	}
	if err == nil && !there {
		err = syncDir(folder)
	}
	if err != nil {
		return nil, errors.Join(explain(s.path, err), s.release())
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
			Hint: "name another one with --store FILE (audits without --out are in sitemend-out/audits.db), or audit a site first: sitemend audit TARGET"}
	case none:
		err = nil
	case err == nil && !info.Mode().IsRegular():
		err = &Error{Path: s.path, What: "the store's path is no ordinary file",
			Hint: "give the path of a file with --store", Err: fs.ErrInvalid}
	}
	return !none, err
}

// openDB opens the file.
func (s *Store) openDB() error {
	err := guard(func() (err error) {
		s.db, err = bbolt.Open(s.path, 0o644, &bbolt.Options{
			Timeout:      time.Second,
			ReadOnly:     s.readOnly,
			FreelistType: bbolt.FreelistMapType, // fast even after a large audit was removed
			NoStatistics: true,                  // they take a lock for each transaction
			OpenFile:     s.openFresh,
		})
		return err
	})
	var path *fs.PathError
	var sys syscall.Errno
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return &Error{Path: s.path, What: ErrLocked.Error(), Err: ErrLocked,
			Hint: "another sitemend has it open; wait until it ends, or give another file with --store"}
	case err == nil, errors.As(err, &path), errors.As(err, &sys):
		return err
	}
	return fault(err.Error()) // it is too short for a header
}

// openFresh opens a store's file for bbolt, through its folder, for a link may have come there.
func (s *Store) openFresh(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
	s.file, err = s.dir.OpenFile(filepath.Base(name), flag, mode)
	return s.file, err
}

// check checks whether the file is a store that this version can use, and lays out a new file.
func (s *Store) check() error {
	var size int64
	var version []byte
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
		if version = bytes.Clone(meta.b.Get(schemaKey)); string(version) != schema {
			return nil
		}
		salt, err := meta.need(saltKey)
		s.salt = bytes.Clone(salt)
		_, failed := readList(tx)
		return errors.Join(err, failed, meta.load(fieldsKey, &names))
	})
	if err != nil {
		return err
	}
	info, err := s.file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() < size:
		return fault(fmt.Sprintf("it is cut off, %d of at least %d bytes are left", info.Size(), size))
	case version == nil && !empty:
		return &Error{Path: s.path, Err: ErrSchema, What: "this bbolt file is not a store of audits",
			Hint: "it belongs to another program and was not changed; give another file with --store"}
	case string(version) != schema && !empty:
		return &Error{Path: s.path, Err: ErrSchema,
			What: fmt.Sprintf("another version of sitemend wrote this store (schema %q; this one reads %q)", version, schema),
			Hint: "nothing in it is lost: audit into another --store, or read it with the version that wrote it"}
	}
	s.codecs = newCodecs(names)
	if s.readOnly || reflect.DeepEqual(names, s.codecs.names()) {
		return nil
	}
	return s.write(func(tx *bbolt.Tx) error { return s.layOut(tx, empty) })
}

// layOut writes what each store has into a new file, and the names of the fields that this version
// knows.
func (s *Store) layOut(tx *bbolt.Tx, fresh bool) error {
	b, err := tx.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	meta := newShelf(b, string(metaBucket))
	err = meta.save(fieldsKey, s.codecs.names())
	if fresh {
		s.salt = make([]byte, 16)
		rand.Read(s.salt) // never fails
		_, err1 := tx.CreateBucket(auditsBucket)
		err = errors.Join(err, err1, b.Put(schemaKey, []byte(schema)), meta.put(saltKey, s.salt), meta.save(listKey, auditList{}))
	}
	return err
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
