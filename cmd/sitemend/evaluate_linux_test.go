package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// tellBudget is what telling 1,000,000 entries again may take of anonymous
// memory.
const evaluateBudget = 200 << 20

// tellSizes are the entries that BenchmarkTell tells, without
// SITEMEND_TELL_ENTRIES.
var evaluateSizes = []int{25_000, 100_000}

// BenchmarkTell tells a made-up audit again, with html, csv, jsonl and the
// corrected sitemaps, in a process of its own:
//
//	go test -run '^$' -bench Tell -benchtime 1x ./cmd/sitemend
//	SITEMEND_TELL_ENTRIES=250000,1000000 go test ...
//
// It reports seconds, allocations an entry and the peak of anonymous memory
// (RssAnon: what the store maps of its file is not counted) of the last size,
// and from the growth between the first and the last what 25 million entries
// would take. With SITEMEND_TELL_STORE=DIR the stores are made once, and kept.
func BenchmarkEvaluate(b *testing.B) {
	sizes := evaluateSizes
	if list := os.Getenv("SITEMEND_TELL_ENTRIES"); list != "" {
		sizes = nil
		for n := range strings.SplitSeq(list, ",") {
			entries, err := strconv.Atoi(n)
			must(b, err)
			sizes = append(sizes, entries)
		}
	}
	for b.Loop() {
		var first, last evaluatedAgain
		for i, n := range sizes {
			last = evaluateAgain(b, n)
			if i == 0 {
				first = last
			}
		}
		b.ReportMetric(last.seconds, "s")
		b.ReportMetric(last.seconds*1e6/float64(last.entries), "us/entry")
		b.ReportMetric(last.allocs/float64(last.entries), "allocs/entry")
		b.ReportMetric(float64(last.peak)/(1<<20), "peak-MB")
		if len(sizes) > 1 {
			each := float64(last.peak-first.peak) / float64(last.entries-first.entries)
			b.ReportMetric(each, "B/entry")
			b.ReportMetric((float64(last.peak)+each*float64(planEntries-last.entries))/(1<<20), "MB/25M")
		}
		if last.entries <= 1_000_000 && last.peak > evaluateBudget {
			b.Errorf("%d entries took %.0f MB to tell", last.entries, float64(last.peak)/(1<<20))
		}
	}
}

// toldAgain is what telling took.
type evaluatedAgain struct {
	entries int
	seconds float64
	allocs  float64
	peak    int64 // bytes
}

// tellAgain makes the store of n entries and tells it, each in a process of its
// own.
func evaluateAgain(b *testing.B, n int) (t evaluatedAgain) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "kept")
	if keep := os.Getenv("SITEMEND_TELL_STORE"); keep != "" {
		dir = filepath.Join(keep, strconv.Itoa(n))
	}
	do := func(stage string) string { return fmt.Sprintf("SITEMEND_TELL=%s %d %s", stage, n, dir) }
	inProcess(b, "TestTellAgain", do("make"), "")
	inProcess(b, "TestTellAgain", do("tell"), "told ", &t.entries, &t.seconds, &t.allocs, &t.peak)
	return t
}

