package storage

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// idForm is the layout of an audit's ID, its start in UTC.
const idForm = "20060102T150405Z"

// Latest stands, in place of an ID, for the newest audit that has ended, or the newest where none has.
const Latest = "latest"

// An auditList is the audits of a store in the order in which they began. The clock may have been
// set back in between, so each has a number.
type auditList struct {
	Last   uint64 // the number of the newest
	Audits []listedAudit
}

type listedAudit struct {
	ID  string
	Seq uint64
}

func (l *auditList) index(id string) int {
	return slices.IndexFunc(l.Audits, func(a listedAudit) bool { return a.ID == id })
}

// readList reads the list of audits. A file that another process creates has none yet.
func readList(tx *bbolt.Tx) (l auditList, err error) {
	if meta := rootShelf(tx, metaBucket); meta != nil {
		err = meta.load(listKey, &l)
	}
	return l, err
}

// A state is what changes with each transaction that writes to an audit. Its counts show where a
// numbered record is missing.
type state struct {
	Shape                          string // the caller's digest of targets and flags
	Active                         int64  // when it was last written to, in Unix milliseconds
	Sitemaps, Entries, Hops, Links uint64
}

// readAudit reads the information about an audit, and its state.
func (s *Store) readAudit(tx *bbolt.Tx, at listedAudit) (info audit.Info, st state, err error) {
	b, err := auditShelf(tx, at.ID)
	if err != nil {
		return info, st, err
	}
	data, err := b.need(infoKey)
	if err == nil {
		info, err = s.codecs.infos.Decode(data, "")
		err = unreadable(err)
	}
	info.ID, info.Seq = at.ID, at.Seq
	return info, st, errors.Join(err, b.load(stateKey, &st))
}

// A known audit is one of the list, with its information and state, or what is damaged in these.
type known struct {
	listedAudit
	info   audit.Info
	state  state
	damage error
}

// known returns all audits, oldest first. A damaged one costs the others nothing.
func (s *Store) known() (all []known, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		list, err := readList(tx)
		for _, at := range list.Audits {
			k := known{listedAudit: at}
			k.damage = explain(s.path, guard(func() (err error) {
				k.info, k.state, err = s.readAudit(tx, at)
				return err
			}))
			all = append(all, k)
		}
		return err
	})
	return all, err
}

// Audits returns the information about every audit that can be read, oldest first.
func (s *Store) Audits() (infos []audit.Info, err error) {
	all, err := s.known()
	for _, k := range all {
		if k.damage == nil {
			infos = append(infos, k.info)
		}
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
	data, err := s.encodeInfo(info)
	if err != nil {
		return nil, err
	}
	err = s.write(func(tx *bbolt.Tx) error {
		list, err := readList(tx)
		if err != nil {
			return err
		}
		second := info.Started.UTC().Format(idForm)
		info.ID = second
		for n := 2; list.index(info.ID) >= 0; n++ {
			info.ID = second + "-" + strconv.Itoa(n)
		}
		list.Last++
		list.Audits = append(list.Audits, listedAudit{info.ID, list.Last})
		in, err := tx.Bucket(auditsBucket).CreateBucket([]byte(info.ID))
		if err != nil {
			return err
		}
		for _, name := range [][]byte{sitemapsBucket, entriesBucket, hopsBucket, recordsBucket, linksBucket} {
			if _, err := in.CreateBucket(name); err != nil {
				return err
			}
		}
		b := newShelf(in, "audits/"+info.ID)
		return errors.Join(rootShelf(tx, metaBucket).save(listKey, list), b.put(infoKey, data),
			b.save(stateKey, state{Shape: shape, Active: s.now().UnixMilli()}))
	})
	if err != nil {
		return nil, err
	}
	return s.Audit(info.ID)
}

func (s *Store) encodeInfo(info audit.Info) ([]byte, error) {
	info.ID, info.Seq = "", 0 // the list has them
	data, err := s.codecs.infos.Encode(nil, &info, "")
	return data, explain(s.path, err)
}

// Unfinished returns the newest audit of this shape, if it has not ended and was last written at or
// after notBefore; "" otherwise: an unfinished audit that is older than a finished one is not continued.
func (s *Store) Unfinished(shape string, notBefore time.Time) (id string, err error) {
	all, err := s.known()
	for _, k := range slices.Backward(all) {
		if k.damage == nil && k.state.Shape == shape {
			if k.info.Ended.IsZero() && k.state.Active >= notBefore.UnixMilli() {
				id = k.ID
			}
			break
		}
	}
	return id, err
}

// resolve returns the audit for id, which may be Latest. Nobody knows of a damaged one whether it ended:
// opening it says so.
func (s *Store) resolve(id string) (found listedAudit, err error) {
	if id == Latest {
		all, err := s.known()
		if err == nil && len(all) == 0 {
			err = &Error{Path: s.path, What: "the store has no audits yet", Err: ErrNone,
				Hint: "audit a site first (`sitemend audit TARGET`), or name another store: --store FILE"}
		}
		ended := false
		for _, k := range all {
			if has := k.damage != nil || !k.info.Ended.IsZero(); has || !ended {
				found, ended = k.listedAudit, has
			}
		}
		return found, err
	}
	err = s.view(func(tx *bbolt.Tx) error {
		list, err := readList(tx)
		if at := list.index(id); at >= 0 {
			found = list.Audits[at]
		} else if err == nil {
			err = &Error{Path: s.path, What: fmt.Sprintf("the store has no audit %q", id), Err: ErrNone,
				Hint: "`sitemend list` shows the audits of a store, --store FILE names another one"}
		}
		return err
	})
	return found, err
}

// Remove deletes an audit with its spooled sitemaps. The file does not get smaller; later audits
// use the free space in it. For an audit that is open in this Store the
// error is ErrOpen.
func (s *Store) Remove(id string) error {
	at, err := s.resolve(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.open[at.ID]; open {
		return &Error{Path: s.path, What: "audit " + at.ID + " is open and cannot be removed", Err: ErrOpen}
	}
	// The files go first: where that is cut off, the audit is still listed, and can be removed again.
	if s.readOnly {
		return explain(s.path, ErrReadOnly)
	}
	if err := s.dir.RemoveAll(s.spoolName(at.ID, "")); err != nil {
		return explain(s.spoolPath(at.ID, ""), err)
	}
	return s.write(func(tx *bbolt.Tx) error {
		list, err := readList(tx)
		if err != nil {
			return err
		}
		list.Audits = slices.DeleteFunc(list.Audits, func(a listedAudit) bool { return a == at })
		return errors.Join(tx.Bucket(auditsBucket).DeleteBucket([]byte(at.ID)),
			rootShelf(tx, metaBucket).save(listKey, list))
	})
}
