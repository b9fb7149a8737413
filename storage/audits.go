package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// idForm is how an audit is named after its start, in UTC. Names sort by time.
const idForm = "20060102T150405Z"

// Latest stands for the newest audit wherever an ID is asked for.
const Latest = "latest"

// Audits returns what is known of every audit, oldest first.
func (s *Store) Audits() ([]audit.Info, error) {
	var infos []audit.Info
	err := s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(id string, b *bbolt.Bucket) error {
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

// readInfo reads what is known of an audit from its bucket.
func readInfo(id string, b *bbolt.Bucket) (audit.Info, error) {
	if seq := b.Get(seqKey); seq != nil && len(seq) != 8 {
		return audit.Info{}, &fault{what: "the number of audit " + id + " cannot be read"}
	}
	info, err := decodeInfo(id, b.Get(infoKey))
	info.Seq = seqOf(b)
	return info, err
}

// seqOf returns the number of the audit of a bucket, 0 where it has none.
func seqOf(b *bbolt.Bucket) uint64 {
	n, _ := number(b.Get(seqKey))
	return n
}

// eachAudit calls fn for every audit, oldest first.
func eachAudit(tx *bbolt.Tx, fn func(id string, b *bbolt.Bucket) error) error {
	all := tx.Bucket(auditsBucket)
	if all == nil { // open for reading, and the one who made it has not got this far
		return nil
	}
	var infos []audit.Info // as much of them as orders them
	err := all.ForEachBucket(func(k []byte) error {
		infos = append(infos, audit.Info{ID: string(k), Seq: seqOf(all.Bucket(k))})
		return nil
	})
	slices.SortFunc(infos, func(a, b audit.Info) int { return a.Compare(&b) })
	for _, i := range infos {
		if err == nil {
			err = fn(i.ID, all.Bucket([]byte(i.ID)))
		}
	}
	return err
}

// Begin makes a new audit and opens it. Its ID follows from info.Started (now,
// where that is zero); where it is taken, a second is added until it is not.
// shape is the caller's digest of the targets and flags that shape an audit's
// requests or entries; Unfinished compares it.
func (s *Store) Begin(info audit.Info, shape string) (*Audit, error) {
	if info.Started.IsZero() {
		info.Started = s.now()
	}
	record, err := encodeInfo(info)
	if err != nil {
		return nil, explain(s.path, err)
	}
	if root, err := s.openSpoolRoot(false); err == nil {
		_ = root.Close() // it was only looked at
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = s.write(func(tx *bbolt.Tx) error {
		if info.ID, err = s.freeID(tx, info.Started); err != nil {
			return err
		}
		if err := tx.Bucket(metaBucket).Put(toolKey, []byte(info.Tool)); err != nil {
			return err
		}
		return s.createAudit(tx, info, record, shape)
	})
	if err != nil {
		return nil, err
	}
	return s.Audit(info.ID)
}

// idLead is how far IDs may run ahead of the clock, where audits begin more
// often than once a second.
const idLead = time.Hour

// freeID returns the first ID from start on that no audit has, and no spool
// folder that the removal of an audit left behind. It is after that of the last
// audit by ID, so that IDs rise where the clock does: one that was removed does not
// leave its ID to a newer one.
func (s *Store) freeID(tx *bbolt.Tx, start time.Time) (string, error) {
	t := start.UTC()
	newest, _ := tx.Bucket(auditsBucket).Cursor().Last()
	if last, err := time.Parse(idForm, string(newest)); err == nil && last.Sub(t) < idLead && last.Add(time.Second).After(t) {
		t = last.Add(time.Second)
	}
	for ; ; t = t.Add(time.Second) {
		id := t.Format(idForm)
		if len(id) != len(idForm) {
			return "", fmt.Errorf("an audit cannot start in the year %d", t.Year())
		}
		_, err := os.Lstat(s.spoolDir(id))
		if tx.Bucket(auditsBucket).Bucket([]byte(id)) == nil && errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
}

func (s *Store) createAudit(tx *bbolt.Tx, info audit.Info, record []byte, shape string) error {
	b, err := tx.Bucket(auditsBucket).CreateBucket([]byte(info.ID))
	if err != nil {
		return err
	}
	for _, name := range [][]byte{sitemapsBucket, entriesBucket, hopsBucket, recordsBucket} {
		if _, err := b.CreateBucket(name); err != nil {
			return err
		}
	}
	seq, err := tx.Bucket(auditsBucket).NextSequence()
	return errors.Join(err,
		b.Put(seqKey, key(seq)),
		b.Put(infoKey, record),
		b.Put(shapeKey, []byte(shape)),
		b.Put(baseKey, key(uint64(info.Started.UnixMilli()))),
		s.touch(b))
}

// touch notes that the audit of this bucket was at work now.
func (s *Store) touch(b *bbolt.Bucket) error {
	return b.Put(activeKey, key(uint64(s.now().UnixMilli())))
}

// Unfinished returns the newest audit of this shape, where it has not ended and
// was last written at or after notBefore. ok is false where there is none: an
// unfinished one that is older than a finished one has been overtaken.
func (s *Store) Unfinished(shape string, notBefore time.Time) (id string, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(name string, b *bbolt.Bucket) error {
			info, err := readInfo(name, b)
			if err != nil {
				return err
			}
			if string(b.Get(shapeKey)) != shape {
				return nil
			}
			id, ok = name, info.Ended.IsZero() && millis(b, activeKey) >= notBefore.UnixMilli()
			return nil
		})
	})
	if !ok {
		id = ""
	}
	return id, ok, err
}

// Earlier returns the newest finished audit that is older than this one and has
// its shape. ok is false where there is none.
func (s *Store) Earlier(than string) (id string, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		of, err := bucket(tx, than)
		if err != nil {
			return err
		}
		shape, newer := string(of.Get(shapeKey)), audit.Info{ID: than, Seq: seqOf(of)}
		return eachAudit(tx, func(name string, b *bbolt.Bucket) error {
			info, err := readInfo(name, b)
			if err == nil && (!info.Before(&newer) || string(b.Get(shapeKey)) != shape) {
				return nil
			}
			if err == nil && !info.Ended.IsZero() {
				id, ok = name, true
			}
			return err
		})
	})
	return id, ok, err
}

