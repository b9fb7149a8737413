package storage

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// writeEvery is how long an answer waits at most for the next commit.
const writeEvery = 500 * time.Millisecond

// An Audit is one audit of a Store. Its methods are safe for concurrent use. The arguments of Keep
// and Put are visible to Hop and Get at once, and on disk after half a second, a Flush or a Close.
// An error of writing is kept, and every later Keep, Put, Flush and Close returns it: what was not
// written is requested again when the audit is continued.
type Audit struct {
	s    *Store
	at   listedAudit
	refs int // how often it is open; guarded by s.mu

	adding     sync.Mutex   // held while a sitemap is added
	index      func() error // findHops, once: an error is that of Err, and there is no other attempt
	committing sync.Mutex   // held while pending work is written; taken before mu

	mu       sync.RWMutex
	info     []byte          // its record
	sitemaps int             // sitemaps with all their entries
	entries  int             // of those
	latest   map[hash]uint32 // the latest hop of each request, by its hash; nil until it is needed
	sent     int             // requests for all hops
	pending  work
	writing  work // is being committed
	timer    *time.Timer
	err      error // the first error of writing, or of reading a hop
	closed   bool

	near [nearStretches]atomic.Pointer[stretch] // hops that were read
}

// work is what waits to be written.
type work struct {
	hops    batch
	records map[string][]byte
	size    int    // of the records
	links   []byte // of pages
}

func (w *work) empty() bool { return len(w.hops.from) == 0 && len(w.records) == 0 && len(w.links) == 0 }

func (w *work) full() bool {
	return w.hops.full() || w.size >= batchBytes || len(w.links) >= linksBytes
}

// Audit opens an audit by its ID, or the newest by "latest", for reading or, where the Store can
// write, for continuing it. Where there is none the error is ErrNone. An audit that is open already
// is returned again; it is closed when each caller that opened it has closed it.
func (s *Store) Audit(id string) (*Audit, error) {
	at, err := s.resolve(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, explain(s.path, ErrClosed)
	}
	if a, ok := s.open[at.ID]; ok {
		a.refs++
		return a, nil
	}
	a := &Audit{s: s, at: at, refs: 1}
	a.index = sync.OnceValue(a.findHops)
	if err := s.view(a.load); err != nil {
		return nil, err
	}
	s.open[at.ID] = a
	return a, nil
}

// load reads what an open audit keeps in memory, except where the hops are.
func (a *Audit) load(tx *bbolt.Tx) error {
	info, st, err := a.s.readAudit(tx, a.at)
	if err != nil {
		return err
	}
	if a.info, err = a.s.encodeInfo(info); err != nil {
		return err
	}
	a.sitemaps, a.entries = int(st.Sitemaps), int(st.Entries)
	a.pending.hops.first = st.Hops
	return nil
}

// ID returns the name of the audit: its start in UTC, as 20060102T150405Z; 20060102T150405Z-2 is
// the second audit that started in that second.
func (a *Audit) ID() string { return a.at.ID }

// Info returns the information about the audit as a whole.
func (a *Audit) Info() audit.Info {
	a.mu.RLock()
	defer a.mu.RUnlock()
	info, _ := a.s.codecs.infos.Decode(a.info, "") // Info or SetInfo encoded it
	info.ID, info.Seq = a.at.ID, a.at.Seq
	return info
}

// SetInfo replaces the information about the audit, and writes what is pending. The ID stays. An audit
// with an end will not be continued.
func (a *Audit) SetInfo(info audit.Info) error {
	data, err := a.s.encodeInfo(info)
	if err != nil {
		return err
	}
	if err := a.commit(false, func(b *shelf) error { return b.put(infoKey, data) }); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.info = data
	return nil
}

// Active returns when the audit was last written to, to the millisecond.
func (a *Audit) Active() (time.Time, error) {
	st, err := a.state()
	return time.UnixMilli(st.Active).UTC(), err
}

// state returns the state as it was last written.
func (a *Audit) state() (st state, err error) {
	err = a.s.view(func(tx *bbolt.Tx) (err error) {
		_, st, err = a.s.readAudit(tx, a.at)
		return err
	})
	return st, err
}

// Close writes what is pending and closes the audit; the Store stays open. It must be called once
// for each time that the audit was opened; the last call closes it. A further Close does nothing.
func (a *Audit) Close() error {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.open[a.at.ID] != a {
		return nil
	}
	if a.refs--; a.refs > 0 {
		return a.Flush()
	}
	delete(a.s.open, a.at.ID)
	return a.shut()
}

