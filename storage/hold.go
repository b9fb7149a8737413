package storage

import (
	"cmp"
	"time"
)

// enter makes the file available until s.use.RUnlock; Note released it where the Store only reads. A
// goroutine must not enter twice at once.
func (s *Store) enter() error {
	for {
		s.use.RLock()
		if s.held {
			return nil
		}
		s.use.RUnlock()
		if err := s.take(); err != nil {
			return err
		}
	}
}

// take opens the file again, unless that failed before: otherwise a walk over a million answers
// would wait a second for each.
func (s *Store) take() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.held || s.lost != nil {
		return s.lost
	}
	s.lost = s.openFile()
	return s.lost
}

// release closes the file. s.use is held.
func (s *Store) release() error {
	if !s.held {
		return nil
	}
	s.held = false
	if s.broken.Load() {
		s.abandon()
		return nil
	}
	return guard(s.db.Close)
}

// abandon releases the file where bbolt cannot close it any more, because a transaction that ended
// in a panic holds its locks. The mapping stays.
func (s *Store) abandon() {
	if s.file != nil {
		_ = unlock(s.file) // an error means that it is closed already
		_ = s.file.Close()
	}
}

// lockedBy is the error for a file that another process has open.
func (s *Store) lockedBy() error {
	return &Error{Path: s.path, What: ErrLocked.Error(), Err: ErrLocked,
		Hint: "another sitemend has it open; wait until it ends, or give another file with --store"}
}

// waitFor is how long to wait for another process to release the file.
func (s *Store) waitFor() time.Duration { return cmp.Or(s.wait, time.Second) }
