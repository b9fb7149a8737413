package storage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"sitemend/crawler/audit"
)

// The environment variables with which the test binary runs itself as another process.
const (
	pathEnv  = "SITEMEND_TEST_STORE"
	limitEnv = "SITEMEND_TEST_DISK"
	holdEnv  = "SITEMEND_TEST_HOLD"
	killEnv  = "SITEMEND_TEST_KILL"
	smallEnv = "SITEMEND_TEST_COMPACT"
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

func refused(t *testing.T, path string, open func(string, ...Option) (*Store, error), want error) {
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
		return damaged(s.path, "the audit is gone") // its key was destroyed: only a look-up shows that
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
		a.Hop(audit.Request{URL: wire(i)})
	}
	err = errors.Join(err, a.Err())
	var keepErr error
	for i := range 200 {
		keepErr = a.Keep(usualHop(10_000 + i))
	}
	addErr := a.AddSitemap(context.Background(), &audit.Sitemap{}, listed(100))
	return errors.Join(err, keepErr, addErr, a.Flush())
}

// A file that is truncated while it is open causes a memory fault in bbolt.
func TestFileCutWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut a mapped file")
	}
	for _, left := range []int64{0, 4096, 8192, 100_000} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			path, _ := mustFile(t)
			s := mustOpen(t, path)
			a := mustAudit(t, s, Latest)
			mustDo(t, os.Truncate(path, left))
			if err := useAudit(s); !errors.Is(err, ErrDamaged) {
				t.Fatalf("got %v", err)
			}
			if err := errors.Join(a.Keep(usualHop(1)), a.Flush()); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Keep: %v", err)
			}
			_ = s.Close()
			if left > 0 { // an empty file is a new store
				refused(t, path, Open, ErrDamaged)
			}
		})
	}
}

func TestEmptyFileIsANewStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	mustDo(t, os.WriteFile(path, nil, 0o644))
	refused(t, path, OpenReadOnly, ErrNone)
	s, _ := mustBegin(t, path)
	mustDo(t, s.Close())
	if len(s.Salt()) != 16 {
		t.Fatalf("the salt has %d bytes", len(s.Salt()))
	}
}

func TestOtherStoresAreRefused(t *testing.T) {
	cases := map[string]struct {
		bucket, schema string
		want           error
	}{
		"older":           {"meta", "2", ErrSchema},
		"newer":           {"meta", "4", ErrSchema},
		"of the future":   {"meta", "999999", ErrSchema},
		"another program": {"users", "", ErrSchema},
		"no number":       {"meta", "x", ErrDamaged},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audits.db")
			db, err := bbolt.Open(path, 0o644, nil)
			mustDo(t, err)
			mustDo(t, db.Update(func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte(c.bucket))
				return errors.Join(err, b.Put([]byte("schema"), []byte(c.schema)))
			}))
			mustDo(t, db.Close())
			refused(t, path, Open, c.want)
			refused(t, path, OpenReadOnly, c.want)
		})
	}
}

func TestFolderInPlaceOfAFile(t *testing.T) {
	for _, open := range []func(string, ...Option) (*Store, error){Open, OpenReadOnly} {
		s, err := open(t.TempDir())
		var ours *Error
		if s != nil || !errors.As(err, &ours) || errors.Is(err, ErrDamaged) {
			t.Fatalf("got %v", err)
		}
	}
}

func TestLockedByThisProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, _ := mustBegin(t, path)
	refused(t, path, Open, ErrLocked)
	refused(t, path, OpenReadOnly, ErrLocked)
	mustDo(t, s.Close())
	mustDo(t, mustOpen(t, path).Close())
}

// The error in the second process says which one holds the store.
func TestLockedByAnotherProcess(t *testing.T) {
	path, _ := mustFile(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"=1", pathEnv+"="+path)
	in, err := cmd.StdinPipe()
	mustDo(t, err)
	out, err := cmd.StdoutPipe()
	mustDo(t, err)
	mustDo(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	mustDo(t, err)
	if line != "open\n" {
		t.Fatalf("the other process says %q", line)
	}
	_, err = Open(path)
	if !errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
	mustDo(t, errors.Join(in.Close(), cmd.Wait()))
	mustDo(t, mustOpen(t, path).Close())
}

// hold runs in the other process: it holds the store until its input ends.
func hold(path string) int {
	s, err := Open(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	_ = s.Close()
	return 0
}

// After a process is killed at any point, what a Flush has confirmed is in the file, and the next
// process continues.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	for round := range 8 {
		confirmed := killAfter(t, path, 3+round*5)
		s := mustOpen(t, path)
		a := mustAudit(t, s, Latest)
		if a.Hops() < confirmed {
			t.Fatalf("round %d: %d answers are left of %d", round, a.Hops(), confirmed)
		}
		for i := range a.Hops() {
			if h, ok := a.Hop(usualHop(i).Request); !ok || h != usualHop(i) {
				t.Fatalf("round %d: answer %d of %d: got %+v, %v", round, i, a.Hops(), h, ok)
			}
		}
		if n := a.EntryCount(); n%300 != 0 {
			t.Fatalf("round %d: %d entries, half a sitemap", round, n)
		}
		mustDo(t, s.Close())
	}
}