// millis returns the time in milliseconds that a key of b holds, 0 for none.
func millis(b *bbolt.Bucket, k []byte) int64 {
	v := b.Get(k)
	if len(v) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

// resolve returns the ID that id stands for.
func (s *Store) resolve(id string) (string, error) {
	found := ""
	err := s.view(func(tx *bbolt.Tx) error {
		return eachAudit(tx, func(name string, _ *bbolt.Bucket) error {
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
		return "", none(s.path, "the store has no audits yet")
	case found == "":
		return "", none(s.path, fmt.Sprintf("the store has no audit %q", id))
	}
	return found, nil
}

// Remove deletes an audit with its spooled sitemaps. The file does not get
// smaller; what is free in it is used by later audits, or given back by Compact. An audit that is open
// in this Store is not removed, the error is ErrOpen.
func (s *Store) Remove(id string) error {
	id, err := s.resolve(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.open[id]; open {
		return &Error{Path: s.path, What: "audit " + id + " is open and cannot be removed", Err: ErrOpen}
	}
	err = s.write(func(tx *bbolt.Tx) error { return tx.Bucket(auditsBucket).DeleteBucket([]byte(id)) })
	if err != nil {
		return err
	}
	return explain(s.path, s.sweep())
}

// sweep removes the spool folders of audits that are no longer in the store:
// the one just removed, and any that a crash kept from being removed.
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
		return eachAudit(tx, func(id string, _ *bbolt.Bucket) error { kept[id] = true; return nil })
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range dirs {
		if _, err := time.Parse(idForm, d.Name()); err == nil && d.IsDir() && !kept[d.Name()] {
			errs = append(errs, root.RemoveAll(d.Name()))
		}
	}
	return errors.Join(errs...)
}
