package storage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// smallStore creates a store with a record of each kind and returns its path.
func smallStore(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	err := a.AddSitemap(t.Context(), &audit.Sitemap{URL: "u"}, listed(3))
	mustDo(t, err)
	for i := range 4 {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, a.Put("robots", []byte("User-agent: *\n")))
	mustDo(t, a.Put("empty", nil))
	mustDo(t, a.SetInfo(a.Info()))
	mustDo(t, s.NoteAll(map[string][]byte{"written": []byte("report.html")}))
	mustDo(t, s.Close())
	return path
}

// readEverything reads all of a store without writing to it.
func readEverything(path string) error {
	s, err := OpenReadOnly(path)
	if err != nil {
		return err
	}
	for a, failed := range s.Each(func(*audit.Info) bool { return true }) {
		if err = errors.Join(err, failed); failed == nil {
			err = errors.Join(err, readAll(s, a.ID()))
		}
	}
	_, ok, e := s.Noted("written")
	if err == nil && e == nil && !ok {
		e = errors.New("the note is gone")
	}
	return errors.Join(err, e, s.Close())
}

func readAll(s *Store, id string) error {
	a, err := s.Audit(id)
	if err != nil {
		return err
	}
	for _, e := range a.Entries(context.Background(), 0, a.EntryCount()) {
		err = errors.Join(err, e)
	}
	_, e1 := a.Sitemaps()
	_, e2 := a.Active()
	for _, name := range []string{"robots", "empty"} {
		_, _, e := a.Get(name)
		err = errors.Join(err, e)
	}
	_, e3 := s.Unfinished("shape", start)
	a.Hop(usualHop(0).Request)
	return errors.Join(err, e1, e2, e3, a.Err(), a.Close())
}

// eachRecord calls fn with every record of a file, and its bucket.
func eachRecord(b *bbolt.Bucket, path string, fn func(b *bbolt.Bucket, path string, k, v []byte) error) error {
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			return eachRecord(b.Bucket(k), path+"/"+string(k), fn)
		}
		return fn(b, path, bytes.Clone(k), bytes.Clone(v))
	})
}

// One changed bit in any record, any record in the place of another one, any missing record: a
// reader of the store gets an error.
func TestAChangedRecordIsReported(t *testing.T) {
	path := smallStore(t)
	mustDo(t, readEverything(path))
	whole, err := os.ReadFile(path)
	mustDo(t, err)
	type place struct {
		path string
		k, v []byte
	}
	var all []place
	db, err := bbolt.Open(path, 0o644, nil)
	mustDo(t, err)
	mustDo(t, db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return eachRecord(b, string(name), func(_ *bbolt.Bucket, path string, k, v []byte) error {
				if string(k) != "schema" { // it is for every version
					all = append(all, place{path, k, v})
				}
				return nil
			})
		})
	}))
	mustDo(t, db.Close())
	if len(all) < 11 {
		t.Fatalf("%d records", len(all))
	}
	detects := func(what string, p place, change func(b *bbolt.Bucket, k, v []byte) error) {
		t.Helper()
		mustDo(t, os.WriteFile(path, whole, 0o644))
		db, err := bbolt.Open(path, 0o644, &bbolt.Options{NoSync: true})
		mustDo(t, err)
		mustDo(t, db.Update(func(tx *bbolt.Tx) error {
			names := bytes.Split([]byte(p.path), []byte("/"))
			b := tx.Bucket(names[0])
			for _, name := range names[1:] {
				b = b.Bucket(name)
			}
			return change(b, p.k, p.v)
		}))
		mustDo(t, db.Close())
		var ours *Error
		if err := readEverything(path); !errors.Is(err, ErrDamaged) || !errors.As(err, &ours) || ours.Hint != HintDamaged {
			t.Errorf("%s of %s/%q: got %v", what, p.path, p.k, err)
		}
	}
	for i, p := range all {
		for at := range p.v {
			detects("a changed bit", p, func(b *bbolt.Bucket, k, v []byte) error {
				v = bytes.Clone(v)
				v[at] ^= 1 << (at % 8)
				return b.Put(k, v)
			})
		}
		other := all[(i+1)%len(all)]
		detects("another record in place", p, func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, other.v) })
		if p.path != "notes" && !strings.HasSuffix(p.path, "/records") { // it may never have existed
			detects("the absence", p, func(b *bbolt.Bucket, k, _ []byte) error { return b.Delete(k) })
		}
	}
}

// A damaged audit is in nobody's way, and can be removed.
func TestADamagedAuditAmongOthers(t *testing.T) {
	s := mustOpen(t, smallStore(t))
	bad, err := s.resolve(Latest)
	mustDo(t, err)
	mustDo(t, s.write(func(tx *bbolt.Tx) error {
		b, err := auditShelf(tx, bad.ID)
		return errors.Join(err, b.b.Put(infoKey, []byte("other bytes")))
	}))
	if id, err := s.Unfinished("shape", start); id != "" || err != nil {
		t.Errorf("to be continued: %q, %v", id, err)
	}
	a, err := s.Begin(audit.Info{Ended: start}, "shape")
	mustDo(t, err)
	for what, err := range s.Each(func(*audit.Info) bool { return true }) {
		if (what == nil) != errors.Is(err, ErrDamaged) {
			t.Errorf("an audit %v: %v", what != nil, err)
		}
	}
	if latest, err := s.resolve(Latest); err != nil || latest.ID != a.ID() {
		t.Errorf("the latest is %v, %v", latest, err)
	}
	if err := s.Remove(bad.ID); err != nil {
		t.Error(err)
	}
}
