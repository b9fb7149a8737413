package fleet_test

import (
	"fmt"
	"net/http"
	"runtime"
	"syscall"
	"testing"
	"time"

	"sitemend/crawler/fleet"
)

// spent is the processor time of this process.
func spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWorkers crawls a web of 500 hosts, one of which has half of the entries, in this
// process and through workers, with one server and with three. All are in this process, the
// web too: what the way through the servers costs is the difference to one process, as
// processor time for each entry (us/entry), and as a share of the whole (times).
func BenchmarkWorkers(b *testing.B) {
	const entries = 20_000
	locs := make([]string, entries)
	for i := range locs {
		host := hot
		if i%2 == 1 {
			host = fmt.Sprintf("h%d.example", i%499)
		}
		locs[i] = fmt.Sprintf("http://%s/%d", host, i)
	}
	s := newWeb(b, 0, func(w http.ResponseWriter, url string) { fmt.Fprintf(w, "<title>%s</title>", url) })
	h := how{Addr: s.Listener.Addr().String(), Parallel: 4}
	cost := func(crawl func(store *memory)) float64 {
		runtime.GC()
		before, store := spent(b), newMemory(locs...)
		crawl(store)
		if len(store.hops) < entries {
			b.Fatalf("%d answers", len(store.hops))
		}
		return float64((spent(b) - before).Microseconds()) / entries
	}
	for b.Loop() {
		alone := cost(func(store *memory) { near(b, h, store) })
		b.ReportMetric(alone, "us/entry-alone")
		for _, n := range []int{1, 3} {
			url, all := servers(b, n)
			stops := []func(){workAt(b, url, "w1", fleet.Timing{}), workAt(b, url, "w2", fleet.Timing{})}
			via := cost(func(store *memory) {
				crawl(b, connect(b, url, fleet.Options{Timing: calm}), fmt.Sprint("bench", n), h, store)
			})
			for _, stop := range stops {
				stop()
			}
			for _, s := range all {
				s.Shutdown()
			}
			b.ReportMetric(via-alone, fmt.Sprintf("us/entry-more-%d-servers", n))
			b.ReportMetric(via/alone, fmt.Sprintf("times-%d-servers", n))
		}
	}
}
