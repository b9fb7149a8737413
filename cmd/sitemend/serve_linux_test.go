package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// --open hands the address to the system's browser, and nothing that it prints
// is ours.
func TestServeOpens(t *testing.T) {
	dir, _ := storeOf(t, 1)
	told := filepath.Join(dir, "told")
	if err := syscall.Mkfifo(told, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho noise; echo noise >&2\necho \"$1\" >'" + told + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	root := serving(t, dir, "--open")
	got, err := fs.ReadFile(os.DirFS(dir), "told")
	if err != nil || strings.TrimSpace(string(got)) != root {
		t.Errorf("the browser is told %q, want %q: %v", got, root, err)
	}
}
