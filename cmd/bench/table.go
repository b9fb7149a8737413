package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// A table is the output: Markdown, aligned.
type table struct {
	o    *options
	rows []row
}

func newTable(o *options) *table { return &table{o: o} }

func (t *table) add(rows []row) { t.rows = append(t.rows, rows...) }

var headings = []string{"case", "program", "requests", "CPU s", "x curl", "us/request", "wall s",
	"x curl", "of the bound", "peak MB", "anon MB"}

// print writes the table. The ratios are to the curl of the same case; the bound
// is the wall clock that latency alone makes.
func (t *table) print(w io.Writer) error {
	server := "our own"
	if t.o.nginx != "" {
		server = t.o.nginx
	}
	fmt.Fprintf(w, "%d cores, %s/%s, %s; server: %s; %d requests at once; least CPU of %d run(s)\n\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), server, t.o.parallel,
		t.o.runs)
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	line := func(cells []string) { fmt.Fprintf(tw, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	line(headings)
	line(strings.Split(strings.Repeat("---,", len(headings)-1)+"---", ","))
	for i := range t.rows {
		line(t.cells(&t.rows[i]))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, c := range cases {
		for i := range t.rows {
			if r := &t.rows[i]; r.of.name == c.name {
				fmt.Fprintf(w, "%s: %d entries, %s; at least %d requests\n", c.name, r.entries,
					c.about, r.least)
				break
			}
		}
	}
	return nil
}

func (t *table) cells(r *row) []string {
	curl := t.curl(r.of)
	cells := []string{r.of.name, r.program, fmt.Sprint(r.requests), seconds(r.cpu), "", "",
		seconds(r.wall), "", "", megabytes(r.peak), megabytes(r.anon)}
	if curl != nil && r.program != "wrk" { // wrk runs for a given time
		cells[4], cells[7] = ratio(r.cpu, curl.cpu), ratio(r.wall, curl.wall)
	}
	if r.requests > 0 {
		cells[5] = fmt.Sprintf("%.1f", float64(r.cpu.Microseconds())/float64(r.requests))
	}
	if r.of.slow {
		bound := time.Duration(r.requests) * t.o.latency / time.Duration(t.o.parallel)
		cells[8] = fmt.Sprintf("%.0f %%", 100*bound.Seconds()/r.wall.Seconds())
	}
	return cells
}

func (t *table) curl(c *benchCase) *row {
	for i := range t.rows {
		if r := &t.rows[i]; r.of.name == c.name && r.program == "curl" {
			return r
		}
	}
	return nil
}

func seconds(d time.Duration) string  { return fmt.Sprintf("%.2f", d.Seconds()) }
func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", a.Seconds()/b.Seconds()) }

func megabytes(n int64) string {
	if n == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", float64(n)/(1<<20))
}