// TestTellAgain tells a made-up audit again and looks whether each output has
// all its entries. BenchmarkTell runs it in processes of their own.
func TestEvaluateAgain(t *testing.T) {
	stage, n, dir := "", 2_000, t.TempDir()
	if with := os.Getenv("SITEMEND_TELL"); with != "" {
		_, err := fmt.Sscan(with, &stage, &n, &dir)
		must(t, err)
	}
	store := filepath.Join(dir, "audits.db")
	if stage != "tell" {
		if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
			makeAudit(t, store, n)
			mustWrite(t, filepath.Join(dir, "made"), nil)
		}
	}
	if stage == "make" {
		return
	}
	if stage == "tell" {
		collectLess() // as main does
	}
	out := filepath.Join(dir, "out")
	args := []string{"report", "--store", store, "--out", out, "--format", "html,csv,jsonl", "--lang", "en"}
	peak, stop := watchRSS(t)
	defer stop()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	if code := run(t.Context(), args, strings.NewReader(""), io.Discard, os.Stderr); code != exitOK {
		t.Fatalf("exit status %d", code)
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	t.Log("told", n, took.Seconds(), after.Mallocs-before.Mallocs, peak())
	for name, lines := range map[string]int{"entries.csv": n + 1, "entries.jsonl": n} {
		data, err := os.ReadFile(filepath.Join(out, name))
		must(t, err)
		if got := bytes.Count(data, []byte("\n")); got != lines {
			t.Errorf("%s has %d lines, want %d", name, got, lines)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "sitemaps")); err != nil {
		t.Error(err)
	}
}

// makeTold fills a store with a finished audit of n entries in files of 50,000:
// 70 % are fine, 19 % are redirected once, 9 % twice, 1 % are gone, and a few of
// each hundred are the other things that a site does.
func makeAudit(t *testing.T, path string, n int) {
	s, err := storage.Open(path)
	must(t, err)
	started := time.Date(2026, 11, 21, 10, 2, 0, 0, time.UTC)
	rules := audit.Rules{MaxHops: 10, Spelling: address.Googlebot, Robots: "obey", MaxDrop: 0.1, MissingPath: "sitemend-nowhere"}
	info := audit.Info{Targets: []string{site}, Identity: "googlebot", Agent: "Googlebot", Rules: rules, Tool: "1.0", Started: started}
	a, err := s.Begin(info, "told")
	must(t, err)
	keep := func(h audit.Hop, to int) {
		h.Tries, h.MS, h.At = 1, 5+to%90, started.Add(time.Duration(to)*time.Millisecond)
		must(t, a.Keep(h))
	}
	keep(audit.Hop{Request: audit.Request{URL: site + "/sitemend-nowhere"}, Status: 404}, 0)
	for from := 0; from < n; from += perChild {
		to := min(from+perChild, n)
		name := fmt.Sprintf("sitemap-%d.xml", from/perChild)
		spool, err := a.SpoolWriter(name)
		must(t, err)
		entries := listedFrom(spool, from, to)
		_, err = a.AddSitemap(t.Context(), audit.Sitemap{URL: site + "/" + name, AnsweredAt: site + "/" + name, Parent: -1, Status: 200, Kind: "urlset",
			Spool: name, FetchedAt: started}, entries)
		must(t, err)
		must(t, spool.Close())
		for i := from; i < to; i++ {
			for _, h := range answersOf(i) {
				keep(h, i)
			}
		}
	}
	info = a.Info()
	info.Ended, info.Duration, info.Requests = started.Add(time.Hour), time.Hour, n
	must(t, a.Finish(info))
	must(t, a.Close())
	must(t, s.Close())
}

// listedFrom yields entries and writes the file that lists them.
func listedFrom(w io.Writer, from, to int) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		fmt.Fprintf(w, "<urlset %s>\n", xmlns)
		for i := from; i < to; i++ {
			loc := listedLoc(i)
			fmt.Fprintf(w, "<url><loc>%s</loc></url>\n", strings.ReplaceAll(loc, "&", "&amp;"))
			if !yield(audit.Entry{Loc: loc, Line: i - from + 2}, nil) {
				return
			}
		}
		io.WriteString(w, "</urlset>\n")
	}
}

const site = "https://www.shop.example"

