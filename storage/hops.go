package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"sitemend/crawler/answers"
)

// The record of a hop begins with what tells the request: its purpose, how many requests were sent for
// it, and the address with its length. The other fields follow.

func (a *Audit) encodeHop(to []byte, h *answers.Hop) ([]byte, error) {
	to = binary.AppendUvarint(append(to, byte(h.Purpose)), uint64(h.Sent()))
	to = append(binary.AppendUvarint(to, uint64(len(h.URL))), h.URL...)
	rest := *h
	rest.Request = answers.Request{}
	return a.s.codecs.hops.Encode(to, &rest, h.URL)
}

// A head is what the record of a hop begins with, and the rest of it.
type head struct {
	purpose   answers.Purpose
	sent      uint64
	url, rest []byte
}

func cutHead(data []byte) (h head, err error) {
	size, ok := 0, false
	if len(data) > 0 {
		h.purpose = answers.Purpose(data[0])
		h.sent, size = binary.Uvarint(data[1:])
		h.url, h.rest, ok = cutText(data[1+max(0, size):])
	}
	if !ok || size <= 0 {
		err = unreadable(errors.New("it ends too early"))
	}
	return h, err
}

func (h *head) answers(r answers.Request) bool {
	return h.purpose == r.Purpose && string(h.url) == r.URL
}

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
func (a *Audit) Keep(h answers.Hop) error {
	if err := a.index(); err != nil {
		return err
	}
	data, err := a.encodeHop(make([]byte, 0, 512), &h) // most fit in that, on the stack
	if err != nil {
		return explain(a.s.path, err)
	}
	return a.add(func(w *work) error {
		if w.hops.next() > math.MaxUint32 {
			return explain(a.s.path, fmt.Errorf("an audit holds at most %d answers", uint32(math.MaxUint32)))
		}
		a.know(w.hops.next(), maphash.String(hashSeed, h.URL), h.Purpose, h.Sent())
		w.hops.add(data)
		w.addLinks(h.Request, h.Links)
		return nil
	})
}

// Hop returns the latest answer to r. ok is false where there is none, and where it cannot be read;
// then Err, and the next Flush, return the error.
func (a *Audit) Hop(r answers.Request) (h answers.Hop, ok bool) {
	if a.index() != nil {
		return h, false
	}
	var err error
	a.mu.RLock()
	if n, there := a.latest[hashOf(maphash.String(hashSeed, r.URL), r.Purpose)]; there {
		ok, err = a.read(uint64(n), r, &h)
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
func (a *Audit) read(n uint64, r answers.Request, into *answers.Hop) (same bool, err error) {
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
		at = &stretch{n - n%stretchRecords, make([]byte, 0, stretchRecords*160), append(make([]uint32, 0, stretchRecords+1), 0)}
		err := a.chunk(hopsBucket, at.first, at.first+stretchRecords, func(_ uint64, record []byte) error {
			at.data = append(at.data, record...)
			at.from = append(at.from, uint32(len(at.data)))
			return nil
		})
		if !at.has(n) { // else an error is met when its record is needed
			return nil, err
		}
		slot.Store(at)
	}
	i := n - at.first
	return at.data[at.from[i]:at.from[i+1]], nil
}

// Answers are mostly looked up in the order in which they were kept, because both follow the
// sitemaps. So a look-up reads those beside it, too, which serve the next ones.
const (
	stretchRecords = 64
	nearStretches  = 64 // of an audit: about 0.8 MB
)

// A stretch is the records from first on, as far as they were in the file and whole. It is
// immutable once it is in Audit.near.
type stretch struct {
	first uint64
	data  []byte
	from  []uint32 // where each record begins in data, and where the last ends
}

func (s *stretch) has(n uint64) bool {
	return s != nil && n >= s.first && n-s.first < uint64(len(s.from)-1)
}

// Hops returns how many answers are stored; each answer to the same request counts.
func (a *Audit) Hops() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return int(a.pending.hops.next())
}

// Sent returns how many requests were sent for the stored answers, including retries. If the answers cannot
// be read it returns 0, and Flush returns the error.
func (a *Audit) Sent() int {
	if a.index() != nil {
		return 0
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.sent
}

// hashSeed is drawn anew for each process, so that a site cannot list addresses that all collide.
var hashSeed = maphash.MakeSeed()

// hashOf gives purposes different hashes: the multiplier is odd and mixes all bits. Two requests of an
// audit have the same hash by chance only: the answer to the earlier one is then not found, and asked for
// again.
func hashOf(url uint64, as answers.Purpose) hash {
	h := url ^ uint64(as)*0x9e3779b97f4a7c15
	return hash{uint32(h >> 32), uint32(h)}
}

// A hash is one of 64 bits. A map with an uint64 for it takes a quarter more memory.
type hash [2]uint32

// know notes hop n. Of the same request the later one counts. a.mu is held.
func (a *Audit) know(n, url uint64, as answers.Purpose, sent int) {
	a.latest[hashOf(url, as)] = uint32(n)
	a.sent += sent
}

// findHops finds the hops of the file, when one is first needed.
func (a *Audit) findHops() (err error) {
	end := uint64(a.Hops()) // all are in the file: Keep indexes before it keeps
	a.mu.Lock()
	defer a.mu.Unlock()
	a.latest = make(map[hash]uint32, end)
	for from := uint64(0); from < end && err == nil; from += batchRecords {
		err = a.chunk(hopsBucket, from, min(from+batchRecords, end), func(n uint64, data []byte) error {
			h, err := cutHead(data)
			a.know(n, maphash.Bytes(hashSeed, h.url), h.purpose, int(h.sent))
			return err
		})
	}
	if err != nil {
		err = a.fail(err)
	}
	return err
}