// shut makes the audit refuse further writes, and writes what is pending.
func (a *Audit) shut() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	return a.Flush()
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

// fail keeps the first error, for Keep, Put, Flush and Close to return. a.mu is held.
func (a *Audit) fail(err error) error {
	if a.err == nil {
		a.err = explain(a.s.path, err)
	}
	return a.err
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

// Put stores a small value under a name, in place of an earlier one. It is written together with
// the answers. The name must not be empty or longer than 32,768 bytes.
func (a *Audit) Put(name string, value []byte) error {
	return a.add(func(w *work) error {
		if w.records == nil {
			w.records = map[string][]byte{}
		}
		w.size += len(name) + len(value)
		w.records[name] = append([]byte{}, value...)
		return nil
	})
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
		b, err := auditShelf(tx, a.at.ID, recordsBucket)
		if err != nil {
			return err
		}
		v, err := b.get([]byte(name))
		value, ok = bytes.Clone(v), v != nil
		return err
	})
	return value, ok, err
}

// add lets fn add to the pending work, which is written at once where it is full, else soon. Of
// several callers that find it full, one writes and the others continue.
func (a *Audit) add(fn func(w *work) error) error {
	a.mu.Lock()
	err := a.refusal()
	if err == nil {
		err = fn(&a.pending)
	}
	if err == nil && a.timer == nil {
		a.timer = time.AfterFunc(writeEvery, func() { _ = a.Flush() }) // its error is kept
	}
	full := a.pending.full()
	a.mu.Unlock()
	if err != nil || !full {
		return err
	}
	return a.commit(true, nil)
}

// Flush writes what is pending and returns when it is on disk. It returns the first error of
// writing of the audit, then and in every later call. With a Store that is open for reading there
// is nothing to write.
func (a *Audit) Flush() error { return a.commit(false, nil) }

// commit writes what is pending and the changes of more in one transaction. Where there are none of these
// it does so only if anything is pending; with full, only if that is full.
func (a *Audit) commit(full bool, more func(*shelf) error) error {
	a.committing.Lock()
	defer a.committing.Unlock()
	a.mu.Lock()
	err := a.err
	if more != nil {
		err = a.refusal()
	}
	due := err == nil && (more != nil || a.pending.full() || !full && !a.pending.empty())
	if due {
		if a.timer != nil {
			a.timer.Stop()
			a.timer = nil
		}
		a.writing, a.pending = a.pending, work{hops: a.pending.hops.after(a.writing.hops)}
	}
	a.mu.Unlock()
	if !due {
		return err
	}
	err = a.update(func(b *shelf, st *state) error {
		if err := a.writing.write(b, st); err != nil || more == nil {
			return err
		}
		return more(b)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		_ = a.fail(err)
		return err
	}
	a.writing = work{hops: a.pending.hops.after(a.writing.hops)} // it has no record, and its memory serves again
	return nil
}

// update runs fn in a transaction with the audit's bucket and its state, which it writes then.
func (a *Audit) update(fn func(b *shelf, st *state) error) error {
	return a.s.write(func(tx *bbolt.Tx) error {
		var st state
		b, err := auditShelf(tx, a.at.ID)
		if err == nil {
			err = b.load(stateKey, &st)
		}
		if err == nil {
			err = fn(b, &st)
		}
		if err != nil {
			return err
		}
		st.Active = a.s.now().UnixMilli()
		return b.save(stateKey, &st)
	})
}

// write writes the work into an audit's bucket.
func (w *work) write(b *shelf, st *state) error {
	records, err := b.within(recordsBucket)
	if err == nil {
		err = w.hops.write(b, hopsBucket)
	}
	if err != nil {
		return err
	}
	st.Hops = w.hops.next()
	for name, value := range w.records {
		if err := records.put([]byte(name), value); err != nil {
			return err
		}
	}
	return w.writeLinks(b, st)
}

// chunk calls fn with the records from <= n < to of one of the audit's numbered buckets, in one
// transaction. Callers keep the range short, so that the writer does not wait.
func (a *Audit) chunk(name []byte, from, to uint64, fn func(n uint64, record []byte) error) error {
	return a.s.view(func(tx *bbolt.Tx) error {
		b, err := auditShelf(tx, a.at.ID, name)
		if err != nil {
			return err
		}
		return b.numbered(from, to, fn)
	})
}
