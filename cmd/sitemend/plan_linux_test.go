package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// planBudget is what an index of 500 children of 50,000 URLs may take to plan.
const (
	planBudget  = 300 << 20
	planEntries = 25_000_000
	perChild    = 50_000
)

// BenchmarkPlan reads a sitemap index of many children into the store and plans
// the asking, in a process of its own, and reports what that takes of anonymous
// memory (RssAnon: what the store maps of its file is not counted):
//
//	go test -run '^$' -bench Plan -benchtime 1x ./cmd/sitemend
//
// The growth an entry is taken between a small and a large index; the budget is
// for 25 million entries. What Evaluate takes is reported beside it. The large index
// has SITEMEND_PLAN_CHILDREN children, or 40: with 500 nothing is extrapolated
// (some minutes, and 2 GB of disk).
func BenchmarkPlan(b *testing.B) {
	children := 40
	if n, err := strconv.Atoi(os.Getenv("SITEMEND_PLAN_CHILDREN")); err == nil {
		children = max(n, 20)
	}
	for b.Loop() {
		small, large := planned(b, 10), planned(b, children)
		more, rest := float64((children-10)*perChild), float64(planEntries-children*perChild)
		at := func(stage int) float64 { return float64(large[stage]-small[stage]) / more }
		extrapolated := float64(large[1]) + at(1)*rest
		b.ReportMetric(at(0), "discover-B/entry")
		b.ReportMetric(at(1), "plan-B/entry")
		b.ReportMetric(extrapolated/(1<<20), "plan-MB/25M")
		b.ReportMetric(at(2), "tell-B/entry")
		b.ReportMetric((float64(large[2])+at(2)*rest)/(1<<20), "tell-MB/25M")
		b.ReportMetric(float64(large[1])/(1<<20), "plan-MB")
		if extrapolated > planBudget {
			b.Errorf("25 million entries would take %.0f MB to plan", extrapolated/(1<<20))
		}
	}
}

// BenchmarkAuditPlans runs the command on a sitemap index of many children until it
// asks for its first entry, and reports what that took of anonymous memory, the
// announcement included: growth an entry, and for 25 million entries.
//
//	go test -run '^$' -bench AuditPlans -benchtime 1x ./cmd/sitemend
//
// SITEMEND_PLAN_CHILDREN is as for BenchmarkPlan. The small index has more addresses
// than are counted exactly.
func BenchmarkAuditPlans(b *testing.B) {
	children := 80
	if n, err := strconv.Atoi(os.Getenv("SITEMEND_PLAN_CHILDREN")); err == nil {
		children = max(n, 50)
	}
	for b.Loop() {
		small, large := plannedByCommand(b, 30), plannedByCommand(b, children)
		each := float64(large-small) / float64((children-30)*perChild)
		whole := float64(large) + each*float64(planEntries-children*perChild)
		b.ReportMetric(each, "B/entry")
		b.ReportMetric(float64(large)/(1<<20), "MB")
		b.ReportMetric(whole/(1<<20), "MB/25M")
		b.Logf("%d MB, %d MB", small>>20, large>>20)
		if whole > planBudget {
			b.Errorf("25 million entries would take %.0f MB to plan", whole/(1<<20))
		}
	}
}

// plannedByCommand returns the peak of the command's anonymous memory.
func plannedByCommand(b *testing.B, children int) (peak int64) {
	b.Helper()
	asked := make(chan struct{})
	var once sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serveIndex(w, r, children)
		if strings.Contains(r.URL.Path, "an-article") {
			once.Do(func() { close(asked) })
		}
	}))
	defer s.Close()
	cmd := exec.Command("sitemend", "audit", "--rate", "1", "--out", b.TempDir(), s.URL+"/index.xml")
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "http_proxy=", "LANG=C.UTF-8")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(b, cmd.Start())
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
			peak = max(peak, anonOf(b, strconv.Itoa(cmd.Process.Pid)))
		case <-asked:
			done = true
		}
	}
	must(b, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), "to ask, at least about") {
		b.Fatalf("%v\n%s", err, stderr.String())
	}
	return peak
}

// planned plans an index of n children in a process of its own, and returns the
// peaks of its anonymous memory up to the end of Discover, of the plan and of
// Tell, in bytes.
func planned(b *testing.B, n int) (peaks [3]int64) {
	b.Helper()
	inProcess(b, "TestPlan", "SITEMEND_PLAN="+indexOf(b, n), "peaks ", &peaks[0], &peaks[1], &peaks[2])
	return peaks
}

// indexOf serves a sitemap index of n children and returns its address.
func indexOf(t testing.TB, n int) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveIndex(w, r, n) }))
	t.Cleanup(s.Close)
	return s.URL + "/index.xml"
}

func serveIndex(w http.ResponseWriter, r *http.Request, children int) {
	out := bufio.NewWriterSize(w, 64<<10)
	defer out.Flush()
	at := "http://" + r.Host
	child, isChild := strings.CutPrefix(r.URL.Path, "/child-")
	switch {
	case isChild:
		fmt.Fprintf(out, "<urlset %s>\n", xmlns)
		for i := range perChild {
			fmt.Fprintf(out, "<url><loc>%s/%s/an-article-about-something-%05d</loc></url>\n", at, child, i)
		}
		io.WriteString(out, "</urlset>")
	case r.URL.Path == "/index.xml":
		fmt.Fprintf(out, "<sitemapindex %s>\n", xmlns)
		for i := range children {
			fmt.Fprintf(out, "<sitemap><loc>%s/child-%d</loc></sitemap>\n", at, i)
		}
		io.WriteString(out, "</sitemapindex>")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// TestPlan reads an index and plans its entries: of a large index nothing is
// asked but the files. BenchmarkPlan measures it in a process of its own.
func TestPlan(t *testing.T) {
	target := os.Getenv("SITEMEND_PLAN")
	if target == "" {
		target = indexOf(t, 2)
	}
	f := &auditFlags{}
	f.add(newFlagSet())
	f.rate, f.quiet, f.out = 0, true, t.TempDir()
	j, err := newJob(stdio{strings.NewReader(""), io.Discard, io.Discard}, f, []string{target})
	must(t, err)
	store, err := storage.Open(filepath.Join(f.out, "audits.db"))
	must(t, err)
	a, err := j.begin(store, "plan")
	must(t, err)
	c := crawler.New(a, j.o)
	defer c.Close()
	j.d.Now = time.Now()

	peak, stop := watchRSS(t)
	must(t, c.Discover(t.Context(), a, j.d))
	discovered := peak()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Run(stopped); !errors.Is(err, context.Canceled) { // it plans, and then asks for nothing
		t.Fatal(err)
	}
	plan := peak()
	told, err := audit.Evaluate(a, a.Info(), func(url string) string { return url })
	must(t, err)
	t.Log("peaks", discovered, plan, peak())
	if n := told.Counts.Entries; n%perChild != 0 || n == 0 || c.Progress.Requests.Load() > int64(n/perChild+5) {
		t.Errorf("%d entries, %d requests", n, c.Progress.Requests.Load())
	}
	stop()
	must(t, errors.Join(a.Close(), store.Close()))
}
