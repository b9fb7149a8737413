package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// mustFile creates a store with some thousand records and returns its path and its bytes.
func mustFile(t testing.TB) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	err := a.AddSitemap(t.Context(), &audit.Sitemap{URL: "u"}, listed(2000))
	mustDo(t, err)
	for i := range 3000 {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, s.Close())
	data, err := os.ReadFile(path)
	mustDo(t, err)
	return path, data
}

// A file that is no store is refused, with a hint, and is not changed.
func TestDamagedFilesAreRefused(t *testing.T) {
	_, whole := mustFile(t)
	noise := make([]byte, 64<<10)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(noise)
	cases := map[string][]byte{
		"one byte":          {0},
		"text":              []byte("<urlset></urlset>\n"),
		"noise":             noise,
		"zeros":             make([]byte, 64<<10),
		"few zeros":         make([]byte, 5000),
		"bad magic":         edit(whole, func(b []byte) { b[16]++; b[4096+16]++ }),
		"bad meta checksum": edit(whole, func(b []byte) { b[40]++; b[4096+40]++ }),
		"only the header":   whole[:8192],
		"first page":        whole[:4096],
		"half":              whole[:len(whole)/2/4096*4096],
		"header over noise": append(append([]byte{}, whole[:8192]...), noise...),
		"header over zeros": append(append([]byte{}, whole[:8192]...), make([]byte, len(whole))...),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audits.db")
			mustDo(t, os.WriteFile(path, data, 0o644))
			for range 2 { // the first refusal closes the file
				refused(t, path, Open, ErrDamaged)
				refused(t, path, OpenReadOnly, ErrDamaged)
			}
			after, err := os.ReadFile(path)
			mustDo(t, err)
			if !bytes.Equal(after, data) {
				t.Fatal("the file was changed")
			}
		})
	}
}

func edit(data []byte, change func([]byte)) []byte {
	data = bytes.Clone(data)
	change(data)
	return data
}

func refused(t *testing.T, path string, open func(string) (*Store, error), want error) {
	t.Helper()
	s, err := open(path)
	var ours *Error
	if !errors.Is(err, want) || !errors.As(err, &ours) {
		t.Fatalf("got %v, want %v", err, want)
	}
	if s != nil || ours.Hint == "" || ours.Path != path || !strings.Contains(err.Error(), path) {
		t.Fatalf("got a store %v, %q, hint %q", s != nil, err, ours.Hint)
	}
}

// Whatever page is destroyed, nothing panics or hangs: the store is refused, or a method returns
// ErrDamaged, or the page was not in use.
func TestDestroyedPages(t *testing.T) {
	_, whole := mustFile(t)
	last := highWater(whole)
	whole = whole[:last*4096]
	r := rand.New(rand.NewPCG(1, 2))
	damage, step := 0, max(1, last/25)
	for page := 2; page < last; page += step {
		for kind, change := range map[string]func([]byte){
			"noise": func(p []byte) {
				for i := range p {
					p[i] = byte(r.Uint32())
				}
			},
			"zeros": func(p []byte) { clear(p) },
			"id":    func(p []byte) { p[0] ^= 0x55 },
			"flags": func(p []byte) { p[8] ^= 0xff },
			"count": func(p []byte) { p[10], p[11] = 0xff, 0xff },
			"sizes": func(p []byte) { binary.LittleEndian.PutUint32(p[16+4:], 1<<30) },
		} {
			path := filepath.Join(t.TempDir(), "audits.db")
			mustDo(t, os.WriteFile(path, edit(whole, func(b []byte) { change(b[page*4096 : page*4096+4096]) }), 0o644))
			err := useAll(path)
			if err == nil {
				continue
			}
			damage++
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrSchema) { // without its buckets it may be any file
				t.Errorf("page %d, %s: %v", page, kind, err)
			}
		}
	}
	if damage == 0 {
		t.Fatal("no damage was met")
	}
}

// highWater returns the number of pages according to the newer header of a file.
func highWater(data []byte) int {
	n := uint64(0)
	for _, at := range []int{16, 4096 + 16} { // behind the page header
		n = max(n, binary.LittleEndian.Uint64(data[at+40:]))
	}
	return int(n)
}

// useAll opens a store, reads everything in it and writes to it.
func useAll(path string) error {
	s, err := Open(path)
	if err != nil {
		return err
	}
	return errors.Join(useAudit(s), s.Close())
}

func useAudit(s *Store) error {
	infos, err := s.Audits()
	if err != nil {
		return err
	}
	if len(infos) != 1 {
		return fault("the audit is gone") // its key was destroyed: only a look-up shows that
	}
	a, err := s.Audit(infos[0].ID)
	if err != nil {
		return err
	}
	for _, err := range a.Entries(context.Background(), 0, a.EntryCount()) {
		if err != nil {
			return err
		}
	}
	_, err = a.Sitemaps()
	for i := range 3000 {
		a.Hop(answers.Request{URL: wire(i)})
	}
	err = errors.Join(err, a.Err())
	var keepErr error
	for i := range 200 {
		keepErr = a.Keep(usualHop(10_000 + i))
	}
	addErr := a.AddSitemap(context.Background(), &audit.Sitemap{}, listed(100))
	return errors.Join(err, keepErr, addErr, a.Flush())
}

func TestOtherStoresAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ bucket, schema string }{
		"older":           {"meta", "3"},
		"newer":           {"meta", "5"},
		"another program": {"users", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audits.db")
			db, err := bbolt.Open(path, 0o644, nil)
			mustDo(t, err)
			mustDo(t, db.Update(func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte(c.bucket))
				return errors.Join(err, b.Put([]byte("schema"), []byte(c.schema)))
			}))
			mustDo(t, db.Close())
			refused(t, path, Open, ErrSchema)
			refused(t, path, OpenReadOnly, ErrSchema)
		})
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, _ := mustBegin(t, path)
	refused(t, path, Open, ErrLocked)
	refused(t, path, OpenReadOnly, ErrLocked)
	mustDo(t, s.Close())
	mustDo(t, mustOpen(t, path).Close())
}
