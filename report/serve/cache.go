package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"sitemend/crawler/ground"
)

// cacheEntries bounds what a cache keeps: each is the outputs of an audit.
const cacheEntries = 12

// A cache keeps written outputs, each in a folder of its own, so that each is written only once,
// and removes the least recently used. Entries are written one at a time, because evaluating an
// audit takes memory.
type cache struct {
	dir  string
	ctx  context.Context
	stop context.CancelFunc
	turn chan struct{}
	jobs sync.WaitGroup

	mu      sync.Mutex
	entries map[string]*cacheEntry
	uses    int
}

// A cacheEntry is one folder of written files.
type cacheEntry struct {
	dir   string
	began time.Time
	ready chan struct{} // closed when the rest is valid
	err   error
	files []string // names in dir, with slashes
	used  int      // a running number; guarded by the cache's mu
}

// A writer fills the folder of an entry, and returns the names of the files.
type writer func(ctx context.Context, dir string) ([]string, error)

func newCache(dir string) *cache {
	s := &cache{dir: dir, turn: make(chan struct{}, 1), entries: map[string]*cacheEntry{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// take returns the entry of that name. Where there is none, it starts write, which fills the folder
// and returns the names of the files. It waits up to patience, then returns a pending error while
// the writing goes on. An error of write is returned once; after it the entry is written anew.
func (s *cache) take(ctx context.Context, name string, patience time.Duration, write writer) (*cacheEntry, error) {
	b, err := s.begin(name, write)
	if err != nil {
		return nil, err
	}
	select {
	case <-b.ready:
	case <-time.After(patience):
		return nil, b.pending()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.entries[name] == b {
			delete(s.entries, name)
		}
		return nil, b.err
	}
	return b, nil
}

// begin returns the entry, and starts writing it where there is none.
func (s *cache) begin(name string, write writer) (*cacheEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	s.uses++
	if b := s.entries[name]; b != nil {
		b.used = s.uses
		return b, nil
	}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	b := &cacheEntry{dir: dir, began: time.Now(), ready: make(chan struct{}), used: s.uses}
	s.entries[name] = b
	s.jobs.Go(func() { s.fill(b, write) })
	return b, nil
}

func (s *cache) fill(b *cacheEntry, write writer) {
	defer close(b.ready)
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-s.ctx.Done():
		b.err = s.ctx.Err()
		return
	}
	b.err = ground.Guard(func() (err error) {
		b.files, err = write(s.ctx, b.dir)
		return err
	})
	if b.err != nil {
		_ = os.RemoveAll(b.dir) // close removes what stays
		return
	}
	s.clear()
}

// clear removes the least recently used entries that are written.
func (s *cache) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.entries) > cacheEntries {
		oldest := ""
		for name, b := range s.entries {
			select {
			case <-b.ready:
				if oldest == "" || b.used < s.entries[oldest].used {
					oldest = name
				}
			default: // being written
			}
		}
		if oldest == "" {
			return
		}
		_ = os.RemoveAll(s.entries[oldest].dir) // what is being sent stays readable; where it does not go, close removes it
		delete(s.entries, oldest)
	}
}

// close stops the writing and removes the folder.
func (s *cache) close() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.jobs.Wait()
	return os.RemoveAll(s.dir)
}

// pending says as an error since when the entry is written.
func (b *cacheEntry) pending() pending { return pending(time.Since(b.began)) }

// open opens a file of the entry. The name must be in its list, and is opened below its folder in
// any case.
func (b *cacheEntry) open(name string) (*os.File, error) {
	if !slices.Contains(b.files, name) {
		return nil, ErrNone
	}
	root, err := os.OpenRoot(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, b.pending() // let go of since it was taken: whoever asks again has it written again
	}
	if err != nil {
		return nil, err
	}
	f, err := root.Open(filepath.FromSlash(name))
	return f, errors.Join(err, root.Close())
}
