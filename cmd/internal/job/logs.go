package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A Logging says which access logs are read and how: what logs and audit take.
type Logging struct {
	Files        []string // "-" for Env.Stdin
	Host         string   // whose lines without a host are; "" for the one host that is audited
	Zone         string   // of times without one; "" for UTC
	Since, Until string   // a day or a moment; "" for no bound
	Ranges       []string // known, web, a file or a URL
	// DNS is where names are looked up: "" for nowhere, "system", or the address of a name server.
	DNS string
}

// options reads what is checked before a log is opened.
func (l *Logging) options() (accesslog.Options, error) {
	var o accesslog.Options
	zone, err := logZone(l.Zone)
	if err != nil {
		return o, cli.WithHint(fmt.Errorf("--log-zone %q is no time zone", l.Zone), "as in --log-zone Asia/Tokyo or --log-zone +09:00")
	}
	o.Zone = zone
	if o.Since, err = logMoment(l.Since, false); err != nil {
		return o, cli.WithHint(fmt.Errorf("--since %q is no day", l.Since), "as in --since 2026-11-01, in UTC")
	}
	if o.Until, err = logMoment(l.Until, true); err != nil {
		return o, cli.WithHint(fmt.Errorf("--until %q is no day", l.Until), "as in --until 2026-11-19, in UTC, that day included")
	}
	if o.Since != 0 && o.Until != 0 && o.Since >= o.Until {
		return o, cli.WithHint(fmt.Errorf("--since %s is after --until %s", l.Since, l.Until), "exchange them")
	}
	return o, nil
}

// present is an error where a log is not there, or is named twice: its requests would count twice.
func (l *Logging) present() error {
	seen := map[string]os.FileInfo{}
	for i, name := range l.Files {
		if slices.Contains(l.Files[:i], name) {
			return cli.WithHint(fmt.Errorf("%s is named twice", logName(name)), "name each log once")
		}
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s is a folder", name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return cli.WithHint(fmt.Errorf("%s: no such file", name), "check the path; - reads the log from standard input")
		}
		if err != nil {
			return cli.WithHint(err, "FILE is an access log, plain, gzip or zstd, or - for standard input")
		}
		for other, was := range seen {
			if os.SameFile(was, info) {
				return cli.WithHint(fmt.Errorf("%s and %s are the same file", other, name), "name each log once")
			}
		}
		seen[name] = info
	}
	return nil
}

// logZone is the zone of a name of the IANA database or of an offset.
func logZone(name string) (*time.Location, error) {
	if len(name) > 0 && (name[0] == '+' || name[0] == '-') {
		for _, form := range []string{"-07:00", "-0700", "-07"} {
			if t, err := time.Parse(form, name); err == nil {
				return t.Location(), nil
			}
		}
		return nil, errors.New("no offset")
	}
	return time.LoadLocation(name)
}

// logMoment reads a day, or a moment as RFC 3339 has it. Of a day the end is meant where end is set.
func logMoment(text string, end bool) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		if end {
			t = t.AddDate(0, 0, 1)
		}
		return t.Unix(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.Unix(), err
}

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

// logReader reads logs into a Collector.
type logReader struct {
	Logging
	env       Env
	options   accesslog.Options
	robots    *accesslog.Robots
	collector *accesslog.Collector

	lock       sync.Mutex
	count      accesslog.Count
	unreadable string // the first line, of the first log that has one
	first      int    // which log that is
}

// newLogReader checks the flags and gets the ranges.
func newLogReader(ctx context.Context, l Logging, env Env, into *storage.Sorter) (*logReader, error) {
	r := &logReader{Logging: l, env: env, first: len(l.Files)}
	var err error
	if r.options, err = l.options(); err != nil {
		return nil, err
	}
	if err := l.present(); err != nil {
		return nil, err
	}
	ranges, err := botRanges(ctx, l.Ranges, env.Log)
	if err != nil {
		return nil, err
	}
	resolver, err := logResolver(l.DNS)
	if err != nil {
		return nil, err
	}
	r.robots = accesslog.NewRobots(ranges, resolver)
	r.options.Robots = r.robots
	r.collector = accesslog.NewCollector(sorted{into})
	r.collector.Host = strings.TrimSuffix(strings.ToLower(l.Host), ".")
	return r, nil
}

// beside says to r which hosts are listed: it is theirs where lines have no host, and where --log-host
// says whose log it is, another name in the column of the user is no host.
func (r *logReader) beside(l *listedEntries) {
	if r.collector.Host == "" {
		r.collector.Host = l.onlyHost()
	}
	if r.Host != "" {
		r.options.Hosts = l.has
	}
}

// read reads all logs, on all cores.
func (r *logReader) read(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range r.Files {
		group.Go(func() error { return audit.Guard(func() error { return r.file(ctx, i, name) }) })
	}
	return group.Wait()
}

