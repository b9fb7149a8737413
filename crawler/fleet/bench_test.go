package fleet_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
	"sitemend/crawler/fleet"
)

// serverEnv makes a process of this test a NATS server; its value is a serverSpec.
const serverEnv = "SITEMEND_TEST_SERVER"

// serverSpec describes the server that a process runs.
type serverSpec struct {
	Dir    string
	Name   string
	Routes string // of the cluster: "-" for its first server, "" for no cluster
	Sync   bool   // sync_interval: always
}

// asServer runs a server in this process: it prints the server's URL and its address in the
// cluster, and ends when its standard input does.
func asServer(spec string) int {
	var of serverSpec
	if err := json.Unmarshal([]byte(spec), &of); err != nil {
		panic(err)
	}
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: of.Dir,
		ServerName: of.Name, JetStreamMaxStore: 8 << 30, SyncAlways: of.Sync}
	if of.Routes != "" {
		o.Cluster = server.ClusterOpts{Name: "fleet", Host: "127.0.0.1", Port: server.RANDOM_PORT}
		o.Routes = server.RoutesFromStr(strings.TrimPrefix(of.Routes, "-"))
	}
	s, err := server.NewServer(o)
	if err == nil {
		s.Start()
		if !s.ReadyForConnections(20 * time.Second) {
			err = server.ErrServerNotRunning
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cluster := "-"
	if of.Routes != "" {
		cluster = "nats-route://" + s.ClusterAddr().String()
	}
	fmt.Println(s.ClientURL(), cluster)
	_, _ = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	s.WaitForShutdown()
	return 0
}

// serverProcess is a server in a process of its own.
type serverProcess struct {
	cmd *exec.Cmd
	in  io.Closer
}

// usedBy returns the processor time that a process has used so far; 0 on systems other than Linux.
func usedBy(t testing.TB, p *exec.Cmd) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name may have spaces
	fields := strings.Fields(rest)
	var user, system time.Duration
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	must(t, err)
	return (user + system) * (time.Second / 100) // USER_HZ is 100
}

// serverProcesses starts n servers as processes, as one cluster, and returns their address.
func serverProcesses(t testing.TB, n int, sync bool) (url string, all []serverProcess) {
	t.Helper()
	var urls, routes []string
	for i := range n {
		spec := serverSpec{Dir: t.TempDir(), Name: fmt.Sprint("n", i), Sync: sync}
		if n > 1 {
			spec.Routes = "-" + strings.Join(routes, ",")
		}
		b, err := json.Marshal(spec)
		must(t, err)
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), serverEnv+"="+string(b)), os.Stderr
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		must(t, err)
		at := strings.Fields(line)
		urls, routes, all = append(urls, at[0]), append(routes, at[1]), append(all, serverProcess{cmd, in})
	}
	return strings.Join(urls, ","), all
}

// usage is what processes used in processor time and memory.
type usage struct {
	cpu time.Duration
	mem int // MB, of the process that used most
}

// end ends a process, waits for it, and adds what it used.
func (u *usage) end(t testing.TB, p *exec.Cmd, end func() error) {
	t.Helper()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid)) // on Linux
	if _, peak, ok := strings.Cut(string(status), "VmHWM:"); ok {
		var kb int
		_, err := fmt.Sscan(peak, &kb)
		must(t, err)
		u.mem = max(u.mem, kb>>10)
	}
	must(t, end())
	must(t, p.Wait())
	u.cpu += p.ProcessState.UserTime() + p.ProcessState.SystemTime()
}

// begin subtracts what processes have used so far, to start.
func (u *usage) begin(t testing.TB, all ...*exec.Cmd) {
	t.Helper()
	for _, p := range all {
		u.cpu -= usedBy(t, p)
	}
}

// instant answers requests in place of a web, so that a request costs next to nothing.
type instant struct{}

// File implements fetch.Site.
func (i instant) File(at address.Address) (fetch.SiteAnswer, bool) { return i.Answer(at) }

