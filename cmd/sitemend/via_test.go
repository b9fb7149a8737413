package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	natsd "github.com/nats-io/nats-server/v2/server"

	"sitemend/crawler/fleet"
)

// natsServer starts a server on loopback and returns its URL.
func natsServer(t *testing.T) string {
	t.Helper()
	s, err := natsd.NewServer(&natsd.Options{Host: "127.0.0.1", Port: natsd.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir()})
	must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s.ClientURL()
}

// sitemend runs the program in this process.
func sitemend(ctx context.Context, args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = run(ctx, args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// workers starts workers, which end with the test.
func workers(t *testing.T, url string, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var ends sync.WaitGroup
	for range n {
		ends.Go(func() {
			if status, _, errOut := sitemend(ctx, "worker", "--via", url); status != exitOK {
				t.Errorf("a worker ends with %d: %s", status, errOut)
			}
		})
	}
	t.Cleanup(func() { cancel(); ends.Wait() })
}

// randomSites is a web of sites that redirect to one another at random, with a sitemap of
// them all, and the flags that lead there.
func randomSites(t *testing.T, entries, hosts int, seed uint64) (flags []string, target string) {
	r := rand.New(rand.NewPCG(seed, 7))
	name := func() string {
		i := r.IntN(hosts)
		return []string{"", "www.", "m."}[i%3] + fmt.Sprintf("h%d.example", i/3)
	}
	var sitemap strings.Builder
	sitemap.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	locs := make([]string, entries)
	names := map[string]bool{"h0.example": true}
	for i := range locs {
		host := name()
		names[host] = true
		locs[i] = fmt.Sprintf("http://%s/s%d/p%%28%d%%29", host, r.IntN(3), i)
		fmt.Fprintf(&sitemap, "<url><loc>%s</loc></url>\n", locs[i])
	}
	sitemap.WriteString("</urlset>\n")
	type reply struct {
		status         int
		location, page string
	}
	replies := map[string]reply{"http://h0.example/sitemap.xml": {200, "", sitemap.String()}}
	for i, l := range locs {
		a := reply{status: []int{200, 200, 200, 200, 301, 301, 302, 308, 404, 418}[r.IntN(10)], page: fmt.Sprintf("<title>%d</title><p>words", i)}
		switch {
		case a.status >= 300 && a.status < 400:
			a.location = locs[r.IntN(len(locs))]
		case r.IntN(8) == 0:
			a.page += `<link rel="canonical" href="` + locs[r.IntN(len(locs))] + `">`
		case r.IntN(12) == 0:
			a.page = `<meta name="robots" content="noindex">` + a.page
		}
		replies[l] = a
		if r.IntN(5) == 0 { // the other spelling redirects back
			replies[strings.NewReplacer("%28", "(", "%29", ")").Replace(l)] = reply{status: 301, location: l}
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		a, ok := replies["http://"+req.Host+req.RequestURI]
		if !ok {
			a.status = http.StatusNotFound
		}
		w.Header().Set("Content-Type", "text/html")
		if a.location != "" {
			w.Header().Set("Location", a.location)
		}
		w.WriteHeader(a.status)
		fmt.Fprint(w, a.page)
	}))
	t.Cleanup(s.Close)
	for host := range names {
		flags = append(flags, "--resolve", host+":80:"+s.Listener.Addr().String())
	}
	return flags, "http://h0.example/sitemap.xml"
}

// took is how long an audit took, in junit.xml.
var took = regexp.MustCompile(` time="[\d.]+"`)

// Whoever sends the requests, what is written and said is the same.
func TestWorkersWriteTheSame(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	url := natsServer(t)
	workers(t, url, 2)
	for seed := range uint64(3) {
		flags, target := randomSites(t, 300, 30, seed)
		audit := func(more ...string) map[string]string {
			dir := t.TempDir()
			args := append([]string{"audit", "--out", dir, "--format", "html,csv,jsonl,md,junit,sarif", "--rate", "0", "--allow-private"}, flags...)
			status, out, errOut := sitemend(t.Context(), append(append(args, more...), target)...)
			if status != exitFound {
				t.Fatalf("exit status %d: %s", status, errOut)
			}
			files := outputs(t, dir, "--\n"+out)
			for name, text := range files {
				files[name] = took.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), "")
			}
			return files
		}
		wrote, wroteVia := audit(), audit("--via", url)
		if len(wrote) < 9 {
			t.Errorf("seed %d: only %d files are written", seed, len(wrote))
		}
		for name, want := range wrote {
			if got := wroteVia[name]; got != want {
				t.Errorf("seed %d: %s differs: %s", seed, name, firstDifference(want, got))
			}
		}
		for name := range wroteVia {
			if _, ok := wrote[name]; !ok {
				t.Errorf("seed %d: %s is written too", seed, name)
			}
		}
	}
}

// natsCommand starts a NATS server; $NATS is its URL.
func natsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: nats")
	}
	dir := ts.MkAbs("nats")
	s, err := natsd.NewServer(&natsd.Options{Host: "127.0.0.1", Port: natsd.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: dir})
	ts.Check(err)
	s.Start()
	ts.Defer(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		ts.Fatalf("the server is not ready")
	}
	ts.Setenv("NATS", s.ClientURL())
}

// crewCommand waits until N workers are at the server of $NATS.
func crewCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crew N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f, err := fleet.Connect(ctx, fleet.Options{URL: ts.Getenv("NATS"), Name: "test"})
	ts.Check(err)
	defer f.Close()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		there, err := f.Workers(ctx)
		ts.Check(err)
		if len(there) == n {
			return
		}
		<-tick.C
	}
}
