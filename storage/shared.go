package storage

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// A file that is open for reading keeps a writer out (bbolt locks the whole file), and a writer
// tries for a second, every 50 ms. So a long read holds the file for holdFor at a time and then
// releases it for letGoFor: a writer finds it free three times before it gives up.
const (
	holdFor  = 250 * time.Millisecond
	letGoFor = 75 * time.Millisecond
)

// OpenShared opens the store at path for reading, like OpenReadOnly, but without holding it:
// however long the reading takes, it releases the file several times a second, and while nothing is
// read. Where a writer took it meanwhile the error of the next read, and of all that follow, is
// ErrLocked. An audit that has ended does not change in between; parts of one that was continued or
// removed in between can be missing.
func OpenShared(path string, opts ...Option) (*Store, error) {
	s, err := OpenReadOnly(path, opts...)
	if err != nil {
		return nil, err
	}
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	s.lease.keep = false
	s.lease.expire()
	return s, nil
}

// A lease is the hold on its file of a store that is open for reading. mu is held for reading by
// each reader of the file, and for writing while the file is opened or released.
type lease struct {
	s     *Store
	info  os.FileInfo // of the file that was last opened
	mu    sync.RWMutex
	held  bool
	keep  bool      // it is not released by the timer
	err   error     // why the file cannot be opened again
	letGo time.Time // when it was last released
	timer *time.Timer
}

// enter makes the file available until leave. A goroutine must not enter twice at once: a release
// in between would wait for the first and block the second.
func (s *Store) enter() error {
	l := s.lease
	for l != nil {
		l.mu.RLock()
		if l.held {
			break
		}
		l.mu.RUnlock()
		if err := l.take(); err != nil {
			return err
		}
	}
	return nil
}

// leave ends what enter began.
func (s *Store) leave() {
	if s.lease != nil {
		s.lease.mu.RUnlock()
	}
}

// take opens the file again, unless that failed before: otherwise a walk over a million answers
// would wait a second for each.
func (l *lease) take() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held || l.err != nil {
		return l.err
	}
	time.Sleep(time.Until(l.letGo.Add(letGoFor)))
	if l.err = l.reopen(); l.err != nil {
		return l.err
	}
	l.held = true
	l.expire()
	return nil
}

func (l *lease) reopen() error {
	if err := l.s.openDB(); err != nil {
		return err
	}
	info, err := l.s.file.Stat()
	if err == nil && !os.SameFile(info, l.info) {
		err = l.compacted()
	}
	if err == nil {
		err = l.s.checkHeaders()
	}
	if err != nil {
		return errors.Join(err, guard(l.s.db.Close))
	}
	l.info = info
	l.s.reader.resume()
	return nil
}

// compacted reports whether another file with the name is the result of Compact on the one that was
// read: it has the salt, which no other store has, and the same numbers.
func (l *lease) compacted() error {
	same := false
	err := l.s.inTx(func(tx *bbolt.Tx) error {
		meta := rootShelf(tx, metaBucket)
		if meta == nil || l.s.salt == nil {
			return nil
		}
		salt, err := meta.need(saltKey)
		same = bytes.Equal(salt, l.s.salt)
		return err
	})
	if err == nil && !same {
		err = errors.New("another file was put in its place while it was read")
	}
	return err
}

// expire starts the timer that releases the file, unless it is kept. l.mu is held.
func (l *lease) expire() {
	if l.keep {
		return
	}
	l.timer = startTimer(l, holdFor, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		// Nothing was written: only releasing can fail, and the next read returns that error.
		_ = l.release()
	})
}

// startTimer is time.AfterFunc; tests replace it to examine the lease.
var startTimer = func(_ *lease, d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, f)
}

// release releases the file. l.mu is held.
func (l *lease) release() error {
	if !l.held {
		return nil
	}
	l.held, l.letGo = false, time.Now()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.s.reader.pause()
	if l.s.dead.Load() {
		l.s.abandon()
		return nil
	}
	return guard(l.s.db.Close)
}

// end is the last release.
func (l *lease) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = ErrClosed
	}
	return l.release()
}
