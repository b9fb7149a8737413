// Command bench compares sitemend with other installed programs that fetch lists of addresses, side
// by side in one run: CPU time, wall clock, peak memory, and the requests that arrived at the
// server.
//
//	go run ./cmd/bench                          every case in full: half an hour
//	go run ./cmd/bench -case mixed -scale 0.1   one case, a tenth of its entries
//	go run ./cmd/bench -nginx auto              against nginx where that can serve the case
//	go run ./cmd/bench -before old/sitemend     against an earlier build as well
//
// The server is a process of its own (this program once more, or nginx), so that
// its CPU is not counted. docs/performance.md keeps the numbers and the budgets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/nginx"
)

func main() {
	if dir := os.Getenv(serveEnv); dir != "" {
		if err := serve(dir, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench: server:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// options are the values of the flags.
type options struct {
	cases    []string
	scale    float64
	runs     int
	parallel int
	sitemend string
	before   string
	muffet   string
	nginx    string
	wrk      time.Duration
	latency  time.Duration
	dir      string
	log      io.Writer
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{log: stderr}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	chosen := fs.String("case", "all", "`LIST` of the cases: "+strings.Join(caseNames(), ", "))
	fs.Float64Var(&o.scale, "scale", 1, "multiplies the entries of each case")
	fs.IntVar(&o.runs, "runs", 1, "how often each program runs; the run with the least CPU counts")
	fs.IntVar(&o.parallel, "parallel", 16, "requests at once")
	fs.StringVar(&o.sitemend, "sitemend", "",
		"`PATH` of the sitemend to measure (default: it is built)")
	fs.StringVar(&o.before, "before", "", "`PATH` of an earlier build, measured beside it")
	fs.StringVar(&o.muffet, "muffet", "", "`PATH` of muffet (default: that in PATH, if any)")
	fs.StringVar(&o.nginx, "nginx", "",
		"`PATH` of an nginx to ask instead of our own server; auto finds it")
	fs.DurationVar(&o.wrk, "wrk", 5*time.Second, "how long wrk runs")
	fs.DurationVar(&o.latency, "latency", 50*time.Millisecond,
		"what the case `latency` waits before each answer")
	fs.StringVar(&o.dir, "dir", "", "`DIR` to work in (default: a new one, removed at the end)")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if o.cases = strings.Split(*chosen, ","); *chosen == "all" {
		o.cases = caseNames()
	}
	for _, name := range o.cases {
		if !slices.Contains(caseNames(), name) {
			return nil, fmt.Errorf("-case %q is unknown: it takes all, or any of %s", name,
				strings.Join(caseNames(), ", "))
		}
	}
	if fs.NArg() > 0 || o.scale <= 0 || o.runs < 1 || o.parallel < 1 || o.latency < 0 {
		return nil, errors.New("-scale, -runs and -parallel are more than 0, and there are no arguments: see -h")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "sitemend-bench-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	if o.nginx == "auto" {
		if o.nginx, err = nginx.Find(); err != nil {
			return err
		}
	}
	if o.sitemend == "" {
		o.sitemend = filepath.Join(o.dir, "sitemend")
		if err := build(ctx, o.sitemend); err != nil {
			return err
		}
	}
	t := newTable(o)
	for _, c := range cases {
		if !slices.Contains(o.cases, c.name) {
			continue
		}
		rows, err := c.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		t.add(rows)
	}
	return t.print(stdout)
}

func build(ctx context.Context, to string) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-o", to,
		"sitemend/cmd/sitemend").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
