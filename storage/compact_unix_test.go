//go:build unix

package storage

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

const (
	compactKept = 2000
	compactGone = 20_000
)

// halfFree creates a store with an audit of compactKept answers and the free space of a larger one,
// and returns its size.
func halfFree(t *testing.T, path string) int64 {
	t.Helper()
	s := mustOpen(t, path)
	for i, n := range []int{compactKept, compactGone} {
		a, err := s.Begin(audit.Info{Started: start.Add(time.Duration(i) * time.Hour), Targets: []string{"t"}}, "shape")
		mustDo(t, err)
		err = a.AddSitemap(t.Context(), &audit.Sitemap{URL: "u"}, listed(n))
		mustDo(t, err)
		for k := range n {
			mustDo(t, a.Keep(usualHop(k)))
		}
		mustDo(t, a.Put("record", []byte("value")))
		mustDo(t, a.Finish(a.Info()))
		mustDo(t, a.Close())
	}
	mustDo(t, s.Remove(Latest))
	mustDo(t, s.Close())
	info, err := os.Stat(path)
	mustDo(t, err)
	return info.Size()
}

// checkKept checks that the kept audit is complete, and that there is nothing beside the store.
func checkKept(t *testing.T, path string) {
	t.Helper()
	s := mustOpen(t, path)
	a := mustAudit(t, s, Latest)
	if a.Hops() != compactKept || a.EntryCount() != compactKept || a.Info().Targets[0] != "t" {
		t.Fatalf("%d answers, %d entries, %+v", a.Hops(), a.EntryCount(), a.Info())
	}
	for i := range compactKept {
		if h, ok := a.Hop(usualHop(i).Request); !ok || h != usualHop(i) {
			t.Fatalf("answer %d: got %+v, %v", i, h, ok)
		}
	}
	if v, ok, err := a.Get("record"); string(v) != "value" || !ok || err != nil {
		t.Fatalf("the record: %q, %v, %v", v, ok, err)
	}
	mustDo(t, s.Close())
	files, err := os.ReadDir(filepath.Dir(path))
	mustDo(t, err)
	if len(files) != 1 {
		t.Errorf("beside the store lies more: %v", files)
	}
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	before := halfFree(t, path)
	mustDo(t, os.Chmod(path, 0o640))
	saved, err := Compact(path)
	mustDo(t, err)
	after, err := os.Stat(path)
	mustDo(t, err)
	if saved != before-after.Size() || after.Size() > before/3 || after.Mode().Perm() != 0o640 {
		t.Errorf("%d bytes became %d, said to be %d less; mode %v", before, after.Size(), saved, after.Mode())
	}
	checkKept(t, path)
	if saved, err := Compact(path); saved != 0 || err != nil {
		t.Errorf("once more: %d, %v", saved, err)
	}
	s := mustOpen(t, path)
	if _, err := Compact(path); err == nil {
		t.Error("a store that is open was compacted")
	}
	mustDo(t, s.Close())
	checkKept(t, path)
}

// Through a symbolic link the file is written anew, and the link stays.
func TestCompactThroughLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "audits.db"), filepath.Join(t.TempDir(), "link.db")
	halfFree(t, path)
	mustDo(t, os.Symlink(path, link))
	if saved, err := Compact(link); saved == 0 || err != nil {
		t.Errorf("%d, %v", saved, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	mustDo(t, os.WriteFile((&Store{path: path}).compactPart(), []byte("a killed process's"), 0o600))
	mustDo(t, mustOpen(t, link).Close())
	if files, err := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("who opens the link leaves %v, %v", files, err)
	}
	checkKept(t, path)
}

// A process that is killed at any moment leaves the old file or the new one.
func TestCompactKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	whole := halfFree(t, path)
	data, err := os.ReadFile(path)
	mustDo(t, err)
	part := (&Store{path: path}).compactPart()
	seen := map[string]int{}
	for round := range 12 {
		mustDo(t, os.WriteFile(path, data, 0o644))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), smallEnv+"=1", pathEnv+"="+path)
		mustDo(t, cmd.Start())
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }() // it is killed, or was faster
		for looks := true; looks; runtime.Gosched() {
			written, err := os.Stat(part)
			here, _ := os.Stat(path)
			looks = (err != nil || written.Size() < int64(round)*40_000) && here.Size() == whole
			select {
			case <-ended:
				looks = false
			default:
			}
		}
		_ = cmd.Process.Kill()
		<-ended
		info, err := os.Stat(path)
		mustDo(t, err)
		_, left := os.Stat(part)
		seen[fmt.Sprintf("new file in place %v, part left %v", info.Size() < whole, left == nil)]++
		checkKept(t, path)
	}
	t.Log(seen)
	if seen["new file in place false, part left true"] == 0 {
		t.Error("it was never killed while it wrote")
	}
}
