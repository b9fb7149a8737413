// Command bench compares sitemend with curl and wget where they are installed, side by side in one
// run on the same addresses: CPU time, wall clock, peak memory, and the requests that arrived at
// the server, which is the nginx of the system.
//
//	go run ./cmd/bench                          every case in full
//	go run ./cmd/bench -case mixed -scale 0.1   one case, a tenth of its entries
//	go run ./cmd/bench -before old/sitemend     against an earlier build as well
//
// docs/performance.md keeps the numbers and the budgets.
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

	"sitemend/cmd/internal/nginx"
)

func main() {
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
	only     string
	scale    float64
	runs     int
	parallel int
	sitemend string
	before   string
	nginx    string
	dir      string
	log      io.Writer
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{log: stderr}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.only, "case", "", "`NAME` of the one case to run: mixed or tls")
	fs.Float64Var(&o.scale, "scale", 1, "multiplies the entries of each case")
	fs.IntVar(&o.runs, "runs", 1, "how often each program runs; the run with the least CPU counts")
	fs.IntVar(&o.parallel, "parallel", 16, "requests at once")
	fs.StringVar(&o.sitemend, "sitemend", "", "`PATH` of the sitemend to measure (default: it is built)")
	fs.StringVar(&o.before, "before", "", "`PATH` of an earlier build, measured beside it")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 || o.scale <= 0 || o.runs < 1 || o.parallel < 1 || o.only != "" && o.only != "mixed" && o.only != "tls" {
		return nil, errors.New("-scale, -runs and -parallel are more than 0, -case is mixed or tls, and there are no arguments: see -h")
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.nginx, err = nginx.Find(); err != nil {
		return err
	}
	if o.dir, err = os.MkdirTemp("", "sitemend-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	if o.sitemend == "" {
		o.sitemend = filepath.Join(o.dir, "sitemend")
		out, err := exec.CommandContext(ctx, "go", "build", "-o", o.sitemend, "sitemend/cmd/sitemend").CombinedOutput()
		if err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	var rows []row
	for _, c := range []benchCase{{name: "mixed"}, {name: "tls", tls: true}} {
		if o.only != "" && o.only != c.name {
			continue
		}
		of, err := c.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, of...)
	}
	return o.print(stdout, rows)
}
