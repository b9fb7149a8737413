package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newTestShelf(t *testing.T) *cache {
	t.Helper()
	s := newCache(filepath.Join(t.TempDir(), "cache"))
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder is left: %v", err)
		}
	})
	return s
}

// writing fills an entry with one file of n bytes and counts how often.
func writing(n int, times *int) writer {
	return func(_ context.Context, dir string) ([]string, error) {
		*times++ // one entry is written at a time
		return []string{"a/b"}, errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o700), os.WriteFile(filepath.Join(dir, "a", "b"), make([]byte, n), 0o600))
	}
}

// The least recently used entries go; one that was let go of before it was opened is asked for again.
func TestShelfLetsGo(t *testing.T) {
	s, times := newTestShelf(t), 0
	var second *cacheEntry
	for i := range 2 * cacheEntries {
		b, err := s.take(t.Context(), fmt.Sprint(i), time.Minute, writing(40, &times))
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			second = b
		}
		s.jobs.Wait()
		if _, err := s.take(t.Context(), "0", time.Minute, writing(40, &times)); err != nil { // wanted again and again
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(s.dir); len(left) != cacheEntries || err != nil {
		t.Errorf("%d entries are kept, %v", len(left), err)
	}
	if times != 2*cacheEntries {
		t.Errorf("written %d times, want each once: the one that is wanted stays", times)
	}
	_, err := second.open("a/b")
	if wait := pending(0); !errors.As(err, &wait) {
		t.Errorf("got %v, want that it has to be waited for", err)
	}
}

// What waits, and what is being written, ends with the cache.
func TestShelfCloses(t *testing.T) {
	s := newTestShelf(t)
	for _, name := range []string{"a", "b", "c"} {
		_, err := s.take(t.Context(), name, time.Nanosecond, func(ctx context.Context, _ string) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if wait := pending(0); !errors.As(err, &wait) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if _, err := s.take(t.Context(), "d", time.Minute, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after close: %v", err)
	}
}
