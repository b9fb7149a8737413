package storage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/record"
)

// idForm is the layout of an audit's ID, its start in UTC.
const idForm = "20060102T150405Z"

// Latest stands for the newest audit in place of an ID.
const Latest = "latest"

// Audits returns the information about every audit, oldest first.
func (s *Store) Audits() ([]audit.Info, error) {
	var infos []audit.Info
	err := s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(id string, b *shelf) error {
			info, err := readInfo(id, b)
			infos = append(infos, info)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return infos, nil
}

// readInfo reads the information about an audit from its bucket.
func readInfo(id string, b *shelf) (audit.Info, error) {
	seq, err1 := b.number(seqKey)
	data, err2 := b.need(infoKey)
	if err := cmp.Or(err1, err2); err != nil {
		return audit.Info{}, err
	}
	info, err := record.DecodeInfo(id, data)
	info.Seq = seq
	return info, unreadable(err)
}

// eachAudit calls fn for every audit, oldest first.
func eachAudit(tx *bbolt.Tx, fn func(id string, b *shelf) error) error {
	meta, all := rootShelf(tx, metaBucket), rootShelf(tx, auditsBucket)
	// open for reading, while the process that creates the file has not written them yet
	if meta == nil && all == nil {
		return nil
	}
	if meta == nil || all == nil {
		return &fault{what: "the list of audits is missing"}
	}
	infos, err := readRollCall(meta, all)
	if err != nil {
		return err
	}
	slices.SortFunc(infos, func(a, b audit.Info) int { return a.Compare(&b) })
	for _, i := range infos {
		if err := fn(i.ID, all.within([]byte(i.ID))); err != nil {
			return err
		}
	}
	return nil
}

// readRollCall reads the fields of the audits' information that determine their order. A missing
// audit is damage.
func readRollCall(meta, all *shelf) (infos []audit.Info, err error) {
	want, err := readRoll(meta)
	if err != nil {
		return nil, err
	}
	got := roll{Seq: want.Seq}
	err = all.guard(func() error {
		return all.b.ForEachBucket(func(k []byte) error {
			got.count(string(k), 1)
			seq, err := all.within(k).number(seqKey)
			infos = append(infos, audit.Info{ID: string(k), Seq: seq})
			return err
		})
	})
	if err == nil && got != want {
		err = &fault{what: fmt.Sprintf("it lists %d audits, not the %d that were written",
			got.Audits, want.Audits)}
	}
	return infos, err
}

// Begin creates a new audit and opens it. Its ID is info.Started (now, where that is zero) to the
// second, with a number after it where others started in that second. shape is the caller's digest
// of the targets and flags that determine an audit's requests or entries; Unfinished compares it.
func (s *Store) Begin(info audit.Info, shape string) (*Audit, error) {
	if info.Started.IsZero() {
		info.Started = s.now()
	}
	data, err := record.EncodeInfo(info)
	if err != nil {
		return nil, explain(s.path, err)
	}
	if root, err := s.openSpoolRoot(false); err == nil {
		_ = root.Close() // it was opened only to look
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = s.write(func(tx *bbolt.Tx) error {
		if info.ID, err = s.freeID(tx, info.Started); err != nil {
			return err
		}
		return s.createAudit(tx, info, data, shape)
	})
	if err != nil {
		return nil, err
	}
	return s.Audit(info.ID)
}

// freeID returns the ID of an audit that starts at start: one that no audit has, and no spool
// folder left behind by a removed audit. Of audits that start in the same second the second one
// gets -2, and so on: the ID of a removed one is not used for a newer one as long as another audit
// of that second is there.
func (s *Store) freeID(tx *bbolt.Tx, start time.Time) (string, error) {
	second := start.UTC().Format(idForm)
	if len(second) != len(idForm) {
		return "", fmt.Errorf("an audit cannot start in the year %d", start.UTC().Year())
	}
	last := 0
	c := tx.Bucket(auditsBucket).Cursor()
	k, _ := c.Seek([]byte(second))
	for ; bytes.HasPrefix(k, []byte(second)); k, _ = c.Next() {
		n, _ := numberInSecond(string(k))
		last = max(last, n)
	}
	for n := last + 1; ; n++ {
		id := second
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		_, err := os.Lstat(s.spoolDir(id))
		if errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// numberInSecond returns the number of an audit among those that started in its second, from 1; ok
// is false for a name that is no ID.
func numberInSecond(id string) (n int, ok bool) {
	second, number, more := strings.Cut(id, "-")
	if _, err := time.Parse(idForm, second); err != nil {
		return 0, false
	}
	if !more {
		return 1, true
	}
	n, err := strconv.Atoi(number)
	return n, err == nil && n > 1
}

func (s *Store) createAudit(tx *bbolt.Tx, info audit.Info, data []byte, shape string) error {
	in, err := tx.Bucket(auditsBucket).CreateBucket([]byte(info.ID))
	if err != nil {
		return err
	}
	for _, name := range [][]byte{sitemapsBucket, entriesBucket, hopsBucket, recordsBucket} {
		if _, err := in.CreateBucket(name); err != nil {
			return err
		}
	}
	b, err := bucket(tx, info.ID)
	if err != nil {
		return err
	}
	meta := rootShelf(tx, metaBucket)
	r, err := readRoll(meta)
	if err != nil {
		return err
	}
	r.Seq++
	r.count(info.ID, 1)
	return errors.Join(r.write(meta),
		meta.put(toolKey, []byte(info.Tool)),
		b.put(seqKey, key(r.Seq)),
		b.put(infoKey, data),
		b.put(shapeKey, []byte(shape)),
		b.put(baseKey, key(uint64(info.Started.UnixMilli()))),
		new(tally).write(b, s.now()))
}

// Unfinished returns the newest audit of this shape, if it has not ended and was last written at or
// after notBefore. ok is false otherwise: an unfinished audit that is older than a finished one is
// not continued.
func (s *Store) Unfinished(shape string, notBefore time.Time) (id string, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(name string, b *shelf) error {
			info, err1 := readInfo(name, b)
			got, err2 := b.need(shapeKey)
			t, err3 := readTally(b)
			if err := cmp.Or(err1, err2, err3); err != nil || string(got) != shape {
				return err
			}
			id, ok = name, info.Ended.IsZero() && t.Active >= notBefore.UnixMilli()
			return nil
		})
	})
	if !ok {
		id = ""
	}
	return id, ok, err
}

// Earlier returns the newest finished audit that is older than this one and has its shape; ok is
// false where there is none.
func (s *Store) Earlier(than string) (id string, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		of, err := bucket(tx, than)
		if err != nil {
			return err
		}
		shape, err1 := of.need(shapeKey)
		seq, err2 := of.number(seqKey)
		if err := cmp.Or(err1, err2); err != nil {
			return err
		}
		newer := audit.Info{ID: than, Seq: seq}
		return eachAudit(tx, func(name string, b *shelf) error {
			info, err1 := readInfo(name, b)
			got, err2 := b.need(shapeKey)
			if err := cmp.Or(err1, err2); err != nil {
				return err
			}
			if info.Before(&newer) && bytes.Equal(got, shape) && !info.Ended.IsZero() {
				id, ok = name, true
			}
			return nil
		})
	})
	return id, ok, err
}

