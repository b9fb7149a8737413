//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// What a killed process left among the temporary files is removed by the next one;
// what a living one has there is not, nor what is not ours.
func TestLeftScratchIsRemoved(t *testing.T) {
	dir, list := storeOf(t, 3)
	mark := []byte("This folder is temporary; sitemend removes it.\n")
	temporary := t.TempDir()
	mustWrite(t, filepath.Join(temporary, "sitemend-notes"), []byte("somebody's"))
	// A crontab has `flock /tmp/sitemend-shop.lock sitemend audit --out /tmp/sitemend-shop`.
	mustWrite(t, filepath.Join(temporary, "sitemend-shop.lock"), nil)
	must(t, os.Mkdir(filepath.Join(temporary, "sitemend-shop"), 0o755))
	// What others planted, that it be removed: the lock beside a folder that is somebody's,
	// a folder that others can write to, and a link to one.
	theirs := filepath.Join(dir, "theirs")
	mustWrite(t, filepath.Join(temporary, "sitemend-old.lock"), []byte(mark))
	must(t, os.Mkdir(filepath.Join(temporary, "sitemend-old"), 0o755))
	for _, planted := range []string{theirs, filepath.Join(temporary, "sitemend-open")} {
		must(t, os.Mkdir(planted, 0o755))
		mustWrite(t, filepath.Join(planted, ".lock"), nil)
		mustWrite(t, filepath.Join(planted, ".sitemend"), []byte(mark))
		mustWrite(t, filepath.Join(planted, "precious"), []byte("precious"))
	}
	must(t, os.Chmod(filepath.Join(temporary, "sitemend-open"), 0o777))
	must(t, os.Symlink(theirs, filepath.Join(temporary, "sitemend-link")))
	others := []string{"sitemend-link", "sitemend-notes", "sitemend-old", "sitemend-old.lock", "sitemend-open", "sitemend-shop", "sitemend-shop.lock"}
	start := func(args ...string) *exec.Cmd {
		cmd := exec.Command("sitemend", append(args, "--out", filepath.Join(dir, "out"))...)
		cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
		return cmd
	}
	serve := func() *os.Process {
		cmd := start("serve")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		if !bufio.NewScanner(out).Scan() {
			t.Fatal("serve prints nothing")
		}
		return cmd.Process
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(temporary)
		must(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	killed := serve()
	first := left()
	living := serve()
	if both := left(); len(first) != len(others)+1 || len(both) != len(others)+2 {
		t.Fatalf("one leaves %q, two %q", first, both)
	}
	must(t, killed.Kill())
	_, _ = killed.Wait()
	out, err := start("audit", "--no-fetch", "--fail-on", "none", list).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	stay := left()
	if len(stay) != len(others)+1 || slices.Equal(stay, first) {
		t.Errorf("after the kill %q is left, before it was %q", stay, first)
	}
	must(t, living.Signal(os.Interrupt))
	_, _ = living.Wait()
	if rest := left(); !slices.Equal(rest, others) {
		t.Errorf("in the end %q is left", rest)
	}
	for _, planted := range []string{theirs, filepath.Join(temporary, "sitemend-open")} {
		if _, err := os.Stat(filepath.Join(planted, "precious")); err != nil {
			t.Error(err)
		}
	}
}
