package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// planBudget is what an index of 500 children of 50,000 URLs may take to plan.
const (
	planBudget  = 300 << 20
	planEntries = 25_000_000
	perChild    = 50_000
)

// BenchmarkAuditPlans runs the command on a sitemap index of many children until it
// asks for its first entry, and reports what that took of anonymous memory, the
// announcement included: growth an entry, and for 25 million entries.
//
//	go test -run '^$' -bench AuditPlans -benchtime 1x ./cmd/sitemend
//
// The large index has SITEMEND_PLAN_CHILDREN children, or 80: with 500 nothing is extrapolated
// (some minutes, and 2 GB of disk). The small index has more addresses
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
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), "to crawl, at least about") {
		b.Fatalf("%v\n%s", err, stderr.String())
	}
	return peak
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
