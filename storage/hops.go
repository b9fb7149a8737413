package storage

import (
	"encoding/binary"
	"errors"
	"fmt"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/index"
)

// The record of a hop begins with what the table needs: its purpose, how many requests were sent for
// it, twice, and the address with its length. The other fields follow.

func (a *Audit) encodeHop(h *audit.Hop) ([]byte, error) {
	to := binary.AppendUvarint(append(make([]byte, 0, 256), byte(h.Purpose)), uint64(h.Sent())<<1)
	to = append(binary.AppendUvarint(to, uint64(len(h.URL))), h.URL...)
	rest := *h
	rest.Request = audit.Request{}
	return a.s.codecs.hops.Encode(to, &rest, h.URL)
}

// A head is what the record of a hop begins with, and the rest of it.
type head struct {
	purpose   audit.Purpose
	sent      uint64
	url, rest []byte
}

func cutHead(data []byte) (h head, err error) {
	size, ok := 0, false
	if len(data) > 0 {
		h.purpose = audit.Purpose(data[0])
		h.sent, size = binary.Uvarint(data[1:])
		h.url, h.rest, ok = cutText(data[1+max(0, size):])
	}
	if !ok || size <= 0 {
		err = unreadable(errors.New("it ends too early"))
	}
	return h, err
}

func (h *head) answers(r audit.Request) bool { return h.purpose == r.Purpose && string(h.url) == r.URL }

// cutText splits a text, whose length precedes it, from the rest.
func cutText(b []byte) (text, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

// Keep stores an answer. An answer to a request that was answered before is a new record, and the
// latest counts. It returns the error of an earlier write, if there was one; then h is not kept.
func (a *Audit) Keep(h audit.Hop) error {
	if err := a.index(); err != nil {
		return err
	}
	data, err := a.encodeHop(&h)
	if err != nil {
		return explain(a.s.path, err)
	}
	return a.add(func(w *work) error {
		n := w.hops.next()
		if n > index.MaxHops {
			return explain(a.s.path, fmt.Errorf("an audit holds at most %d answers", uint32(index.MaxHops)))
		}
		var failed error
		a.tab.Set(a.tab.Hash(h.URL, h.Purpose), uint32(n), func(old uint32) bool {
			data, err := a.record(uint64(old))
			was, err2 := cutHead(data)
			failed = errors.Join(failed, err, err2)
			return was.answers(h.Request)
		})
		if failed != nil {
			return a.fail(failed)
		}
		a.tab.Sent += h.Sent()
		w.hops.add(data)
		w.addLinks(h.Request, h.Links)
		return nil
	})
}

// Hop returns the latest answer to r. ok is false where there is none, and where it cannot be read;
// then Err, and the next Flush, return the error.
func (a *Audit) Hop(r audit.Request) (h audit.Hop, ok bool) {
	if a.index() != nil {
		return h, false
	}
	var err error
	a.mu.RLock()
	if a.tab != nil { // else it is closed
		ok = a.tab.Find(a.tab.Hash(r.URL, r.Purpose), func(n uint32) (same bool) {
			same, err = a.read(uint64(n), r, &h)
			return same || err != nil
		}) && err == nil
	}
	a.mu.RUnlock()
	if err != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		_ = a.fail(err)
	}
	return h, ok
}

// read reads hop n, if it answers r. a.mu is held.
func (a *Audit) read(n uint64, r audit.Request, into *audit.Hop) (same bool, err error) {
	data, err := a.record(n)
	if err != nil {
		return false, err
	}
	h, err := cutHead(data)
	if err != nil || !h.answers(r) {
		return false, err
	}
	*into, err = a.s.codecs.hops.Decode(h.rest, r.URL)
	into.Request = r
	return err == nil, unreadable(err)
}

// record returns the record of hop n; it is not to be changed. a.mu is held.
func (a *Audit) record(n uint64) ([]byte, error) {
	for _, w := range []*work{&a.pending, &a.writing} {
		if v := w.hops.record(n); v != nil {
			return v, nil
		}
	}
	slot := &a.near[n/stretchRecords%nearStretches]
	at := slot.Load()
	if !at.has(n) {
		var err error
		if at, err = a.loadStretch(n, at); err != nil {
			return nil, err
		}
		slot.Store(at)
	}
	i := n - at.first
	return at.data[at.from[i]:at.from[i+1]], nil
}

// Answers are mostly looked up in the order in which they were kept, because both follow the
// sitemaps. So the second look-up in a stretch reads all of it, which serves the next ones.
const (
	stretchRecords = 32
	nearStretches  = 64 // of an audit: about 0.3 MB
)

// A stretch is the records from first on, as far as they were in the file and whole. It is
// immutable.
type stretch struct {
	first uint64
	data  []byte
	from  []int // where each record begins in data, and where the last ends
}

func (s *stretch) has(n uint64) bool {
	return s != nil && n >= s.first && n-s.first < uint64(len(s.from)-1)
}

// loadStretch reads record n, and all others of its stretch where before has one of them.
func (a *Audit) loadStretch(n uint64, before *stretch) (*stretch, error) {
	s := &stretch{first: n, from: make([]int, 1, stretchRecords+1)}
	end := n + 1
	if before != nil && before.first/stretchRecords == n/stretchRecords {
		s.first = n - n%stretchRecords
		end = s.first + stretchRecords
		s.data = make([]byte, 0, stretchRecords*224)
	}
	err := a.chunk(hopsBucket, s.first, end, func(_ *shelf, _ uint64, record []byte) error {
		s.data = append(s.data, record...)
		s.from = append(s.from, len(s.data))
		return nil
	})
	if s.has(n) {
		err = nil // it is met when that record is needed
	}
	return s, err
}

// Hops returns how many answers are stored; each answer to the same request counts.
func (a *Audit) Hops() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return int(a.pending.hops.next())
}

// Sent returns how many requests were sent for the stored answers, including retries. It returns 0
// where the answers cannot be read; then Flush returns the error.
func (a *Audit) Sent() int {
	if a.index() != nil {
		return 0
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.tab == nil { // closed
		return 0
	}
	return a.tab.Sent
}

// index builds the table when it is first needed. An error is that of Err, and there is no other
// attempt.
func (a *Audit) index() error {
	if a.indexed.Load() {
		return nil
	}
	a.indexing.Lock()
	defer a.indexing.Unlock()
	if a.indexed.Load() || a.indexErr != nil {
		return a.indexErr
	}
	t, end := index.New(), uint64(a.Hops()) // all are in the file: Keep indexes before it keeps
	for from := uint64(0); from < end && a.indexErr == nil; from += batchRecords {
		a.indexErr = a.chunk(hopsBucket, from, min(from+batchRecords, end), func(b *shelf, n uint64, data []byte) error {
			return enter(t, b, n, data)
		})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.indexErr != nil {
		return a.fail(a.indexErr)
	}
	a.tab = t
	a.indexed.Store(true)
	return nil
}

// enter adds hop n of b to a table. Of the same request the later one counts.
func enter(t *index.Table, b *shelf, n uint64, data []byte) error {
	h, err := cutHead(data)
	if err != nil {
		return err
	}
	t.Sent += int(h.sent >> 1)
	t.Set(t.HashBytes(h.url, h.purpose), uint32(n), func(old uint32) bool {
		data, e := b.need(key(uint64(old)))
		was, e2 := cutHead(data)
		err = errors.Join(err, e, e2)
		return was.purpose == h.purpose && string(was.url) == string(h.url)
	})
	return err
}
