package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sitemend/cmd/internal/nginx"
)

// benchEntries is what the budgets of an audit are stated for.
const benchEntries = 50_000

// benchSite answers 70 % of the entries directly, 19 % after one redirect, 10 %
// after two, and 1 % not at all.
const benchSite = `
keepalive_requests 1000000;
server {
	listen @HTTP@;
	root @DIR@/site;
	absolute_redirect off;
	location = /sitemap.xml { }
	location /ok/ { return 200 "<html><head><title>$uri</title><link rel=canonical href=$request_uri></head><body>hello</body></html>"; }
	location /new/ { return 200 "<html><head><title>$uri</title></head><body>hello</body></html>"; }
	location ~ ^/once/(.*)$ { return 301 /new/$1; }
	location ~ ^/twice/(.*)$ { return 301 /once/$1; }
	location / { return 404; }
}`

// BenchmarkAudit runs a whole audit of 50,000 entries, outputs included, as a
// process of its own, and curl fetching the same addresses beside it:
//
//	go test -run '^$' -bench Audit -benchtime 1x ./cmd/sitemend
//
// It reports the peak of resident memory, requests, and CPU as a ratio to curl.
func BenchmarkAudit(b *testing.B) {
	s := nginx.Start(b, benchSite)
	locs := make([]string, benchEntries)
	for i := range locs {
		kind := "ok"
		switch r := i % 100; {
		case r >= 99:
			kind = "gone"
		case r >= 89:
			kind = "twice"
		case r >= 70:
			kind = "once"
		}
		locs[i] = fmt.Sprintf("%s/%s/an-article-about-something-%05d", s.HTTP(), kind, i)
	}
	mustWrite(b, filepath.Join(s.Dir, "site/sitemap.xml"), []byte(urlset(locs)))
	config := filepath.Join(s.Dir, "curl.cfg")
	mustWrite(b, config, []byte("url = \""+strings.Join(locs, "\"\noutput = /dev/null\nurl = \"")+"\"\noutput = /dev/null\n"))
	for b.Loop() {
		out := b.TempDir()
		ours := measure(b, "sitemend", "audit", "-q", "--rate", "0", "--parallel", "16", "--fail-on", "none", "--out", out, s.HTTP()+"/sitemap.xml")
		b.ReportMetric(float64(ours.Maxrss)/1024, "peak-MB")
		b.ReportMetric(cpu(ours).Seconds(), "cpu-s")
		if _, err := exec.LookPath("curl"); err != nil {
			b.Log("curl is not installed: no ratio")
			continue
		}
		curl := measure(b, "curl", "-s", "-Z", "--parallel-max", "16", "-L", "-K", config)
		b.ReportMetric(cpu(ours).Seconds()/cpu(curl).Seconds(), "x-curl-cpu")
		b.ReportMetric(float64(curl.Maxrss)/1024, "curl-peak-MB")
	}
}

// measure runs a program and returns what it used.
func measure(b *testing.B, name string, args ...string) *syscall.Rusage {
	b.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage)
}

func cpu(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
