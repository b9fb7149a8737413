package report

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// formatBudget is the anonymous memory that writing a format may take.
const formatBudget = 200 << 20

// BenchmarkFormats writes each format of 1,000,000 entries, half of them moved,
// in a process of its own, and all of them in one walk; it reports the peak of
// anonymous memory, the time and the size:
//
//	go test -run '^$' -bench Formats -benchtime 1x ./report
func BenchmarkFormats(b *testing.B) {
	for _, format := range append(Formats()[1:], strings.Join(Formats()[1:], ",")) {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "-test.run", "^TestFormatMemory$", "-test.v")
				cmd.Env = append(os.Environ(), "SITEMEND_FORMATS="+format, "SITEMEND_ROWS=1000000", "TMPDIR="+b.TempDir())
				out, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				var peak, size int64
				_, line, _ := bytes.Cut(out, []byte("peak "))
				if _, err := fmt.Sscanf(string(line), "%d size %d", &peak, &size); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
				b.ReportMetric(float64(size)/(1<<20), "file-MB")
				if peak > formatBudget {
					b.Errorf("%s takes %d MB", format, peak>>20)
				}
			}
		})
	}
}

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
