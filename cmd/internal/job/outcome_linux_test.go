package job_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
	"sitemend/storage"
)

// An audit whose end cannot be written lets go of what it has open: a process that watches tries
// again for as long as it lives, and what is open takes room on the disk that is full.
func TestAnEndThatFailsLeavesNothingOpen(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sitemap.txt":
			io.WriteString(w, "http://"+r.Host+"/a\n")
		case "/a":
			io.WriteString(w, "<title>a</title><a href=/b>b</a><p>text")
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	store, err := storage.Open(filepath.Join(dir, "audits.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spec := specOf(dir, s.URL+"/sitemap.txt")
	spec.FailOn, spec.Links, spec.Store = []string{"none"}, true, filepath.Join(dir, "audits.db")
	run := func() (*job.Outcome, error) {
		return job.Run(t.Context(), spec, job.Env{Log: slog.New(slog.DiscardHandler), Tool: "test", NoProxy: true, Store: store})
	}
	// A folder stands where a file is to be written.
	obstacle := filepath.Join(spec.Out, "entries.jsonl")
	if err := os.MkdirAll(filepath.Join(obstacle, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if out, err := run(); err == nil || out != nil {
			t.Fatalf("it is written over a folder: %v", err)
		}
		if left := sorters(t); len(left) > 0 {
			t.Fatalf("open: %q", left)
		}
	}
	if err := os.RemoveAll(obstacle); err != nil {
		t.Fatal(err)
	}
	out, err := run()
	if err != nil {
		t.Fatal(err)
	}
	if left := sorters(t); len(left) == 0 {
		t.Error("nothing is open while its rows can be read: this test sees nothing")
	}
	if err := out.Close(); err != nil || len(sorters(t)) > 0 {
		t.Errorf("%v, open: %q", err, sorters(t))
	}
}

// sorters are the temporary files of sorted records that this process has open.
func sorters(t *testing.T) (open []string) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if name, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.Contains(name, "(deleted)") {
			open = append(open, name)
		}
	}
	return open
}