// number reads a record that is a number.
func (s *shelf) number(k []byte) (uint64, error) {
	v, err := s.need(k)
	if err != nil {
		return 0, err
	}
	n, ok := number(v)
	if !ok {
		err = &fault{what: s.name(k) + " is no number"}
	}
	return n, err
}

// resolve returns the ID for id, which may be Latest.
func (s *Store) resolve(id string) (string, error) {
	found := ""
	err := s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(name string, _ *shelf) error {
			if name == id || id == Latest {
				found = name
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return "", err
	case found == "" && id == Latest:
		return "", &Error{Path: s.path, What: "the store has no audits yet",
			Hint: "audit a site first (`sitemend audit TARGET`), or name another store: --store FILE", Err: ErrNone}
	case found == "":
		return "", none(s.path, fmt.Sprintf("the store has no audit %q", id))
	}
	return found, nil
}

// Remove deletes an audit with its spooled sitemaps. The file does not get smaller; later audits
// use the free space in it, and Compact gives it back. For an audit that is open in this Store the
// error is ErrOpen.
func (s *Store) Remove(id string) error {
	id, err := s.resolve(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.open[id]; open {
		return &Error{Path: s.path, What: "audit " + id + " is open and cannot be removed",
			Err: ErrOpen}
	}
	err = s.write(func(tx *bbolt.Tx) error {
		meta := rootShelf(tx, metaBucket)
		r, err := readRoll(meta)
		if err != nil {
			return err
		}
		r.count(id, -1)
		return errors.Join(tx.Bucket(auditsBucket).DeleteBucket([]byte(id)), r.write(meta))
	})
	if err != nil {
		return err
	}
	return explain(s.path, s.sweep())
}

// sweep removes the spool folders of audits that are no longer in the store: that of the one just
// removed, and any that remained after a crash.
func (s *Store) sweep() error {
	root, err := s.openSpoolRoot(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	dirs, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	err = s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(id string, _ *shelf) error { kept[id] = true; return nil })
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range dirs {
		if _, ours := numberInSecond(d.Name()); ours && d.IsDir() && !kept[d.Name()] {
			errs = append(errs, root.RemoveAll(d.Name()))
		}
	}
	return errors.Join(errs...)
}
