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
	dir      string
	patience time.Duration // how long a request waits before it is told that an entry is being written
	ctx      context.Context
	stop     context.CancelFunc
	turn     sync.Mutex // of the one entry that is being written
	jobs     sync.WaitGroup

	mu      sync.Mutex
	entries []*cacheEntry // the least recently used first
}

// A cacheEntry is one folder of written files.
type cacheEntry struct {
	name, dir string
	began     time.Time
	ready     chan struct{} // closed when the rest is valid
	err       error
	files     []string // names in dir, with slashes
	written   bool     // guarded by the cache's mu
}

// A writer fills the folder of an entry, and returns the names of the files.
type writer func(ctx context.Context, dir string) ([]string, error)

func newCache(dir string) *cache {
	s := &cache{dir: dir, patience: 1500 * time.Millisecond}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// take returns the entry of that name. Where there is none, it starts write, which fills the folder
// and returns the names of the files. It waits for a while, then returns a pending error while
// the writing goes on. An error of write is returned once; after it the entry is written anew.
func (s *cache) take(ctx context.Context, name string, write writer) (*cacheEntry, error) {
	b, err := s.begin(name, write)
	if err != nil {
		return nil, err
	}
	select {
	case <-b.ready:
	case <-time.After(s.patience):
		return nil, b.pending()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries = slices.DeleteFunc(s.entries, func(x *cacheEntry) bool { return x == b })
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
	if i := slices.IndexFunc(s.entries, func(b *cacheEntry) bool { return b.name == name }); i >= 0 {
		b := s.entries[i]
		s.entries = append(slices.Delete(s.entries, i, i+1), b)
		return b, nil
	}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	b := &cacheEntry{name: name, dir: dir, began: time.Now(), ready: make(chan struct{})}
	s.entries = append(s.entries, b)
	s.jobs.Go(func() { s.fill(b, write) })
	return b, nil
}

// fill writes an entry, and removes those that are too many.
func (s *cache) fill(b *cacheEntry, write writer) {
	defer close(b.ready)
	s.turn.Lock()
	defer s.turn.Unlock()
	b.err = ground.Guard(func() (err error) {
		if err = s.ctx.Err(); err == nil {
			b.files, err = write(s.ctx, b.dir)
		}
		return err
	})
	if b.err != nil {
		_ = os.RemoveAll(b.dir) // close removes what stays
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	over := len(s.entries) - cacheEntries
	s.entries = slices.DeleteFunc(s.entries, func(old *cacheEntry) bool {
		if over <= 0 || !old.written {
			return false
		}
		over--
		_ = os.RemoveAll(old.dir) // what is being sent stays readable; where it does not go, close removes it
		return true
	})
	b.written = true
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