func listedLoc(i int) string {
	at := fmt.Sprintf("%s/items/%d/an-article-about-something-%07d", site, i%97, i)
	switch i % 1000 {
	case 0:
		return listedLoc(max(i-3, 1)) // a duplicate
	case 1:
		return "/relative"
	case 2, 3:
		return at + "?a=1&b=%e3%82%ab"
	case 4:
		return site + "/ja/" + fmt.Sprintf("%%E3%%82%%AB%%E3%%83%%86-%d", i)
	case 5:
		return at + "/(4)"
	}
	switch r := i % 100; {
	case r >= 99:
		return at + "/gone"
	case r >= 90:
		return strings.Replace(at, "https://www.", "http://", 1)
	case r >= 71:
		return strings.Replace(at, "https:", "http:", 1)
	}
	return at
}

// answersOf are the answers that entry i needs.
func answersOf(i int) []audit.Hop {
	loc := listedLoc(i)
	at := func(url string, status int, location string) audit.Hop {
		h := audit.Hop{Request: audit.Request{URL: url}, Status: status, Location: location}
		if status == 200 {
			h.Page = audit.Page{ContentType: "text/html; charset=utf-8", Title: fmt.Sprintf("An article about something, %d", i), Canonical: url}
		}
		return h
	}
	switch i % 1000 {
	case 0, 1:
		return nil
	case 2:
		to := strings.ReplaceAll(loc, "%e3", "%E3")
		return []audit.Hop{at(loc, 301, to), at(to, 200, "")}
	case 5:
		second := address.Googlebot.Spell(address.Wire(loc)).String()
		return []audit.Hop{at(loc, 200, ""), at(second, 301, loc)}
	case 6:
		return []audit.Hop{at(loc, 302, loc+"/today"), at(loc+"/today", 200, "")}
	case 7:
		return []audit.Hop{at(loc, 301, loc+"/"), at(loc+"/", 301, loc)}
	case 8:
		return []audit.Hop{at(loc, 301, site+"/hub"), at(site+"/hub", 200, "")}
	case 9:
		h := at(loc, 200, "")
		h.Page.Robots = "noindex, follow"
		return []audit.Hop{h}
	case 10:
		h := at(loc, 200, "")
		h.Page.Canonical = site + "/canonical/" + strconv.Itoa(i)
		return []audit.Hop{h, at(h.Page.Canonical, 200, "")}
	case 11:
		return []audit.Hop{at(loc, 503, "")}
	case 12:
		return []audit.Hop{{Request: audit.Request{URL: loc}, Fault: audit.FaultTimeout, Detail: "no answer in 30 s"}}
	case 13:
		return []audit.Hop{{Request: audit.Request{URL: loc}, Fault: audit.FaultForbidden, Forbidden: "Disallow: /items", ForbiddenLine: 4}}
	case 14:
		return []audit.Hop{at(loc, 301, "https://elsewhere.example/"), at("https://elsewhere.example/", 200, "")}
	}
	switch {
	case strings.HasSuffix(loc, "/gone"):
		again := at(loc, 404, "")
		again.Purpose = audit.AsBrowser
		return []audit.Hop{at(loc, 404, ""), again}
	case strings.HasPrefix(loc, "http://shop"):
		second := strings.Replace(loc, "http:", "https:", 1)
		third := strings.Replace(second, "shop.", "www.shop.", 1)
		return []audit.Hop{at(loc, 301, second), at(second, 301, third), at(third, 200, "")}
	case strings.HasPrefix(loc, "http:"):
		to := strings.Replace(loc, "http:", "https:", 1)
		return []audit.Hop{at(loc, 301, to), at(to, 200, "")}
	}
	return []audit.Hop{at(loc, 200, "")}
}

// Ctrl-C ends telling, too, and leaves the outputs as they were.
func TestReportIsStopped(t *testing.T) {
	dir := t.TempDir()
	makeAudit(t, filepath.Join(dir, "audits.db"), 100)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errOut strings.Builder
	code := run(ctx, []string{"report", "--out", dir}, strings.NewReader(""), &out, &errOut)
	if code != exitInterrupted || out.String() != "" {
		t.Errorf("exit status %d, printed %q and %q", code, out.String(), errOut.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); err == nil {
		t.Error("outputs were written")
	}
}
