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

// shelfBytes and shelfBooks bound what a shelf keeps.
const (
	shelfBytes = 2 << 30
	shelfBooks = 64
)

// A shelf keeps what was written to be sent, each in a folder of its own, so that
// it is written once, and lets go of what was not wanted for longest. One book is
// written at a time: telling an audit takes memory.
type shelf struct {
	dir   string
	limit int64
	ctx   context.Context
	stop  context.CancelFunc
	turn  chan struct{}
	jobs  sync.WaitGroup

	mu    sync.Mutex
	books map[string]*book
	uses  int
}

// A book is one folder of written files.
type book struct {
	dir   string
	began time.Time
	ready chan struct{} // closed when the rest is valid
	err   error
	files []string // names in dir, with slashes
	size  int64
	used  int // a running number; guarded by the shelf's mu
	at    progress
}

// A progress is how far the writing of a book is.
type progress struct{ read, written, of atomic.Int64 }

// A writer fills the folder of a book, returns the names of the files, and says
// meanwhile how far it is.
type writer func(ctx context.Context, dir string, at *progress) ([]string, error)

func newShelf(dir string) *shelf {
	s := &shelf{dir: dir, limit: shelfBytes, turn: make(chan struct{}, 1), books: map[string]*book{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// take returns the book of that name. Where there is none, write is started to
// fill its folder and to return the names of the files. It is waited for as long
// as patience lasts, then the error is a pending one: the writing goes on. An error
// of write is returned once; after it the book is written anew.
func (s *shelf) take(ctx context.Context, name string, patience time.Duration, write writer) (*book, error) {
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
		if s.books[name] == b {
			delete(s.books, name)
		}
		return nil, b.err
	}
	return b, nil
}

// begin finds the book, or has it written.
func (s *shelf) begin(name string, write writer) (*book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	s.uses++
	if b := s.books[name]; b != nil {
		b.used = s.uses
		return b, nil
	}
	dir, err := os.MkdirTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	b := &book{dir: dir, began: time.Now(), ready: make(chan struct{}), used: s.uses}
	s.books[name] = b
	s.jobs.Go(func() { s.fill(b, write) })
	return b, nil
}

func (s *shelf) fill(b *book, write writer) {
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

// clear lets go of the books that were not wanted for longest, until the rest is
// within bounds. The newest stays, whatever its size.
func (s *shelf) clear(newest *book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	size := newest.size
	for name, b := range s.books {
		select {
		case <-b.ready:
			names = append(names, name)
			size += b.size
		default: // being written, the newest among them
		}
	}
	slices.SortFunc(names, func(a, b string) int { return s.books[a].used - s.books[b].used })
	for len(names) > 0 && (size > s.limit || len(names) >= shelfBooks) {
		b := s.books[names[0]]
		delete(s.books, names[0])
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

// close ends what is being written and removes the folder.
func (s *shelf) close() error {
	s.mu.Lock()
	s.stop()
	s.mu.Unlock()
	s.jobs.Wait()
	return os.RemoveAll(s.dir)
}

// pending says how far the book is.
func (b *book) pending() pending {
	return pending{time.Since(b.began), int(b.at.read.Load()), int(b.at.written.Load()), int(b.at.of.Load())}
}

// open opens a file of the book. The name is looked up in its list, and opened
// below its folder whatever it is.
func (b *book) open(name string) (*os.File, error) {
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
