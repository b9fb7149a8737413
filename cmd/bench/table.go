package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

var headings = []string{"case", "program", "requests", "CPU s", "x curl", "us/request", "wall s", "x curl", "peak MB", "anon MB"}

// print writes the rows as a table of Markdown. The ratios are to the curl of the same case.
func (o *options) print(w io.Writer, rows []row) error {
	fmt.Fprintf(w, "%d cores, %s/%s, %s; %s; %d requests at once; least CPU of %d run(s)\n\n",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.nginx, o.parallel, o.runs)
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	line := func(cells []string) { fmt.Fprintf(tw, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	line(headings)
	line(strings.Split(strings.Repeat("---,", len(headings)-1)+"---", ","))
	for _, r := range rows {
		cpu, wall := "", ""
		for _, curl := range rows {
			if curl.of == r.of && curl.program == "curl" {
				cpu, wall = ratio(r.cpu, curl.cpu), ratio(r.wall, curl.wall)
			}
		}
		line([]string{r.of, r.program, fmt.Sprint(r.requests), seconds(r.cpu), cpu,
			fmt.Sprintf("%.1f", float64(r.cpu.Microseconds())/float64(max(1, r.requests))), seconds(r.wall), wall, megabytes(r.peak), megabytes(r.anon)})
	}
	return tw.Flush()
}

func seconds(d time.Duration) string  { return fmt.Sprintf("%.2f", d.Seconds()) }
func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", a.Seconds()/b.Seconds()) }

func megabytes(n int64) string {
	if n == 0 {
		return "?"
	}
	return fmt.Sprintf("%.0f", float64(n)/(1<<20))
}
