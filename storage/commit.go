package storage

import (
	"cmp"
	"time"

	"go.etcd.io/bbolt"
)

// work is the records that wait to be written.
type work struct {
	hops    batch
	records map[string][]byte
	size    int    // of the records
	links   []byte // of pages (pagelinks.go)
	parts   []int  // where further records begin in links
}

func (w *work) empty() bool {
	return w.hops.len() == 0 && len(w.records) == 0 && len(w.links) == 0
}

func (w *work) full() bool {
	return w.hops.full() || w.size >= batchBytes || len(w.links) >= linksBytes
}

// put keeps a copy of a record.
func (w *work) put(name string, value []byte) {
	if w.records == nil {
		w.records = map[string][]byte{}
	}
	w.size += len(name) + len(value)
	w.records[name] = append([]byte{}, value...)
}

// reset empties the work; its next hop has the number first.
func (w *work) reset(first uint64) {
	w.hops.reset(first)
	w.records, w.size, w.links, w.parts = nil, 0, w.links[:0], w.parts[:0]
}

// write writes the work into an audit's bucket and counts its named records.
func (w *work) write(b *shelf, t *tally) error {
	hops, err1 := b.part(string(hopsBucket))
	records, err2 := b.part(string(recordsBucket))
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	if err := w.hops.write(hops); err != nil {
		return err
	}
	for name, value := range w.records {
		if err := t.put(records, name, value); err != nil {
			return err
		}
	}
	return w.writeLinks(b, t)
}

// arm starts the timer for writing pending work. a.mu is held.
func (a *Audit) arm() {
	if a.timer == nil {
		a.timer = time.AfterFunc(writeEvery, func() { _ = a.commit(nil) }) // its error is kept
	}
}

// Flush writes what is pending and returns when it is on disk. It returns the first error of
// writing of the audit, then and in every later call. With a Store that is open for reading there
// is nothing to write. It releases the memory for pending work.
func (a *Audit) Flush() error {
	err := a.commit(nil)
	a.committing.Lock()
	defer a.committing.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range []*work{&a.pending, &a.writing} {
		if w.empty() {
			w.hops, w.links = batch{place: w.hops.place, first: w.hops.first}, nil
		}
	}
	return err
}

// commitFull writes what is pending if that is still full: of several callers that found it full,
// one writes and the others continue.
func (a *Audit) commitFull() error {
	a.committing.Lock()
	defer a.committing.Unlock()
	a.mu.RLock()
	full, err := a.pending.full(), a.err
	a.mu.RUnlock()
	if !full {
		return err
	}
	return a.commitLocked(nil)
}

// commit writes what is pending, and the changes of more, in one transaction.
func (a *Audit) commit(more func(*shelf) error) error {
	a.committing.Lock()
	defer a.committing.Unlock()
	return a.commitLocked(more)
}

func (a *Audit) commitLocked(more func(*shelf) error) error {
	if todo, err := a.take(more != nil); !todo || err != nil {
		return err
	}
	err := a.s.write(func(tx *bbolt.Tx) error {
		b, t, err := tallied(tx, a.id)
		if err != nil {
			return err
		}
		if err := a.writing.write(b, &t); err != nil {
			return err
		}
		if err := t.count(b); err != nil {
			return err
		}
		if err := t.write(b, a.s.now()); err != nil || more == nil {
			return err
		}
		return more(b)
	})
	if err != nil {
		a.fail(err)
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writing.reset(a.pending.hops.first)
	return nil
}

// take moves what is pending to where it is written from, and reports whether there is anything to
// do.
func (a *Audit) take(more bool) (todo bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
	if more {
		err = a.refusal()
	} else {
		err = a.err
	}
	if err != nil || a.pending.empty() && !more {
		return false, err
	}
	a.writing, a.pending = a.pending, a.writing
	a.pending.reset(a.writing.hops.next())
	return true, nil
}
