package storage

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// A process that waited for the lock of the old file gets the new one.
func TestCompactWhileOneWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	halfFree(t, path)
	s := &Store{path: path, open: map[string]*Audit{}, counts: true, now: time.Now}
	mustDo(t, s.openFile())
	waited := make(chan error)
	go func() {
		other, err := Open(path)
		if err == nil {
			_, err = other.Begin(audit.Info{Started: start.Add(48 * time.Hour), Targets: []string{"waited"}}, "shape")
		}
		if err == nil {
			err = other.Close()
		}
		waited <- err
	}()
	for openedTwice := false; !openedTwice; runtime.Gosched() {
		openedTwice = descriptors(t, path) > 1
	}
	before, err := s.file.Stat()
	mustDo(t, err)
	_, err = s.compact(before)
	mustDo(t, err)
	mustDo(t, s.Close())
	mustDo(t, <-waited)
	audits, err := mustOpen(t, path).Audits()
	if err != nil || len(audits) != 2 || audits[1].Targets[0] != "waited" {
		t.Errorf("what the one who waited wrote is lost: %v, %v", audits, err)
	}
}

// descriptors returns how often this process has a file open.
func descriptors(t *testing.T, path string) (n int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	mustDo(t, err)
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, path) {
			n++
		}
	}
	return n
}
