package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// logsBudget is what reading logs may take of memory, whatever their size (contract, section 8):
// anonymous memory of the process.
const logsBudget = 64 << 20

// logsMegabytes is the size of the made log of TestMemoryOfLogs and, without SITEMEND_LOG_MB, of
// BenchmarkLogs.
const (
	logsMegabytes  = 24
	benchMegabytes = 256
)

// makeLog writes a log of so many megabytes. Of each hundred lines so many are Googlebot's, each
// for another address; the rest are those of people. It returns how many are Googlebot's.
// site is what the log is of.
const site = "https://www.shop.example"

func makeLog(tb testing.TB, path string, megabytes, robots int) (asked int) {
	tb.Helper()
	f, err := os.Create(path)
	must(tb, err)
	w := bufio.NewWriterSize(f, 1<<20)
	for i, written := 0, 0; written < megabytes<<20; i++ {
		who, agent := fmt.Sprintf("198.51.%d.%d", i*7%256, i*13%256), "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
		if i%100 < robots {
			who, agent = fmt.Sprintf("66.249.66.%d", i%32), "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
			asked++
		}
		n, err := fmt.Fprintf(w, "%s - - [%02d/Nov/2026:%02d:%02d:%02d +0900] \"GET /wiki/page-%d-(%d) HTTP/1.1\" 301 512 \"-\" \"%s\"\n",
			who, 1+i/86400%28, i/3600%24, i/60%60, i%60, i, i%9, agent)
		must(tb, err)
		written += n
	}
	must(tb, w.Flush())
	must(tb, f.Close())
	return asked
}

// TestMemoryOfLogs reads a log of nothing but Googlebot's requests, each for another address, in a
// process of its own, which takes no more than the budget.
func TestMemoryOfLogs(t *testing.T) {
	if os.Getenv("SITEMEND_LOGS") != "" {
		readLogAlone(t)
		return
	}
	dir := t.TempDir()
	asked := makeLog(t, filepath.Join(dir, "access.log"), logsMegabytes, 100)
	peak, _, _ := logsAlone(t, dir, asked)
	t.Logf("%d requests took %.1f MB", asked, float64(peak)/(1<<20))
	if peak > logsBudget {
		t.Errorf("a log of %d MB took %.1f MB", logsMegabytes, float64(peak)/(1<<20))
	}
}

// logsAlone reads dir/access.log in a process of its own, and holds that it read so many of
// Googlebot's requests. It returns the peak of anonymous memory in bytes, and how long it took, by
// the clock and of CPU.
func logsAlone(tb testing.TB, dir string, asked int) (peak int64, clock, cpu time.Duration) {
	tb.Helper()
	var got int
	var micros int64
	state := inProcess(tb, "TestMemoryOfLogs", "SITEMEND_LOGS="+dir, "read ", &got, &peak, &micros)
	if got != asked {
		tb.Errorf("%d requests of Googlebot's were read, want %d", got, asked)
	}
	return peak, time.Duration(micros) * time.Microsecond, state.UserTime() + state.SystemTime()
}

// readLogAlone is what the other process does.
func readLogAlone(t *testing.T) {
	dir := os.Getenv("SITEMEND_LOGS")
	sitemap := filepath.Join(dir, "sitemap.xml")
	mustWrite(t, sitemap, []byte(`<urlset `+xmlns+`><url><loc>`+site+`/wiki/page-7-%287%29</loc></url></urlset>`))
	collectLess() // as main does
	peak, stop := watchRSS(t)
	defer stop()
	began := time.Now()
	var out strings.Builder
	args := []string{"logs", "--lang", "en", "--out", dir, "--sitemap", sitemap, "--log-host", strings.TrimPrefix(site, "https://"), filepath.Join(dir, "access.log")}
	if code := run(context.Background(), args, strings.NewReader(""), &out, os.Stderr); code != exitOK {
		t.Fatalf("exit status %d", code)
	}
	took := time.Since(began)
	_, rest, _ := strings.Cut(out.String(), "Googlebot")
	requests := strings.ReplaceAll(strings.Fields(rest)[0], ",", "")
	t.Log("read", requests, peak(), took.Microseconds())
}
