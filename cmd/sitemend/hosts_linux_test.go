package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
	"sitemend/storage"
)

// The budgets of asking many hosts.
const (
	liveHosts, liveMemory = 30_000, 300 << 20
	deadHosts, deadCPU    = 20_000, 20 * time.Second
)

// BenchmarkHosts asks a list of entries on 30,000 hosts that answer, and of 20,000 at
// which nobody does, two entries each, in a process of its own. It reports what that
// takes of anonymous memory and of the processor, and how many entries could not be
// seen (of hosts that answer: none):
//
//	go test -run '^$' -bench Hosts -benchtime 1x ./cmd/sitemend
func BenchmarkHosts(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(hostOf))
	defer s.Close()
	for b.Loop() {
		peak, cpu, unseen := askedHosts(b, liveHosts, 2, s.Listener.Addr().String())
		b.ReportMetric(float64(peak)/(1<<20), "live-MB")
		b.ReportMetric(cpu.Seconds(), "live-cpu-s")
		if unseen > 0 || peak > liveMemory {
			b.Errorf("%d entries unseen, %d MB", unseen, peak>>20)
		}
		peak, cpu, unseen = askedHosts(b, deadHosts, 2, nobody(b))
		b.ReportMetric(float64(peak)/(1<<20), "dead-MB")
		b.ReportMetric(cpu.Seconds(), "dead-cpu-s")
		if unseen != 2*deadHosts || cpu > deadCPU {
			b.Errorf("%d entries unseen, %v", unseen, cpu)
		}
	}
}

// nobody is an address of this machine at which nobody answers.
func nobody(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// BenchmarkHostCount asks 40,000 entries of 1, 100 and 10,000 hosts, as fast as they answer, in a
// process of its own each. It reports what one entry takes of the processor, and the anonymous
// memory:
//
//	go test -run '^$' -bench HostCount -benchtime 1x ./cmd/sitemend
func BenchmarkHostCount(b *testing.B) {
	const entries = 40_000
	s := httptest.NewServer(http.HandlerFunc(hostOf))
	defer s.Close()
	for _, hosts := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			for b.Loop() {
				peak, cpu, unseen := askedHosts(b, hosts, entries/hosts, s.Listener.Addr().String())
				b.ReportMetric(float64(peak)/(1<<20), "MB")
				b.ReportMetric(float64(cpu.Microseconds())/entries, "cpu-us/entry")
				if unseen > 0 {
					b.Errorf("%d entries unseen", unseen)
				}
			}
		})
	}
}

// hostOf answers as a host with a page at each address and no robots.txt.
func hostOf(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
}

// askedHosts asks hosts of some entries each: two at 10 requests a second, more without a ceiling.
func askedHosts(b *testing.B, hosts, entries int, addr string) (peak int64, cpu time.Duration, unseen int) {
	b.Helper()
	state := inProcess(b, "TestAskHosts", fmt.Sprintf("SITEMEND_HOSTS=%d %d %s", hosts, entries, addr), "asked ", &peak, &unseen)
	return peak, state.UserTime() + state.SystemTime(), unseen
}

// TestAskHosts asks what the benchmarks of hosts say in the environment, else a few hosts.
func TestAskHosts(t *testing.T) {
	hosts, entries, addr := 50, 2, ""
	given, ok := os.LookupEnv("SITEMEND_HOSTS")
	if ok {
		if _, err := fmt.Sscan(given, &hosts, &entries, &addr); err != nil {
			t.Fatal(err)
		}
	} else {
		s := httptest.NewServer(http.HandlerFunc(hostOf))
		defer s.Close()
		addr = s.Listener.Addr().String()
	}
	list, resolve := new(strings.Builder), map[string]string{}
	for i := range hosts {
		for j := range entries {
			fmt.Fprintf(list, "http://h%d.example/%d\n", i, j)
		}
		resolve[fmt.Sprintf("h%d.example:80", i)] = addr
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "list.txt")
	must(t, os.WriteFile(file, []byte(list.String()), 0o666))
	store, err := storage.Open(filepath.Join(dir, "audits.db"))
	must(t, err)
	defer store.Close()
	a, err := store.Begin(audit.Info{Started: time.Now()}, "")
	must(t, err)
	defer a.Close()
	id, err := fetch.LookupIdentity("googlebot")
	must(t, err)
	rules := audit.Rules{MaxHops: 10, Robots: "obey", Spelling: address.None}
	rate := 10.
	if entries > 2 {
		rate = 0
	}
	c := crawler.New(a, crawler.Options{Rules: rules, Rate: rate, Parallel: 4,
		Ask: fetch.Options{Identity: id, NoProxy: true, Parallel: 4, Resolve: resolve, Guard: fetch.NewGuard(nil, nil, true)}})
	defer c.Close()
	target, err := discover.ParseTarget(file)
	must(t, err)
	peak, stop := watchRSS(t)
	defer stop()
	must(t, c.Discover(t.Context(), a, discover.Options{Targets: []discover.Target{target}, Audited: new(fetch.Audited), Now: time.Now()}))
	must(t, c.Run(t.Context()))
	unseen := 0
	for e, err := range a.Entries(t.Context(), 0, a.EntryCount()) {
		must(t, err)
		if row := audit.Judge(a, e, &rules, audit.Want{}); row.Verdict == audit.Unverified {
			unseen++
		}
	}
	if !ok && unseen > 0 {
		t.Errorf("%d entries were not seen", unseen)
	}
	t.Logf("asked %d %d", peak(), unseen)
}
