package logfiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
	"sitemend/storage"
)

// sorted is a Sorter as accesslog takes it.
type sorted struct{ *storage.Sorter }

// Each implements accesslog.Sorted.
func (s sorted) Each(yield func(key, value []byte) error) error {
	for r, err := range s.Records() {
		if err != nil {
			return err
		}
		if err := yield(r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

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
	unreadable string // the first line, of the first log that has one
	first      int    // which log that is
}

// Open checks what s says, and gets the ranges. Nothing of a log is read yet. What is collected
// goes into a Sorter, which the caller closes; stdin is the log named "-".
func Open(ctx context.Context, s Spec, stdin io.Reader, log *slog.Logger,
	into *storage.Sorter) (*Reader, error) {
	r := &Reader{Spec: s, stdin: stdin, log: log, first: len(s.Files)}
	var err error
	if r.options, err = s.options(); err != nil {
		return nil, err
	}
	if err := s.present(); err != nil {
		return nil, err
	}
	ranges, err := botRanges(ctx, s.Ranges, log)
	if err != nil {
		return nil, err
	}
	names, err := resolver(s.DNS)
	if err != nil {
		return nil, err
	}
	r.Robots = accesslog.NewRobots(ranges, names)
	r.options.Robots = r.Robots
	r.Collector = accesslog.NewCollector(sorted{into})
	r.Collector.Host = strings.TrimSuffix(strings.ToLower(s.Host), ".")
	return r, nil
}

// Beside says to r which hosts are listed, before it reads. The one that is alone, "" for none, is
// that of lines without a host; and where Spec.Host says whose log it is, another name in the
// column of the user is a host only where has reports it.
func (r *Reader) Beside(alone string, has func(host string) bool) {
	r.Collector.Host = cmp.Or(r.Collector.Host, alone)
	if r.Host != "" {
		r.options.Hosts = has
	}
}

// Count returns what was read so far.
func (r *Reader) Count() accesslog.Count { return r.count }

// Unreadable returns which line of which log is the first that could not be read; "" for none.
func (r *Reader) Unreadable() string { return r.unreadable }

// Read reads all logs, on all cores. It is an error where no line of any of them could be read.
func (r *Reader) Read(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range r.Files {
		group.Go(func() error { return audit.Guard(func() error { return r.file(ctx, i, name) }) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return r.usable()
}

// file reads one log. One that is cut off is used as far as it goes.
func (r *Reader) file(ctx context.Context, i int, name string) error {
	from, done, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	o := r.options
	o.Follows = func(is, was accesslog.Packing, at int64) {
		r.log.Warn(fmt.Sprintf("%s: %s follows the %s at byte %d, and is read, too", called(name),
			is, was, at))
	}
	count, err := accesslog.Read(ctx, from, o, func(req *accesslog.Request) error {
		robot, standing := r.Robots.Of(ctx, req)
		return r.Collector.See(i, req, robot, standing, r.Robots)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.count.Add(count)
	if count.Unreadable > 0 && i < r.first {
		r.first, r.unreadable = i, fmt.Sprintf("%s line %s", called(name),
			messages.Number(int(count.First)))
	}
	r.log.Debug(fmt.Sprintf("%s: %s", called(name), cli.Plural(int(count.Lines), "line", "lines")))
	var broken *accesslog.UnpackError
	switch {
	case errors.Is(err, accesslog.ErrUnread) && errors.As(err, &broken):
		return cli.WithHint(fmt.Errorf("%s: %w", called(name), err),
			"make text of it first, as with "+broken.Packing.Command()+
				", and name what comes of it, or - for standard input")
	case errors.Is(err, accesslog.ErrWindow):
		return cli.WithHint(fmt.Errorf("%s: %w", called(name), err), "unpack it first, as with zstd -dc --long=31 FILE, and name what comes of it, or - for standard input")
	case errors.As(err, &broken):
		r.log.Warn(fmt.Sprintf("%s: %v; what came before is used, %s", called(name), err,
			cli.Plural(int(count.Lines), "line", "lines")))
	case err != nil:
		return fmt.Errorf("%s: %w", called(name), err)
	}
	return nil
}

// called is how a log is called.
func called(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// open opens a log. Of standard input nothing is waited for once ctx has ended: who writes to it
// may never end.
func (r *Reader) open(ctx context.Context, name string) (io.Reader, func(), error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		return f, func() { _ = f.Close() }, nil // it was only read
	}
	from, to := io.Pipe()
	go func() {
		_, err := io.Copy(to, r.stdin)
		to.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { from.CloseWithError(ctx.Err()) })
	return from, func() { stop(); from.Close() }, nil
}

// formats is the hint where no line can be read.
const formats = "known are: common and combined, JSON of nginx, Apache, Varnish, Caddy and Traefik, lighttpd, varnishncsa, HAProxy, W3C with its #Fields line (IIS), CloudFront, ALB and ELB, Cloudflare Logpush, Google Cloud, Fastly; plain, gzip or zstd"

// usable is an error where no line of any log could be read.
func (r *Reader) usable() error {
	if r.count.Lines > r.count.Unreadable {
		return nil
	}
	if r.count.Lines == 0 {
		return cli.WithHint(errors.New("the logs are empty"),
			"name the access log of the server: "+formats)
	}
	return cli.WithHint(fmt.Errorf("none of %s could be read as a line of an access log, the first is %s", cli.Plural(int(r.count.Lines), "line", "lines"), r.unreadable), formats)
}
