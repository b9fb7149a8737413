package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/storage"
)

// An audit waits while another process reads the store, and says so; for another audit it does not.
func TestAuditWaitsForReaders(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audits.db")
	store, err := storage.Open(path)
	must(t, err)
	mustWrite(t, filepath.Join(dir, "list.txt"), []byte("http://shop.example/\n"))
	audit := func() *exec.Cmd {
		return exec.Command("sitemend", "audit", "--no-fetch", "--fail-on", "none", "--out", dir, filepath.Join(dir, "list.txt"))
	}
	out, err := audit().CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the store is in use") || strings.Contains(string(out), "waiting") {
		t.Errorf("while an audit holds it: %v\n%s", err, out)
	}
	must(t, store.Close())
	store, err = storage.OpenReadOnly(path)
	must(t, err)
	cmd := audit()
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	said := bufio.NewScanner(stderr)
	said.Scan()
	if !strings.HasSuffix(said.Text(), ", which only reads it: waiting") {
		t.Errorf("while it is read: got %q", said.Text())
	}
	must(t, store.Close())
	for said.Scan() {
		t.Logf("%s", said.Text())
	}
	must(t, cmd.Wait())
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); err != nil {
		t.Error(err)
	}
}