// file reads one log. One that is cut off is used as far as it goes.
func (r *logReader) file(ctx context.Context, i int, name string) error {
	from, done, err := r.open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	o := r.options
	o.Follows = func(is, was accesslog.Packing, at int64) {
		r.env.Log.Warn(fmt.Sprintf("%s: %s follows the %s at byte %d, and is read, too", logName(name), is, was, at))
	}
	count, err := accesslog.Read(ctx, from, o, func(req *accesslog.Request) error {
		robot, standing := r.robots.Of(ctx, req)
		return r.collector.See(i, req, robot, standing, r.robots)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.count.Add(count)
	if count.Unreadable > 0 && i < r.first {
		r.first, r.unreadable = i, fmt.Sprintf("%s line %s", logName(name), messages.Number(int(count.First)))
	}
	r.env.Log.Debug(fmt.Sprintf("%s: %s lines", logName(name), messages.Number(int(count.Lines))))
	var broken *accesslog.UnpackError
	switch {
	case errors.Is(err, accesslog.ErrUnread) && errors.As(err, &broken):
		return cli.WithHint(fmt.Errorf("%s: %w", logName(name), err), "make text of it first, as with "+broken.Packing.Command()+", and name what comes of it, or - for standard input")
	case errors.Is(err, accesslog.ErrWindow):
		return cli.WithHint(fmt.Errorf("%s: %w", logName(name), err), "unpack it first, as with zstd -dc --long=31 FILE, and name what comes of it, or - for standard input")
	case errors.As(err, &broken):
		r.env.Log.Warn(fmt.Sprintf("%s: %v; what came before is used, %s", logName(name), err, cli.Plural(int(count.Lines), "line", "lines")))
	case err != nil:
		return fmt.Errorf("%s: %w", logName(name), err)
	}
	return nil
}

// logName is how a log is called.
func logName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// open opens a log. Of standard input nothing is waited for once ctx has ended: who writes to it
// may never end.
func (r *logReader) open(ctx context.Context, name string) (io.Reader, func(), error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		return f, func() { _ = f.Close() }, nil // it was only read
	}
	from, to := io.Pipe()
	go func() {
		_, err := io.Copy(to, r.env.Stdin)
		to.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { from.CloseWithError(ctx.Err()) })
	return from, func() { stop(); from.Close() }, nil
}

// logFormats is the hint where no line can be read.
const logFormats = "known are: common and combined, JSON of nginx, Apache, Varnish, Caddy and Traefik, lighttpd, varnishncsa, HAProxy, W3C with its #Fields line (IIS), CloudFront, ALB and ELB, Cloudflare Logpush, Google Cloud, Fastly; plain, gzip or zstd"

// usable is an error where no line of any log could be read.
func (r *logReader) usable() error {
	if r.count.Lines > r.count.Unreadable {
		return nil
	}
	if r.count.Lines == 0 {
		return cli.WithHint(errors.New("the logs are empty"), "name the access log of the server: "+logFormats)
	}
	return cli.WithHint(fmt.Errorf("none of %s could be read as a line of an access log, the first is %s", cli.Plural(int(r.count.Lines), "line", "lines"), r.unreadable), logFormats)
}

// LogHints say what a user can do about what the logs do not tell.
func LogHints(l *audit.Logs) []string {
	var hints []string
	t := &l.Tally
	verified := t.Verified[accesslog.Googlebot] + t.Verified[accesslog.Bingbot]
	claimed := t.Claimed[accesslog.Googlebot] + t.Claimed[accesslog.Bingbot]
	switch {
	case l.Count.Span == accesslog.Span{} && l.Count.Outside > 0:
		hints = append(hints, "--since and --until leave out every line that has a time: choose days that the logs have")
	case verified == 0 && t.Two > 0:
		hints = append(hints, "lines with a robot's name have two addresses side by side, and either may be the client's: log one ($remote_addr in nginx, after real_ip; %a in Apache, with mod_remoteip); docs/logs.md")
	case verified == 0 && claimed > 0 && t.Behind > 0:
		hints = append(hints, "robots are named, but the addresses are Cloudflare's: log the client's address (nginx: real_ip_header CF-Connecting-IP, Apache: mod_remoteip); docs/logs.md")
	case verified == 0 && claimed > 0 && t.Hidden == claimed: // a lookup of them says nothing of the client
		hints = append(hints, "robots are named, but the addresses are those of a proxy or a private network: log the client's address (nginx: real_ip, Apache: mod_remoteip); docs/logs.md")
	case verified == 0 && claimed > 0 && t.Hidden > 0:
		hints = append(hints, "robots are named, but the addresses are perhaps those of a proxy: log the client's address (nginx: real_ip, Apache: mod_remoteip), or look the others up with --dns; docs/logs.md")
	case verified == 0 && claimed > 0:
		hints = append(hints, "what bears a robot's name comes from other addresses than Google's and Bing's: somebody else who takes that name, or perhaps the addresses are those of a proxy (docs/logs.md); --dns looks them up, --bot-ranges web takes today's lists, too")
	case verified == 0:
		hints = append(hints, "no robot of Google or Bing is in these logs; are they those of the right host and time?")
	}
	if verified > 0 && t.Decoded >= verified {
		hints = append(hints, "the logs have paths as the server decoded them, which tells no spelling: log the request line ($request in nginx, %r in Apache); docs/logs.md")
	}
	switch {
	case t.Edge > 0:
		hints = append(hints, "these are records of a CDN: it may have respelled addresses (Cloudflare: Rules, Settings, Normalize incoming URLs); docs/logs.md")
	case t.Behind > 0:
		hints = append(hints, "a CDN stands before this server, and may have respelled addresses (Cloudflare: Rules, Settings, Normalize incoming URLs); docs/logs.md")
	}
	return hints
}

// logResolver is who is asked for names; nil for nobody.
func logResolver(at string) (accesslog.Resolver, error) {
	switch at {
	case "":
		return nil, nil
	case DNSOfSystem:
		return systemResolver(""), nil
	}
	if addr, err := netip.ParseAddr(strings.Trim(at, "[]")); err == nil {
		return systemResolver(netip.AddrPortFrom(addr, 53).String()), nil
	}
	if _, err := netip.ParseAddrPort(at); err != nil {
		return nil, cli.WithHint(fmt.Errorf("--dns %q is no address of a name server", at), "as in --dns=192.0.2.53 or --dns=127.0.0.1:5353; --dns alone asks that of the system")
	}
	return systemResolver(at), nil
}

// DNSOfSystem is Logging.DNS for the name servers of the system.
const DNSOfSystem = "system"

// Logs reads logs and holds them beside entries: those of the sitemaps that s names as Targets, else
// those of the latest audit of its store with the same hosts. It writes googlebot.csv to s.Out and
// requests no page. The caller closes what is returned, from which rows can be read until then.
func Logs(ctx context.Context, s Spec, l Logging, env Env) (*LogsOutcome, error) {
	out := &LogsOutcome{lang: s.Lang}
	err := out.make(ctx, &s, l, env)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// A LogsOutcome is what logs say.
type LogsOutcome struct {
	audit.Logs
	lang    string
	closers Closers
}

// Close lets go of temporary files and the store.
func (o *LogsOutcome) Close() error { return o.closers.Close() }

func (o *LogsOutcome) make(ctx context.Context, s *Spec, l Logging, env Env) error {
	evidence := storage.NewSorter("")
	o.closers.Add(evidence.Close)
	r, err := newLogReader(ctx, l, env, evidence)
	if err != nil {
		return err
	}
	if err := writable(s.Out); err != nil {
		return err
	}
	listed, err := entriesFor(ctx, s, r, env, &o.closers)
	if err != nil {
		return err
	}
	if err := r.read(ctx); err != nil {
		return err
	}
	if err := r.usable(); err != nil {
		return err
	}
	if listed, err = listed.sameHosts(ctx, r, &o.closers); err != nil {
		return err
	}
	if err := o.join(ctx, r, listed); err != nil {
		return err
	}
	o.Path = filepath.Join(s.Out, report.LogsName)
	return writeBeside(s.Out, report.LogsName, func(w io.Writer) error { return report.WriteLogsCSV(ctx, w, &o.Logs, o.lang) })
}

// writeBeside writes a file under another name and gives it its own when it is whole.
func writeBeside(dir, name string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := ".sitemend-" + name
	f, err := root.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

// WriteSummary writes what the logs say for a terminal.
func (o *LogsOutcome) WriteSummary(w io.Writer) error {
	return report.WriteLogsSummary(w, &o.Logs, o.lang)
}

// join holds the logs beside the entries.
func (o *LogsOutcome) join(ctx context.Context, r *logReader, listed *listedEntries) error {
	tally, err := r.collector.Done()
	if err != nil {
		return err
	}
	if tally.NoHost > 0 && r.collector.Host == "" {
		return cli.WithHint(fmt.Errorf("the lines of the log have no host, and the entries are of %s", cli.Plural(len(listed.hosts), "host", "hosts")), "--log-host HOST says whose log it is")
	}
	if n := r.robots.Skipped(); n > 0 {
		r.env.Log.Warn(fmt.Sprintf("--dns: %s were not looked up, for %s others were", cli.Plural(n, "request's address", "requests' addresses"), messages.Number(accesslog.MaxLookups)))
	}
	o.Tally, o.Count, o.Files, o.Unreadable = tally, r.count, len(r.Files), r.unreadable
	o.Compared = listed.compared
	rows := &logRows{sorter: storage.NewSorter("")}
	o.closers.Add(rows.sorter.Close)
	if err := listed.each(ctx, r.collector.List); err != nil {
		return err
	}
	if listed.release != nil {
		if err := listed.release(); err != nil {
			return err
		}
	}
	err = listed.answers(func(ours func(*accesslog.Finding) accesslog.Ours) error {
		o.Foreign, err = r.collector.Join(ctx, listed.has, func(f *accesslog.Finding) error {
			row := audit.LogRow{Finding: *f, Ours: ours(f)}
			if f.Class == accesslog.RedirectedUnlisted {
				row.URL = listed.absolute(f.URL)
			}
			o.Sum.Add(f, row.Ours)
			return rows.add(&row)
		})
		return err
	})
	o.Rows = func(ctx context.Context) iter.Seq2[audit.LogRow, error] { return rows.all(ctx, listed) }
	return err
}
