package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"os"
)

// peakOf runs the command on a local file and returns the most memory that it had,
// in bytes.
func peakOf(t *testing.T, name string, data []byte, args ...string) int64 {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	must(t, os.WriteFile(file, data, 0o666))
	cmd := exec.Command("sitemend", append([]string{"audit", "-q", "--no-fetch", "--out", filepath.Join(dir, "out"), file}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// Whoever lists addresses of a megabyte gets their beginnings told.
func TestMemoryOfLongAddresses(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	long := "http://shop.example/" + strings.Repeat("x", 1_000_000)
	for range 300 {
		_, err := z.Write([]byte(long + "\n"))
		must(t, err)
	}
	_, err := z.Write([]byte("http://shop.example/ok\n"))
	must(t, err)
	must(t, z.Close())
	if peak := peakOf(t, "list.txt.gz", b.Bytes()); peak > 150<<20 {
		t.Errorf("%d bytes take %d MB", b.Len(), peak>>20)
	}
}
