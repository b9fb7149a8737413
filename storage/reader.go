package storage

import (
	"errors"
	"sync"

	"go.etcd.io/bbolt"
)

// A reader keeps one read transaction open between look-ups, because opening one takes longer than
// a look-up. The writer makes the reader close it before each commit: while a transaction is open
// bbolt can neither extend its mapping nor reuse freed pages. So the writer never waits for a
// caller's next look-up.
type reader struct {
	begin func() (*bbolt.Tx, error) // opens a transaction that only reads

	mu     sync.RWMutex
	paused bool
	tx     *bbolt.Tx
	hops   map[string]*shelf // of tx, by audit
}

// look calls fn with the hops of the audit id. What fn reads there is valid while fn runs. fn must
// not use the store.
func (r *reader) look(id string, fn func(hops *shelf) error) error {
	for {
		done, err := r.lookKept(id, fn)
		if done || err != nil {
			return err
		}
		kept, err := r.keep(id)
		if err != nil {
			return err
		}
		if !kept {
			return r.lookOnce(id, fn)
		}
	}
}

// lookKept looks in the open transaction; it returns false where there is none.
func (r *reader) lookKept(id string, fn func(*shelf) error) (bool, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	b, ok := r.hops[id]
	if !ok {
		return false, nil
	}
	return true, b.guard(func() error { return fn(b) })
}

// lookOnce looks in a transaction of its own, while the writer is at work.
func (r *reader) lookOnce(id string, fn func(*shelf) error) error {
	tx, err := r.begin()
	if err != nil {
		return err
	}
	err = guard(func() error {
		b, err := bucket(tx, id, hopsBucket)
		if err != nil {
			return err
		}
		return b.guard(func() error { return fn(b) })
	})
	return errors.Join(err, guard(tx.Rollback))
}

// keep opens the transaction and the bucket; it returns false where the writer is at work.
func (r *reader) keep(id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paused {
		return false, nil
	}
	if r.tx == nil {
		tx, err := r.begin()
		if err != nil {
			return false, err
		}
		r.tx, r.hops = tx, map[string]*shelf{}
	}
	return true, guard(func() error {
		b, err := bucket(r.tx, id, hopsBucket)
		if err == nil {
			r.hops[id] = b
		}
		return err
	})
}

// pause closes the transaction; none is kept until resume.
func (r *reader) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused = true
	if r.tx != nil {
		_ = guard(r.tx.Rollback) // ends the transaction; there is nothing to roll back
		r.tx, r.hops = nil, nil
	}
}

func (r *reader) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused = false
}
