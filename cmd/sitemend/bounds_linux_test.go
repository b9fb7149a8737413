package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"sitemend/report"
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

// A site whose redirects lead to addresses of nearly 8,000 bytes, each of which JSON
// writes in six, costs no more to be told: outputs hold what rows say by its bytes, not by
// the number of rows.
func TestMemoryOfLongRedirects(t *testing.T) {
	const entries, hops = 1200, 4
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var list strings.Builder
		n, at, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "-")
		switch hop, _ := strconv.Atoi(strings.TrimRight(at, "-&")); {
		case r.URL.Path == "/sitemap.txt":
			for i := range entries {
				fmt.Fprintf(&list, "http://%s/%d\n", r.Host, i)
			}
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte(list.String()))
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case hop < hops:
			w.Header().Set("Location", fmt.Sprintf("/%s-%d-%s", n, hop+1, strings.Repeat("&", 7900)))
			w.WriteHeader(http.StatusMovedPermanently)
		default:
			fmt.Fprintf(w, "<title>%s</title><p>A page of its own, %[1]s.", n)
		}
	}))
	defer site.Close()
	cmd := exec.Command("sitemend", "audit", "-q", "--rate", "0", "--parallel", "8", "--out", filepath.Join(t.TempDir(), "out"),
		"--format", strings.Join(report.Formats(), ","), site.URL+"/sitemap.txt")
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "http_proxy=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	peak := int64(0) // without what the store maps of its file
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case err := <-ended:
			if cmd.ProcessState.ExitCode() != exitFound {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if t.Logf("%d MB", peak>>20); peak > 400<<20 || peak == 0 {
				t.Errorf("it takes %d MB", peak>>20)
			}
			return
		case <-tick.C:
			if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
				if _, rest, ok := strings.Cut(string(data), "RssAnon:"); ok {
					kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
					peak = max(peak, kb<<10)
				}
			}
		}
	}
}
