package accesslog_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
)

// corpusDir returns access-logs in SITEMEND_CORPUS, else in ../shared/corpus beside the project.
func corpusDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(cmp.Or(os.Getenv("SITEMEND_CORPUS"), "../../../shared/corpus"), "access-logs")
	if _, err := os.Stat(dir); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skipf("set SITEMEND_CORPUS: %v", err)
	}
	return dir
}

// expected is the content of a log of the corpus.
type expected struct {
	Bytes    int64
	Requests []struct {
		Line    int64
		Time    time.Time
		IP      string
		Method  string
		Target  []byte `json:"target_b64"`
		Status  *int
		UA      []byte `json:"ua_b64"`
		Host    *string
		Rawness string
	}
	Skipped []struct {
		Line int64
		Why  string
	}
}

// unread are the logs of the corpus that are not read as they are: an array over many lines, of
// which jq -c '.[]' makes one a line (docs/logs.md).
var unread = []string{"gcp-logging-read.json"}

// said is what was read from one line.
type said struct {
	at      int64
	addr    string
	method  string
	target  string
	status  int
	agent   string
	host    string
	rawness string
	two     bool
}

func readAll(t testing.TB, log []byte, o accesslog.Options) (map[int64]said, accesslog.Count) {
	t.Helper()
	got := map[int64]said{}
	count, err := accesslog.Read(context.Background(), bytes.NewReader(log), o, func(r *accesslog.Request) error {
		if _, twice := got[r.Line]; twice {
			t.Errorf("line %d was handed out twice", r.Line)
		}
		addr := ""
		if r.Addr.IsValid() {
			addr = r.Addr.String()
		}
		got[r.Line] = said{r.Time, addr, string(r.Method), string(r.Target), r.Status, string(r.Agent), string(r.Host), r.Rawness.String(), r.Two}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return got, count
}

func TestCorpus(t *testing.T) {
	shared := filepath.Join(corpusDir(t), "shared")
	files, err := filepath.Glob(filepath.Join(shared, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no logs in %s: %v", shared, err)
	}
	for _, file := range files {
		log := strings.TrimSuffix(strings.TrimSuffix(file, ".json"), ".expect")
		text, err := os.ReadFile(file)
		must(t, err)
		var want expected
		if json.Unmarshal(text, &want) != nil || want.Requests == nil {
			continue // a log itself
		}
		octets, err := os.ReadFile(log)
		must(t, err)
		if slices.Contains(unread, filepath.Base(log)) {
			continue
		}
		t.Run(filepath.Base(log), func(t *testing.T) { compare(t, octets, &want) })
	}
}

// compare compares what was read from a log with its expected content.
func compare(t *testing.T, octets []byte, want *expected) {
	got, count := readAll(t, octets, accesslog.Options{})
	if count.Bytes != want.Bytes {
		t.Errorf("%d octets read, want %d", count.Bytes, want.Bytes)
	}
	if lines := int64(len(want.Requests) + len(want.Skipped)); count.Lines != lines {
		t.Errorf("%d lines counted, want %d", count.Lines, lines)
	}
	for _, w := range want.Requests {
		g, ok := got[w.Line]
		if !ok {
			t.Errorf("line %d: no request, want %s %q", w.Line, w.Method, w.Target)
			continue
		}
		delete(got, w.Line)
		wanted := said{at: w.Time.Unix(), addr: w.IP, method: w.Method, target: string(w.Target), agent: string(w.UA), rawness: w.Rawness}
		if w.Status != nil {
			wanted.status = *w.Status
		}
		if w.Host != nil {
			wanted.host = *w.Host
		}
		if strings.HasSuffix(w.IP, ".com") { // a host name in the place of an address: not kept
			wanted.addr = ""
		}
		if w.Rawness == "reencoded" { // Traefik: raw is correct, too (README of the corpus)
			wanted.rawness = "raw"
		}
		if g != wanted {
			t.Errorf("line %d:\n got %+v\nwant %+v", w.Line, g, wanted)
		}
	}
	for line, g := range got {
		t.Errorf("line %d: a request that is none: %+v", line, g)
	}
	var bad []int64
	for _, s := range want.Skipped {
		if s.Why == "unparseable" || s.Why == "truncated" {
			bad = append(bad, s.Line)
		}
	}
	if count.Unreadable != int64(len(bad)) || len(bad) > 0 && count.First != slices.Min(bad) {
		t.Errorf("%d lines unreadable, the first %d, want %v", count.Unreadable, count.First, bad)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
