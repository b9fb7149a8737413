package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// TestFormatMemory writes formats of a few thousand entries, and checks that
// nothing but the outputs is left; BenchmarkFormats runs it with a million in a
// process of its own.
func TestFormatMemory(t *testing.T) {
	rows, names := 4000, strings.Join(Formats()[1:], ",")
	if s := os.Getenv("SITEMEND_FORMATS"); s != "" {
		names = s
		rows, _ = strconv.Atoi(os.Getenv("SITEMEND_ROWS"))
	}
	result, dir := repeated(map[audit.Verdict]int{audit.OK: rows / 2, audit.Moved: rows / 2}), t.TempDir()
	peak := make(chan int64)
	var done atomic.Bool
	go func() {
		most := int64(0)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for !done.Load() {
			most = max(most, anonymous(t))
			<-tick.C
		}
		peak <- most
	}()
	written, err := WriteAll(t.Context(), result, Options{Dir: dir, Formats: strings.Split(names, ",")})
	done.Store(true)
	most := <-peak
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, name := range written.Files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	t.Log("peak", most, "size", size)
	if left, _ := os.ReadDir(dir); len(left) != len(written.Files) {
		t.Errorf("%d files are in the folder, %d were written", len(left), len(written.Files))
	}
}

// anonymous is the anonymous resident memory of this process, in bytes.
func anonymous(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Error(err)
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	kb, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return kb << 10
}
