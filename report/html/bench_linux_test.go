package html

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/report/internal/fixture"
)

// What a page of 1,000,000 rows may take: on disk, and of anonymous memory of the
// process that shows it.
const (
	maxFile   = 60 << 20
	maxMemory = 600 << 20
)

// TestOpenInBrowser opens a page in Chromium and tells how long that took, until
// its table stands, and how much anonymous memory the process has that shows it.
// SITEMEND_ROWS=1000000 makes it a large page, and SITEMEND_PAGE=FILE opens one
// that was written before:
//
//	SITEMEND_ROWS=1000000 go test -run OpenInBrowser -v ./report/html
//
// The time is told, not judged: it depends on what else the machine does.
func TestOpenInBrowser(t *testing.T) {
	n := 10_000
	if rows := os.Getenv("SITEMEND_ROWS"); rows != "" {
		n, _ = strconv.Atoi(rows)
	}
	file := os.Getenv("SITEMEND_PAGE")
	if file == "" {
		s := fixture.NewStudy(n)
		file = saved(t, s.Result, "en")
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	for range 3 {
		began := time.Now()
		b.open(file, "")
		took := time.Since(began)
		memory := rendererMemory(t)
		t.Logf("file %d MB, table after %.2f s, renderer %d MB", info.Size()>>20, took.Seconds(), memory>>20)
		if info.Size() > maxFile || memory > maxMemory || memory == 0 {
			t.Errorf("the file has %d bytes, the renderer %d", info.Size(), memory)
		}
	}
}

// rendererMemory is the most anonymous memory (RssAnon) of a renderer among the
// children of this process.
func rendererMemory(t *testing.T) (most int64) {
	list, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if err != nil || !bytes.Contains(cmdline, []byte("--type=renderer")) || !mine(filepath.Dir(name)) {
			continue
		}
		if n := field(name, "RssAnon:"); n > most {
			most = n
		}
	}
	return most << 10
}

// mine reports whether a process was begun by this one, or by one that was.
func mine(dir string) bool {
	for range 9 {
		parent := field(filepath.Join(dir, "status"), "PPid:")
		if parent == int64(os.Getpid()) {
			return true
		}
		dir = filepath.Join("/proc", strconv.FormatInt(parent, 10))
	}
	return false
}

// field is a number of a status file in /proc, 0 where it is not there any more.
func field(status, name string) int64 {
	text, _ := os.ReadFile(status)
	_, rest, _ := strings.Cut(string(text), "\n"+name)
	for f := range strings.FieldsSeq(rest) {
		n, _ := strconv.ParseInt(f, 10, 64)
		return n
	}
	return 0
}
