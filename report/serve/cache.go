package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/audit"
)

// cacheBytes and cacheEntries bound what a cache keeps.
const (
	cacheBytes   = 2 << 30
	cacheEntries = 64
)

// A cache keeps written outputs, each in a folder of its own, so that each is written only once,
// and removes the least recently used. Entries are written one at a time, because evaluating an
// audit takes memory.
type cache struct {
	dir   string
	limit int64
	ctx   context.Context
	stop  context.CancelFunc
	turn  chan struct{}
	jobs  sync.WaitGroup

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
	size  int64
	used  int // a running number; guarded by the cache's mu
	at    progress
}

// A progress is how much of an entry is written.
type progress struct{ read, written, of atomic.Int64 }

// A writer fills the folder of an entry, updates its progress meanwhile, and returns the names of
// the files.
type writer func(ctx context.Context, dir string, at *progress) ([]string, error)

func newCache(dir string) *cache {
	s := &cache{dir: dir, limit: cacheBytes, turn: make(chan struct{}, 1), entries: map[string]*cacheEntry{}}
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
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-b.ready:
	default:
		select {
		case <-b.ready:
		case <-wait.C:
			return nil, b.pending()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
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
	b.err = audit.Guard(func() (err error) {
		if b.files, err = write(s.ctx, b.dir, &b.at); err == nil {
			b.size, err = weigh(b.dir)
		}
		return err
	})
	if b.err != nil {
		_ = os.RemoveAll(b.dir) // close removes what stays
		return
	}
	s.clear(b)
}

// clear removes the least recently used entries until the rest is within the limits. The newest
// stays, whatever its size.
func (s *cache) clear(newest *cacheEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	size := newest.size
	for name, b := range s.entries {
		select {
		case <-b.ready:
			names = append(names, name)
			size += b.size
		default: // being written, the newest among them
		}
	}
	slices.SortFunc(names, func(a, b string) int { return s.entries[a].used - s.entries[b].used })
	for len(names) > 0 && (size > s.limit || len(names) >= cacheEntries) {
		b := s.entries[names[0]]
		delete(s.entries, names[0])
		size -= b.size
		_ = os.RemoveAll(b.dir) // what is being sent stays readable; where it does not go, close removes it
		names = names[1:]
	}
}

func weigh(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// close stops the writing and removes the folder.
func (s *cache) close() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.jobs.Wait()
	return os.RemoveAll(s.dir)
}

// pending returns the progress of the entry as an error.
func (b *cacheEntry) pending() pending {
	return pending{time.Since(b.began), int(b.at.read.Load()), int(b.at.written.Load()), int(b.at.of.Load())}
}

// open opens a file of the entry. The name must be in its list, and is opened below its folder in
// any case.
func (b *cacheEntry) open(name string) (*os.File, error) {
	if !slices.Contains(b.files, name) {
		return nil, errNoPage
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
