package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/nginx"
)

// linkedSite is a site of folders of a hundred pages each. Every page links to a hundred addresses:
// 60 of its template (50 pages of the first folder, 8 that no sitemap lists, one that redirects,
// one that is gone), 39 pages of its folder, and one that no other page links to.
const linkedSite = `
server {
	listen @HTTP@;
	access_log off;
	default_type text/html;
	keepalive_requests 100000;
	root @DIR@;
	location = /moved { return 301 /p/0/0/; }
	location ~ ^/p/\d+/\d+/$ { try_files /page.html =404; }
}
`

// serveLinked serves a linkedSite of so many pages.
func serveLinked(tb testing.TB, pages int) *nginx.Server {
	tb.Helper()
	s := nginx.Start(tb, linkedSite)
	var page, list strings.Builder
	page.WriteString("<!doctype html><title>Page</title><body><header><h1>A page of a shop</h1></header><nav><ul>")
	for i := range 50 {
		fmt.Fprintf(&page, `<li class="menu-item"><a class="menu-link" href="/p/0/%d/">Menu item %d</a></li>`, i, i)
	}
	page.WriteString("</ul></nav><main><p>" + strings.Repeat("Some words about what can be bought here. ", 80))
	for i := range 39 {
		fmt.Fprintf(&page, "<a class=card href=\"../%d/\"><img src=/i.png alt=''>Item %d</a>\n", i, i)
	}
	page.WriteString("<a href=more>More</a></main><footer><a href=/moved>Moved</a><a href=/gone>Gone</a>")
	for i := range 8 {
		fmt.Fprintf(&page, "<a href=/t/%d>Terms %d</a>", i, i)
	}
	page.WriteString("</footer>")
	for i := range pages {
		fmt.Fprintf(&list, "%s/p/%d/%d/\n", s.HTTP(), i/100, i%100)
	}
	fmt.Fprintf(&list, "%s/moved\n%s/gone\n", s.HTTP(), s.HTTP())
	mustWrite(tb, filepath.Join(s.Dir, "page.html"), []byte(page.String()))
	mustWrite(tb, filepath.Join(s.Dir, "sitemap.txt"), []byte(list.String()))
	return s
}

// TestLinksOfASite reads 300,000 links of 3,000 pages of a real server.
func TestLinksOfASite(t *testing.T) {
	if os.Getenv("SITEMEND_LINKED") != "" {
		auditLinkedAlone(t)
		return
	}
	const pages = 3000
	s := serveLinked(t, pages)
	out := t.TempDir()
	status := run(t.Context(), []string{"audit", "-q", "--rate", "0", "--links", "--fail-on", "none", "--also", "none", "--spelling", "none", "--out", out, s.HTTP() + "/sitemap.txt"},
		strings.NewReader(""), io.Discard, os.Stderr)
	if status != exitOK {
		t.Fatalf("exit status %d", status)
	}
	text, err := os.ReadFile(filepath.Join(out, "summary.json"))
	must(t, err)
	var got struct {
		Links struct {
			Pages, Unlisted, Entries int
			Old                      map[string]int
			Unlinked                 int `json:"unlinked_entries"`
		}
	}
	must(t, json.Unmarshal(text, &got))
	l := got.Links
	if l.Pages != pages || l.Entries != pages || l.Unlisted != pages+8 || l.Unlinked != 50+29*61 || len(l.Old) != 2 || l.Old["moved"] != 1 || l.Old["not-found"] != 1 {
		t.Errorf("summary.json says %+v", l)
	}
	f, err := os.Open(filepath.Join(out, "links.csv"))
	must(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(t, err)
	for i, want := range []string{"/gone not-found  3000 100% footer 3000", "/moved moved " + s.HTTP() + "/p/0/0/ 3000 100% footer 3000"} {
		r := rows[i+1]
		if got := strings.Join([]string{strings.TrimPrefix(r[0], s.HTTP()), r[1], r[7], r[4], r[5], r[9]}, " "); got != want {
			t.Errorf("links.csv line %d: %s, want %s", i+2, got, want)
		}
	}
	if len(rows) != 1+2+l.Unlisted+l.Unlinked {
		t.Errorf("links.csv has %d lines", len(rows))
	}
}

// auditLinkedAlone is what the other process of BenchmarkLinks does.
func auditLinkedAlone(t *testing.T) {
	collectLess() // as main does
	peak, stop := watchRSS(t)
	defer stop()
	args := []string{"audit", "-q", "--rate", "0", "--parallel", "8", "--fail-on", "none", "--also", "none", "--spelling", "none", "--fresh", "--out", t.TempDir()}
	args = append(args, strings.Fields(os.Getenv("SITEMEND_LINKED"))...)
	began := time.Now()
	if status := run(context.Background(), args, strings.NewReader(""), io.Discard, os.Stderr); status != exitOK {
		t.Fatalf("exit status %d", status)
	}
	t.Log("audited", peak(), time.Since(began).Microseconds())
}

// BenchmarkLinks audits a site of 50,000 pages of 100 links each on a real nginx, with --links and
// without, each in a process of its own, and reports what --links adds: how often the time and the
// CPU, and how much memory.
//
//	go test -run '^$' -bench Links -benchtime 1x ./cmd/sitemend
func BenchmarkLinks(b *testing.B) {
	const pages = 50_000
	s := serveLinked(b, pages)
	for b.Loop() {
		var peaks, micros [2]int64
		var cpu [2]time.Duration
		for i, flag := range []string{"", "--links "} {
			state := inProcess(b, "TestLinksOfASite", "SITEMEND_LINKED="+flag+s.HTTP()+"/sitemap.txt", "audited ", &peaks[i], &micros[i])
			cpu[i] = state.UserTime() + state.SystemTime()
		}
		b.ReportMetric(float64(micros[1])/float64(micros[0]), "x-time")
		b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "x-cpu")
		b.ReportMetric(cpu[0].Seconds(), "s-cpu-without")
		b.ReportMetric(float64(peaks[0])/(1<<20), "MB-without")
		b.ReportMetric(float64(peaks[1]-peaks[0])/(1<<20), "MB-more")
	}
	b.ReportMetric(0, "ns/op")
}
