package storage

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
	"sitemend/storage/internal/index"
	"sitemend/storage/internal/record"
)

// writeEvery is how long an answer waits at most for the next commit.
const writeEvery = 500 * time.Millisecond

// An Audit is one audit of a Store. Its methods are safe for concurrent use. The arguments of Keep
// and Put are visible to Hop and Get at once, and on disk after half a second, a Flush or a Close.
// An error of writing is kept, and every later Keep, Put, Flush and Close returns it: what was not
// written is requested again when the audit is continued.
type Audit struct {
	s    *Store
	id   string
	seq  uint64
	base int64 // Unix milliseconds, the base of the times of hops
	refs int   // how often it is open; guarded by s.mu

	adding     sync.Mutex // held while a sitemap is added
	indexing   sync.Mutex // held while the table is built
	indexed    atomic.Bool
	indexErr   error      // guarded by indexing
	committing sync.Mutex // held while pending work is written; taken before mu

	mu       sync.RWMutex
	info     []byte       // infoRecord
	sitemaps int          // sitemaps with a done mark
	entries  int          // of those
	tab      *index.Table // nil until it is needed
	pending  work
	writing  work // is being committed
	timer    *time.Timer
	err      error // the first error of writing, or of reading a hop
	closed   bool

	near recordCache // hops that were read
}

// Audit opens an audit by its ID, or the newest by "latest", for reading or, where the Store can
// write, for continuing it. Where there is none the error is ErrNone. An audit that is open already
// is returned again; it is closed when each caller that opened it has closed it.
func (s *Store) Audit(id string) (*Audit, error) {
	id, err := s.resolve(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, explain(s.path, ErrClosed)
	}
	if a, ok := s.open[id]; ok {
		a.refs++
		return a, nil
	}
	a := &Audit{s: s, id: id, refs: 1}
	if err := s.view(a.load); err != nil {
		return nil, err
	}
	s.open[id] = a
	return a, nil
}

// load reads what an open audit keeps in memory, except the table.
func (a *Audit) load(tx *bbolt.Tx) error {
	b, err := bucket(tx, a.id)
	if err != nil {
		return err
	}
	return b.guard(func() error { return a.loadFrom(b) })
}

func (a *Audit) loadFrom(b *shelf) error {
	info, err := readInfo(a.id, b)
	if err != nil {
		return err
	}
	data, err1 := b.need(infoKey)
	base, err2 := b.number(baseKey)
	t, err3 := readTally(b)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return err
	}
	a.info, a.base, a.seq = bytes.Clone(data), int64(base), info.Seq
	if err := t.check(b); err != nil {
		return err
	}
	if err := a.loadSitemaps(b, &t); err != nil {
		return err
	}
	// An audit that has not ended may have entries of a sitemap without its done mark.
	if t.Entries < uint64(a.entries) || !info.Ended.IsZero() && t.Entries > uint64(a.entries) {
		return &fault{what: fmt.Sprintf("audit %s has %d entries, its sitemaps have %d", a.id,
			t.Entries, a.entries)}
	}
	a.pending.hops = batch{place: auditPlace(a.id, hopsBucket), first: t.Hops}
	a.writing.hops.place = a.pending.hops.place
	return nil
}

// loadSitemaps counts the sitemaps with a done mark, and their entries.
func (a *Audit) loadSitemaps(b *shelf, t *tally) error {
	if t.Sitemaps == 0 {
		return nil
	}
	last, err := b.sitemap(int(t.Sitemaps - 1))
	a.sitemaps, a.entries = int(t.Sitemaps), last.First+last.Entries
	return err
}

// after returns the number after the last key of s; 0 for an empty one.
func after(s *shelf) (uint64, error) {
	k, _ := s.b.Cursor().Last()
	if k == nil {
		return 0, nil
	}
	n, ok := number(k)
	if !ok || n > index.MaxHops {
		return 0, &fault{what: fmt.Sprintf("a record of %s has the key %x", spoken(s.path), k)}
	}
	return n + 1, nil
}

// ID returns the name of the audit: its start in UTC, as 20060102T150405Z; 20060102T150405Z-2 is
// the second audit that started in that second.
func (a *Audit) ID() string { return a.id }

// Info returns the information about the audit as a whole.
func (a *Audit) Info() audit.Info {
	a.mu.RLock()
	defer a.mu.RUnlock()
	info, _ := record.DecodeInfo(a.id, a.info) // it was decoded when the audit was opened
	info.Seq = a.seq
	return info
}

// SetInfo replaces the information about the audit, and writes what is pending. The ID stays.
func (a *Audit) SetInfo(info audit.Info) error {
	data, err := record.EncodeInfo(info)
	if err != nil {
		return explain(a.s.path, err)
	}
	if err := a.commit(func(b *shelf) error { return b.put(infoKey, data) }); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.info = data
	return nil
}

// Finish is SetInfo for an audit that is complete: it will not be continued. Ended is set to now
// where it is zero.
func (a *Audit) Finish(info audit.Info) error {
	if info.Ended.IsZero() {
		info.Ended = a.s.now()
	}
	return a.SetInfo(info)
}

// Active returns when the audit was last written to, to the millisecond.
func (a *Audit) Active() (time.Time, error) {
	var t tally
	err := a.s.view(func(tx *bbolt.Tx) (err error) {
		_, t, err = tallied(tx, a.id)
		return err
	})
	return t.active(), err
}

// Close writes what is pending and closes the audit; the Store stays open. It must be called once
// for each time that the audit was opened; the last call closes it. A further Close does nothing.
func (a *Audit) Close() error {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.open[a.id] != a {
		return nil
	}
	if a.refs--; a.refs > 0 {
		return a.Flush()
	}
	delete(a.s.open, a.id)
	return a.shut()
}

// shut makes the audit refuse further writes, and writes what is pending.
func (a *Audit) shut() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	err := a.Flush()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tab = nil
	return err
}

// fail keeps the first error, for Keep, Put, Flush and Close to return.
func (a *Audit) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = explain(a.s.path, err)
	}
}

// Put stores a small value under a name, in place of an earlier one. It is written together with
// the answers. The name must not be empty or longer than 32,768 bytes.
func (a *Audit) Put(name string, value []byte) error {
	if name == "" || len(name) > bbolt.MaxKeySize {
		return fmt.Errorf("a record's name has %d bytes, of 1 to %d", len(name), bbolt.MaxKeySize)
	}
	a.mu.Lock()
	if err := a.refusal(); err != nil {
		a.mu.Unlock()
		return err
	}
	a.pending.put(name, value)
	full := a.pending.full()
	a.arm()
	a.mu.Unlock()
	if full {
		return a.commitFull()
	}
	return nil
}

// refusal returns why nothing can be kept; nil where it can. a.mu is held.
func (a *Audit) refusal() error {
	switch {
	case a.err != nil:
		return a.err
	case a.closed:
		return explain(a.s.path, ErrClosed)
	case a.s.readOnly:
		return explain(a.s.path, ErrReadOnly)
	}
	return nil
}

// Get returns the value of a name; ok is false where there is none.
func (a *Audit) Get(name string) (value []byte, ok bool, err error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, w := range []*work{&a.pending, &a.writing} {
		if v, ok := w.records[name]; ok {
			return append([]byte{}, v...), true, nil
		}
	}
	err = a.s.view(func(tx *bbolt.Tx) error {
		b, err := bucket(tx, a.id, recordsBucket)
		if err != nil {
			return err
		}
		v, err := b.get([]byte(name))
		value, ok = bytes.Clone(v), v != nil
		return err
	})
	return value, ok, err
}
