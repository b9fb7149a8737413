package logfiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/ground"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A Reader reads logs into a Collector.
type Reader struct {
	Spec
	Robots    *accesslog.Robots
	Collector *accesslog.Collector

	stdin   io.Reader
	log     *slog.Logger
	options accesslog.Options

	lock       sync.Mutex
	count      accesslog.Count
	unreadable string // the first unreadable line of the first log that has one
	first      int    // which log that is
}

// Open checks s, and loads the ranges. It does not read a log yet. The findings are collected in a
// Sorter, which the caller closes; stdin is the log named "-".
func Open(ctx context.Context, s Spec, stdin io.Reader, log *slog.Logger, into *storage.Sorter) (*Reader, error) {
	r := &Reader{Spec: s, stdin: stdin, log: log, first: len(s.Files)}
	var names accesslog.Resolver
	var err error
	if r.options, names, err = s.parsed(); err != nil {
		return nil, err
	}
	ranges, err := botRanges(ctx, s.Ranges, log)
	if err != nil {
		return nil, err
	}
	r.Robots = accesslog.NewRobots(ranges, names)
	r.options.Robots = r.Robots
	r.Collector = accesslog.NewCollector(into)
	r.Collector.Host = strings.TrimSuffix(strings.ToLower(s.Host), ".")
	return r, nil
}

// Beside tells r which hosts are listed; it must be called before Read. alone is the host of lines
// without one, "" for none. Where Spec.Host names the host of a log, another name in the user
// column counts as a host only where has reports it.
func (r *Reader) Beside(alone string, has func(host string) bool) {
	r.Collector.Host = cmp.Or(r.Collector.Host, alone)
	if r.Host != "" {
		r.options.Hosts = has
	}
}

// Count returns what was read so far.
func (r *Reader) Count() accesslog.Count { return r.count }

// Unreadable returns the place of the first line that could not be read, with its log; "" for none.
func (r *Reader) Unreadable() string { return r.unreadable }

// Read reads all logs, on all cores. It returns an error where no line of any of them could be
// read.
func (r *Reader) Read(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range r.Files {
		group.Go(func() error { return ground.Guard(func() error { return r.file(ctx, i, name) }) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return r.usable()
}

// file reads one log. A log that is cut off is used up to there.
func (r *Reader) file(ctx context.Context, i int, name string) error {
	from, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer from.Close()
	count, err := accesslog.Read(ctx, from, r.options, func(req *accesslog.Request) error {
		robot, standing := r.Robots.Of(ctx, req)
		return r.Collector.See(i, req, robot, standing)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.count.Add(count)
	if count.Unreadable > 0 && i < r.first {
		r.first, r.unreadable = i, fmt.Sprintf("%s line %s", called(name), messages.Number(int(count.First)))
	}
	r.log.Debug(fmt.Sprintf("%s: %s", called(name), cli.Plural(int(count.Lines), "line", "lines")))
	var broken *accesslog.UnpackError
	switch {
	case errors.Is(err, accesslog.ErrWindow):
		return cli.WithHint(fmt.Errorf("%s: %w", called(name), err), "unpack it first, as with zstd -dc --long=31 FILE, and name what comes of it, or - for standard input")
	case errors.As(err, &broken):
		r.log.Warn(fmt.Sprintf("%s: %v; what came before is used, %s", called(name), err, cli.Plural(int(count.Lines), "line", "lines")))
	case err != nil:
		return fmt.Errorf("%s: %w", called(name), err)
	}
	return nil
}

// called returns the name of a log for messages.
func called(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// open opens a log. Reads of standard input and of a named pipe end with ctx, because their writers
// may never end, or never come.
func (r *Reader) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return cli.Reading(ctx, r.stdin), nil
	}
	return cli.Open(ctx, name)
}

// formats is the hint where no line can be read.
const formats = "known are: common and combined, JSON of nginx, Apache, Varnish, Caddy and Traefik, lighttpd, varnishncsa, HAProxy, W3C with its #Fields line (IIS), CloudFront, ALB and ELB, Cloudflare Logpush, Google Cloud, Fastly; plain, gzip or zstd"

// usable returns an error where no line of any log could be read.
func (r *Reader) usable() error {
	if r.count.Lines > r.count.Unreadable {
		return nil
	}
	if r.count.Lines == 0 {
		return cli.WithHint(errors.New("the logs are empty"), "name the access log of the server: "+formats)
	}
	return cli.WithHint(fmt.Errorf("none of %s could be read as a line of an access log, the first is %s", cli.Plural(int(r.count.Lines), "line", "lines"), r.unreadable), formats)
}
