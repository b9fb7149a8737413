package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/nginx"
)

// TestMain lets this test be the server's process as well.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serveEnv); dir != "" {
		if err := serve(dir, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// benched runs the bench and returns the cells of its table by case and program.
func benched(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	var out, said bytes.Buffer
	if err := run(context.Background(), append(args, "-wrk", "100ms", "-dir", t.TempDir()), &out, &said); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		cells := strings.Split(line, "|")
		if len(cells) != len(headings)+2 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows[cells[1]+" "+cells[2]] = cells[1:]
	}
	return rows
}

// A small run of every case: the number of requests is known beforehand.
func TestBench(t *testing.T) {
	checkBench(t, benched(t, "-scale", "0.002", "-latency", "1ms"), caseNames())
}

func TestBenchNginx(t *testing.T) {
	program, err := nginx.Find()
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	names := []string{"mixed", "tls", "shared"}
	checkBench(t, benched(t, "-nginx", program, "-scale", "0.002", "-case", strings.Join(names, ",")), names)
}

func checkBench(t *testing.T, rows map[string][]string, names []string) {
	t.Helper()
	least := map[string]int{"mixed": 139, "tls": 139, "shared": 81, "pages": 20, "latency": 13, "million": 2780, "again": 0}
	for _, name := range names {
		cells, ok := rows[name+" sitemend"]
		if !ok {
			t.Fatalf("no row of %s in %v", name, rows)
		}
		asked, err := strconv.Atoi(cells[2])
		// Beside the addresses: robots.txt, sitemap, an unknown address, the second
		// look at what is gone, the proof, and what other readers get.
		if most := least[name] + least[name]/50 + 80; err != nil || asked < least[name] || name != "again" && asked > most {
			t.Errorf("%s: sitemend sent %s requests, at least %d and at most %d make sense", name, cells[2], least[name], most)
		}
		if name == "again" && asked != 0 {
			t.Errorf("telling again sent %d requests", asked)
		}
		if cells[3] == "0.00" || cells[9] == "0" {
			t.Errorf("%s: nothing was measured: %v", name, cells)
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		return // programs are compared only where they are installed
	}
	if cells := rows["mixed curl"]; len(cells) == 0 || cells[2] != strconv.Itoa(least["mixed"]) || cells[4] != "1.00" {
		t.Errorf("curl: %v", cells)
	}
}

// The pages of the case differ, are always the same, and have the size that is said.
func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for i := range 200 {
		b := string(pageOf(rich(i)))
		if seen[b] || b != string(pageOf(rich(i))) || len(b) < leastPage || len(b) > mostPage {
			t.Errorf("page %d of %d bytes", i, len(b))
		}
		if !strings.Contains(b, `<link rel="canonical" href="`+rich(i)+`">`) || strings.Contains(b, "%!") {
			t.Errorf("page %d: %.900s", i, b)
		}
		seen[b] = true
	}
}

// The best run of a program is the one with the least CPU time; that of wrk, which runs for a given
// time, the one with the least CPU time for a request.
func TestBestRun(t *testing.T) {
	for program, want := range map[string]int64{"curl": 100, "wrk": 300} {
		var rows []row
		for _, r := range []row{{requests: 100, usage: usage{cpu: time.Second}}, {requests: 300, usage: usage{cpu: 2 * time.Second}}, {requests: 200, usage: usage{cpu: 3 * time.Second}}} {
			r.program = program
			rows = keepBest(rows, r)
		}
		if len(rows) != 1 || rows[0].requests != want {
			t.Errorf("%s: the run of %d requests is kept, want that of %d", program, rows[0].requests, want)
		}
	}
}

func TestUnknownCase(t *testing.T) {
	err := run(context.Background(), []string{"-case", "mixed,larger"}, new(bytes.Buffer), new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), `"larger"`) {
		t.Errorf("got %v", err)
	}
}
