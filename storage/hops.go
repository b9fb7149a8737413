package storage

import (
	"errors"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/index"
	"sitemend/storage/internal/record"
)

// Keep stores an answer. An answer to a request that was answered before is a new record, and the
// latest counts; the same answer again is ignored, so that its requests count once. It returns the
// error of an earlier write, if there was one; then h is not kept.
func (a *Audit) Keep(h audit.Hop) error {
	if err := a.index(); err != nil {
		return err
	}
	data, err := record.EncodeHop(&h, a.base)
	if err != nil {
		return explain(a.s.path, err)
	}
	full, err := a.keep(&h, data)
	if err != nil || !full {
		return err
	}
	return a.commitFull()
}

// keep makes a record pending, and reports whether the pending records are full.
func (a *Audit) keep(h *audit.Hop, data []byte) (full bool, err error) {
	r := h.Request
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.refusal(); err != nil {
		return false, err
	}
	var known audit.Hop
	hash := a.tab.Hash(r)
	again, err := a.lookUp(r, hash, &known)
	if err != nil {
		a.err = explain(a.s.path, err)
		return false, a.err
	}
	if again && sameAnswer(known, *h) {
		return false, nil
	}
	n := a.pending.hops.next()
	if n > index.MaxHops {
		return false, explain(a.s.path, index.ErrFull)
	}
	if again {
		a.tab.Set(hash, uint32(n), func(old uint32) bool {
			same, e := a.read(uint64(old), r, new(audit.Hop))
			err = errors.Join(err, e)
			return same
		})
	} else {
		a.tab.Add(hash, uint32(n))
	}
	if err != nil {
		a.err = explain(a.s.path, err)
		return false, a.err
	}
	a.tab.Count(h, hash)
	a.pending.hops.add(data)
	a.pending.addLinks(r, h.Links)
	a.arm()
	return a.pending.full(), nil
}

// Hop returns the latest answer to r. ok is false where there is none, and where it cannot be read;
// then Err, and the next Flush, return the error.
func (a *Audit) Hop(r audit.Request) (h audit.Hop, ok bool) {
	if a.index() != nil {
		return audit.Hop{}, false
	}
	ok, err := a.find(r, &h)
	if err != nil {
		a.fail(err)
	}
	return h, ok
}

// Err returns the first error of reading an answer, or of writing; ErrClosed after Close.
func (a *Audit) Err() error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.err == nil && a.closed {
		return explain(a.s.path, ErrClosed)
	}
	return a.err
}

func (a *Audit) find(r audit.Request, into *audit.Hop) (ok bool, err error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.tab == nil { // closed
		return false, nil
	}
	return a.lookUp(r, a.tab.Hash(r), into)
}

// sameAnswer reports whether two hops are the same answer; times are compared in milliseconds, as
// they are stored.
func sameAnswer(a, b audit.Hop) bool {
	if a.At.UnixMilli() != b.At.UnixMilli() {
		return false
	}
	a.At, a.Links, b.Links = b.At, "", ""
	return a == b
}

// lookUp is find for a caller that holds a.mu and has checked that the table exists; hash is the
// hash of r in the table.
func (a *Audit) lookUp(r audit.Request, hash uint64, into *audit.Hop) (ok bool, err error) {
	if !a.tab.MayHave(r, hash) {
		return false, nil
	}
	_, ok = a.tab.Find(hash, func(n uint32) bool {
		same, e := a.read(uint64(n), r, into)
		if e != nil {
			err = errors.Join(err, e)
		}
		return same
	})
	return ok, err
}

// Hops returns how many answers are stored; each answer to the same request counts.
func (a *Audit) Hops() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return int(a.pending.hops.next())
}

// Sent returns how many requests were sent for the stored answers, including retries, and how many
// of these were for second spellings. It returns 0 where the answers cannot be read; then Flush
// returns the error.
func (a *Audit) Sent() (requests, second int) {
	if a.index() != nil {
		return 0, 0
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.tab == nil { // closed
		return 0, 0
	}
	return a.tab.Sent, a.tab.Second
}

// Snapshot writes what is pending and calls fn with the answers. fn may call any method of the
// Audit, and may take any time: no transaction waits for it. It sees answers that are kept while it
// runs. Snapshot returns fn's error, else that of a read that failed.
func (a *Audit) Snapshot(fn func(audit.Answers) error) error {
	if err := a.index(); err != nil {
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	if err := fn(a); err != nil {
		return err
	}
	return a.Flush()
}

// read reads hop n, if it answers r. a.mu is held.
func (a *Audit) read(n uint64, r audit.Request, into *audit.Hop) (same bool, err error) {
	for _, w := range []*work{&a.pending, &a.writing} {
		if v := w.hops.record(n); v != nil {
			return answer(v, r, a.base, into)
		}
	}
	if v := a.near.record(n); v != nil {
		return answer(v, r, a.base, into)
	}
	if err := a.s.enter(); err != nil {
		return false, err
	}
	defer a.s.leave()
	many := a.near.wanted(n)
	err = a.s.reader.look(a.id, func(hops *shelf) (err error) {
		if many {
			a.near.load(hops, n, a.committed())
		}
		same, err = hops.answer(n, r, a.base, into)
		return err
	})
	return same, err
}

// committed returns the number from which on hops may not yet be in the file. a.mu is held.
func (a *Audit) committed() uint64 {
	if a.writing.hops.len() > 0 {
		return a.writing.hops.first
	}
	return a.pending.hops.first
}

// answer reads hop n of the bucket of hops, if it answers r.
func (s *shelf) answer(n uint64, r audit.Request, base int64, into *audit.Hop) (bool, error) {
	data, err := s.need(key(n))
	if err != nil {
		return false, err
	}
	return answer(data, r, base, into)
}

// answer decodes a record if it answers r.
func answer(data []byte, r audit.Request, base int64, into *audit.Hop) (bool, error) {
	if url, as, ok := record.Request(data); ok && (as != r.Purpose || string(url) != r.URL) {
		return false, nil
	}
	h, err := record.DecodeHop(data, base, r.URL)
	if err != nil || h.Request != r {
		return false, unreadable(err)
	}
	*into = h
	return true, nil
}

// index builds the table when it is first needed.
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
	for from := uint64(0); from < end; from += batchRecords {
		if err := a.chunk(hopsBucket, from, min(from+batchRecords, end), loader(t)); err != nil {
			a.fail(err)
			a.indexErr = err // there is no other attempt
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tab = t
	a.indexed.Store(true)
	return nil
}

// loader returns a function that adds hop n of b to a table.
func loader(t *index.Table) func(b *shelf, n uint64, data []byte) error {
	return func(b *shelf, n uint64, data []byte) error {
		if url, hop, ok := record.Sent(data); ok {
			// Requests are equal if address and purpose are; the address becomes a string only
			// where its hash was met before.
			return enter(t, b, n, t.HashBytes(url, hop.Purpose), &hop,
				func() string { return string(url) })
		}
		h, err := record.DecodeHop(data, 0, "")
		if err != nil {
			return unreadable(err)
		}
		return enter(t, b, n, t.Hash(h.Request), &h, func() string { return h.URL })
	}
}

// enter adds hop n of b, whose address url returns, to a table.
func enter(t *index.Table, b *shelf, n, hash uint64, h *audit.Hop, url func() string) (err error) {
	t.Count(h, hash)
	t.Set(hash, uint32(n), func(old uint32) bool {
		same, e := b.answer(uint64(old), audit.Request{URL: url(), Purpose: h.Purpose}, 0,
			new(audit.Hop))
		err = errors.Join(err, e)
		return same
	})
	return err
}
