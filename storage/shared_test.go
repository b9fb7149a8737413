package storage

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage/storetest"
)

// mustKeep returns the path of a closed store of n answers.
func mustKeep(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	var sm audit.Sitemap
	storetest.Fill(t, &sm, 7)
	_, err := a.AddSitemap(t.Context(), sm, listed(n))
	mustDo(t, err)
	for i := range n {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, s.Close())
	return path
}

// However long and from however many goroutines the store is read, an audit can begin. Reads then
// return an error, and work again when the audit ends.
func TestSharedLetsAWriterIn(t *testing.T) {
	path := mustKeep(t, 3000)
	s, err := OpenShared(path)
	mustDo(t, err)
	a := mustAudit(t, s, Latest)
	taken := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for stop := false; !stop; {
				select {
				case <-taken:
					stop = true // one more walk, which finds the lock
				default:
				}
				for i := range 3000 {
					a.Hop(audit.Request{URL: wire(i)})
				}
				for range a.Entries(t.Context(), 0, 3000) {
				}
			}
		})
	}
	writer, err := Open(path)
	close(taken)
	mustDo(t, err)
	readers.Wait()
	if err := a.Flush(); !errors.Is(err, ErrLocked) {
		t.Errorf("reading while a writer has the file: %v", err)
	}
	if _, err := s.Audits(); !errors.Is(err, ErrLocked) {
		t.Errorf("listing while a writer has the file: %v", err)
	}
	mustDo(t, writer.Close())
	if err := s.Close(); !errors.Is(err, ErrLocked) {
		t.Errorf("closing a store that could not be read to the end: %v", err)
	}
	if _, err := s.Audits(); !errors.Is(err, ErrLocked) {
		t.Errorf("after Close: %v", err)
	}

	again, err := OpenShared(path)
	mustDo(t, err)
	compareShared(t, mustAudit(t, again, Latest), 3000)
	mustDo(t, again.Close())
}

// A release between two reads, and in the middle of a walk, does not change what is read.
func TestSharedReadsOn(t *testing.T) {
	s, err := OpenShared(mustKeep(t, 2500))
	mustDo(t, err)
	defer s.Close()
	a := mustAudit(t, s, Latest)
	n := 0
	for e, err := range a.Entries(t.Context(), 0, 2500) {
		mustDo(t, err)
		if e.N%500 == 0 {
			letGo(t, s)
		}
		if h, ok := a.Hop(audit.Request{URL: wire(e.N)}); !ok || h.URL != wire(e.N) {
			t.Fatalf("answer %d is %v, %v", e.N, h, ok)
		}
		n++
	}
	if n != 2500 {
		t.Errorf("%d entries", n)
	}
	mustDo(t, a.Flush())
}

// While nothing is read, no writer is kept out, and a file that was replaced is not taken for the
// one that was opened.
func TestSharedIdles(t *testing.T) {
	path := mustKeep(t, 10)
	s, err := OpenShared(path)
	mustDo(t, err)
	defer s.Close()
	letGo(t, s)
	writer, err := Open(path)
	mustDo(t, err)
	mustDo(t, writer.Close())
	if infos, err := s.Audits(); err != nil || len(infos) != 1 {
		t.Fatalf("%d audits, %v", len(infos), err)
	}
	letGo(t, s)
	mustDo(t, os.Rename(mustKeep(t, 10), path))
	if _, err := s.Audits(); err == nil {
		t.Error("another file was read on")
	}
}

// A timer is started while the lease is locked: otherwise its function could find a lease without
// its timer.
func TestSharedTimersAreGuarded(t *testing.T) {
	start := startTimer
	defer func() { startTimer = start }()
	timers := 0
	startTimer = func(l *lease, _ time.Duration, f func()) *time.Timer {
		if timers++; l.mu.TryLock() {
			l.mu.Unlock()
			t.Error("a timer is started for a lease that is not locked")
		}
		return start(l, 0, f) // at once
	}
	s, err := OpenShared(mustKeep(t, 10))
	mustDo(t, err)
	a := mustAudit(t, s, Latest)
	letGo(t, s)
	compareShared(t, a, 10)
	mustDo(t, s.Close())
	if timers < 2 {
		t.Errorf("%d timers were started", timers)
	}
}

// The timer that releases the file waits until it is open, and the next reader opens it again. (The
// clock of the bubble jumps: nothing waits.)
func TestSharedIsLetGoInTime(t *testing.T) {
	path := mustKeep(t, 10)
	synctest.Test(t, func(t *testing.T) {
		s, err := OpenShared(path)
		mustDo(t, err)
		a := mustAudit(t, s, Latest)
		for range 3 {
			time.Sleep(holdFor + time.Millisecond)
			synctest.Wait()
			s.lease.mu.RLock()
			held := s.lease.held
			s.lease.mu.RUnlock()
			if held {
				t.Error("the file is held for longer than it should be")
			}
			compareShared(t, a, 10)
		}
		mustDo(t, s.Close())
	})
}

// letGo releases the file at once.
func letGo(t *testing.T, s *Store) {
	t.Helper()
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	mustDo(t, s.lease.release())
}

func compareShared(t *testing.T, a *Audit, n int) {
	t.Helper()
	if got := len(entries(t, a, 0, n+1)); got != n {
		t.Errorf("%d entries, want %d", got, n)
	}
	for i := range n {
		if h, ok := a.Hop(audit.Request{URL: wire(i)}); !ok || h.URL != wire(i) {
			t.Fatalf("answer %d is %v, %v", i, h, ok)
		}
	}
	mustDo(t, a.Flush())
}
