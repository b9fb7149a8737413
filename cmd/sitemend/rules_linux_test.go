package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a map of so many lines may take of memory, in bytes.
const (
	mapLines  = 1_000_000
	mapBudget = 200 << 20
)

// bigMap writes a map of mapLines lines to map.csv.
func bigMap(b *testing.B) {
	b.Helper()
	f, err := os.Create("map.csv")
	must(b, err)
	w := bufio.NewWriter(f)
	for i := range mapLines {
		fmt.Fprintf(w, "/archive/%d/page-%d.html,/blog/2020/page-%d/\n", i%1000, i, i)
	}
	must(b, w.Flush())
	must(b, f.Close())
}

// measured runs the command and reports its CPU seconds and the peak of its memory: all of it, and
// what is its own, without the files that it maps (the store). It returns the two in bytes.
func measured(b *testing.B, args ...string) (all, anon int64) {
	b.Helper()
	cmd := exec.Command("sitemend", args...)
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	said := &strings.Builder{}
	cmd.Stderr = said
	must(b, cmd.Start())
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
			anon = max(anon, anonNow(cmd.Process.Pid))
		case err := <-ended:
			if done = true; err != nil {
				b.Fatalf("%v\n%s", err, said)
			}
		}
	}
	all = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	b.ReportMetric(float64(all)/(1<<20), "MB")
	b.ReportMetric(float64(anon)/(1<<20), "MB-anon")
	b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "CPU-s")
	return all, anon
}

// anonNow is the anonymous memory of a process in bytes, 0 where it has ended.
func anonNow(process int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	var kb int64
	if _, scanned := fmt.Sscan(rest, &kb); err != nil || scanned != nil {
		return 0
	}
	return kb << 10
}

// BenchmarkRules writes a million rules in some formats.
//
//	go test -run '^$' -bench 'Rules$' -benchtime 1x ./cmd/sitemend
func BenchmarkRules(b *testing.B) {
	b.Chdir(b.TempDir())
	bigMap(b)
	for _, format := range []string{"nginx", "netlify", "csv"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				all, _ := measured(b, "rules", "map.csv", "--for", format, "--out", "rules")
				if all > mapBudget {
					b.Errorf("a million rules took %d MB", all>>20)
				}
			}
		})
	}
}

// BenchmarkExpect judges a map of a million lines against a build whose rules lead most of them to
// one page.
//
//	go test -run '^$' -bench 'Expect$' -benchtime 1x ./cmd/sitemend
func BenchmarkExpect(b *testing.B) {
	b.Chdir(b.TempDir())
	bigMap(b)
	mustWrite(b, "public/index.html", []byte("<!doctype html><title>Home</title><h1>Home</h1><p>Words"))
	mustWrite(b, "public/sitemap.xml", []byte(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+
		`<url><loc>https://www.example.com/</loc></url></urlset>`))
	mustWrite(b, "public/_redirects", []byte("/archive/1/* /blog/2020/:splat 301\n/archive/* / 301\n"))
	for b.Loop() {
		_, anon := measured(b, "audit", "-q", "--site", "public", "--served-by", "cloudflare-pages", "--expect", "map.csv",
			"--fail-on", "none", "--fresh")
		if anon > mapBudget {
			b.Errorf("a map of a million lines took %d MB", anon>>20)
		}
	}
}