// Answer implements fetch.Site.
func (instant) Answer(at address.Address) (fetch.SiteAnswer, bool) {
	if at.Path() == "/robots.txt" {
		return fetch.SiteAnswer{Status: http.StatusNotFound}, true
	}
	text := "<title>" + at.Target() + "</title>"
	return fetch.SiteAnswer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}},
		Body: io.NopCloser(strings.NewReader(text)), Length: int64(len(text))}, true
}

// spent is the processor time of this process.
func spent(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWorkers crawls 200,000 entries of 500 hosts, one of which has half of them, in this
// process alone, and through four workers and one or three servers, each a process of its own. The
// answers are made in the process that asks. So the cost of the way through the servers is the
// processor time of all processes less that of the one alone: "more", in microseconds an entry, of
// which it reports the part of the servers and the part of the audit and its workers. The time that
// a process takes to start is left out. sync is sync_interval: always. paced has 100 hosts with as
// many entries each, whose answers come home ten at once, as do those of a host that gets ten
// requests a second where answers are gathered for one second.
func BenchmarkWorkers(b *testing.B) {
	const entries, hosts = 200_000, 500
	uneven, even := make([]string, entries), make([]string, entries)
	for i := range entries {
		host := hot
		if i%2 == 1 {
			host = fmt.Sprintf("h%d.example", i/2%(hosts-1))
		}
		uneven[i] = fmt.Sprintf("http://%s/category/some-product-%d.html", host, i)
		even[i] = fmt.Sprintf("http://h%d.example/category/some-product-%d.html", i%100, i)
	}
	crawled := func(b *testing.B, locs []string, crawl func(store *memory)) (cpu, took time.Duration) {
		runtime.GC()
		store := newMemory(locs...)
		before, began := spent(b), time.Now()
		crawl(store)
		if len(store.hops) < entries || store.twice > 0 {
			b.Fatalf("%d answers, %d twice", len(store.hops), store.twice)
		}
		return spent(b) - before, time.Since(began)
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e6 / entries }
	for _, c := range []struct {
		name    string
		servers int
		sync    bool
		rate    float64
	}{{"1-server", 1, false, 0}, {"1-server-sync", 1, true, 0}, {"3-servers", 3, false, 0}, {"3-servers-sync", 3, true, 0},
		{"1-server-paced", 1, false, 100}, {"3-servers-paced", 3, false, 100}} {
		h, locs := how{Instant: true, Parallel: 4, Rate: c.rate}, uneven
		if c.rate > 0 {
			locs = even
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				alone, _ := crawled(b, locs, func(store *memory) { near(b, h, store) })
				url, all := serverProcesses(b, c.servers, c.sync)
				var workers []*exec.Cmd
				for i := range 4 {
					workers = append(workers, process(b, url, fmt.Sprint("w", i), steadyEnv+"=1"))
				}
				awaitWorkers(b, url, len(workers))
				var asking, serving usage
				asking.begin(b, workers...)
				for _, s := range all {
					serving.begin(b, s.cmd)
				}
				audit, took := crawled(b, locs, func(store *memory) {
					crawl(b, connect(b, url, fleet.Options{Timing: steady}), "bench", h, store)
				})
				for _, w := range workers {
					asking.end(b, w, func() error { return w.Process.Signal(syscall.SIGTERM) })
				}
				for _, s := range all {
					serving.end(b, s.cmd, s.in.Close)
				}
				b.ReportMetric(each(alone), "us/entry-alone")
				b.ReportMetric(each(serving.cpu), "us/entry-servers")
				b.ReportMetric(each(audit+asking.cpu-alone), "us/entry-clients")
				b.ReportMetric(each(audit+asking.cpu+serving.cpu-alone), "us/entry-more")
				b.ReportMetric(entries/took.Seconds(), "entries/s")
				b.ReportMetric(float64(serving.mem), "MB-server")
				b.ReportMetric(float64(asking.mem), "MB-worker")
			}
		})
	}
}

// awaitWorkers waits until n workers have joined.
func awaitWorkers(t testing.TB, url string, n int) {
	t.Helper()
	f := connect(t, url, fleet.Options{Timing: steady})
	for patient := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		all, err := f.Workers(t.Context())
		if err == nil && len(all) == n {
			return
		}
		if time.Now().After(patient) {
			t.Fatalf("%d workers, %v", len(all), err)
		}
	}
}