// killAfter makes another process keep answers and kills it when it has confirmed some more; it
// returns how many.
func killAfter(t *testing.T, path string, lines int) (confirmed int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"=1", pathEnv+"="+path)
	out, err := cmd.StdoutPipe()
	mustDo(t, err)
	mustDo(t, cmd.Start())
	sc := bufio.NewScanner(out)
	for range lines {
		if !sc.Scan() {
			t.Fatalf("the other process ended: %v", cmd.Wait())
		}
		if confirmed, err = strconv.Atoi(sc.Text()); err != nil {
			t.Fatalf("the other process says %q", sc.Text())
		}
	}
	mustDo(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	return confirmed
}

// keepForEver runs in the other process: it continues where the last one ended.
func keepForEver(path string) int {
	s, err := Open(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	a, err := s.Audit(Latest)
	if errors.Is(err, ErrNone) {
		a, err = s.Begin(audit.Info{Started: start}, "shape")
	}
	for i := 0; err == nil; i++ {
		err = a.Keep(usualHop(a.Hops()))
		if i%20 == 0 {
			addErr := a.AddSitemap(context.Background(), &audit.Sitemap{}, listed(300))
			err = errors.Join(err, addErr)
		}
		if i%7 == 0 {
			n := a.Hops()
			err = errors.Join(err, a.Flush())
			fmt.Println(n)
		}
	}
	fmt.Println(err)
	return 1
}

// After a disk fills up at any point, what Keep accepted and Flush confirmed is in the file, the
// error is returned, and the file can be read.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit on a file's size is set as on Linux")
	}
	for _, size := range []int{16 << 10, 40 << 10, 100 << 10, 300 << 10, 1 << 20, 5 << 20} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audits.db")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), limitEnv+"="+strconv.Itoa(size), pathEnv+"="+path)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			mustDo(t, err)
			var confirmed int
			if _, err := fmt.Sscanf(string(out), "confirmed %d", &confirmed); err != nil {
				t.Fatalf("the other process says %q", out)
			}
			checkConfirmed(t, path, confirmed)
		})
	}
}

func checkConfirmed(t *testing.T, path string, confirmed int) {
	t.Helper()
	s := mustOpen(t, path)
	a, err := s.Audit(Latest)
	if confirmed < 0 && errors.Is(err, ErrNone) {
		return // there was no space even for the audit
	}
	mustDo(t, err)
	if a.Hops() < confirmed {
		t.Fatalf("%d answers are left of %d", a.Hops(), confirmed)
	}
	for i := range confirmed {
		if h, ok := a.Hop(usualHop(i).Request); !ok || h.Status != usualHop(i).Status {
			t.Fatalf("answer %d of %d is missing", i, confirmed)
		}
	}
	mustDo(t, a.Keep(usualHop(1))) // there is space again, and it continues
	mustDo(t, a.Flush())
}

// Where a header page of the file cannot be read bbolt uses the other one, which may be the older:
// opening for reading returns an error, and opening for writing continues from there and restores
// the page.
func TestOneHeaderIsDamaged(t *testing.T) {
	_, whole := mustFile(t)
	for page := range 2 {
		for what, change := range map[string]func([]byte){
			"one bit":  func(p []byte) { p[40] ^= 1 },
			"checksum": func(p []byte) { p[16+56] ^= 0x80 },
			"magic":    func(p []byte) { p[16]++ },
			"version":  func(p []byte) { p[16+4]++ },
			"zeros":    func(p []byte) { clear(p) },
		} {
			t.Run(fmt.Sprint(page, " ", what), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "audits.db")
				data := edit(whole, func(b []byte) { change(b[page*4096 : page*4096+4096]) })
				mustDo(t, os.WriteFile(path, data, 0o644))
				refused(t, path, OpenReadOnly, ErrDamaged)
				after, err := os.ReadFile(path)
				mustDo(t, err)
				if !bytes.Equal(after, data) {
					t.Fatal("who reads changed the file")
				}
				s, err := Open(path)
				mustDo(t, err)
				mustDo(t, s.Close())
				s, err = OpenReadOnly(path)
				mustDo(t, err)
				mustDo(t, s.Close())
				mustDo(t, useAll(path))
			})
		}
	}
}
