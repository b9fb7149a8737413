//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file is replaced whole, a link is followed, and what is no file is written to: root would else
// put a file in the place of /dev/null.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("file"), []byte("old, and longer"), 0o644))
	must(t, os.Symlink("file", in("link")))
	must(t, syscall.Mkfifo(in("pipe"), 0o600))
	say := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }

	read := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(in("pipe"))
		read <- b
	}()
	must(t, save(stdio{}, in("pipe"), say))
	if b := <-read; string(b) != "new" {
		t.Errorf("the pipe has %q", b)
	}
	must(t, save(stdio{}, in("link"), say))
	if b, err := os.ReadFile(in("file")); err != nil || string(b) != "new" {
		t.Errorf("the file has %q (%v)", b, err)
	}
	for name, kind := range map[string]os.FileMode{"link": os.ModeSymlink, "pipe": os.ModeNamedPipe} {
		if info, err := os.Lstat(in(name)); err != nil || info.Mode().Type() != kind {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
