package job

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// checkLogs refuses what --access-log and its flags cannot be.
func (f *Spec) checkLogs() error {
	l := &f.Logs
	if len(l.Files) > 0 {
		if slices.Contains(l.Files, "-") && slices.Contains(f.Targets, "-") {
			return cli.WithHint(errors.New("standard input cannot be both the log and the target"), "name a file for one of them")
		}
		return l.Check()
	}
	zone := l.Zone != "" && l.Zone != "UTC"
	ranges := l.Ranges != nil && !slices.Equal(l.Ranges, []string{"known"})
	if zone || ranges || cmp.Or(l.Host, l.Since, l.Until, l.DNS) != "" {
		return cli.WithHint(errors.New("--log-host, --log-zone, --since, --until, --bot-ranges and --dns say how access logs are read, and there is none"), "name the log: --access-log FILE")
	}
	return nil
}

// Logs reads s.Logs and holds them beside entries: those of the sitemaps that s names as Targets,
// else those of the latest audit of its store, of the host of s.Logs where it names one. It writes
// googlebot.csv to s.Out, requests no page, and hands what the logs say to say.
func Logs(ctx context.Context, s Spec, env Env, say func(*audit.Logs) error) (err error) {
	var c Closers
	defer func() { err = errors.Join(err, c.Close()) }()
	r, err := openLogs(ctx, &s, &env, &c)
	if err != nil {
		return err
	}
	l, err := entriesFor(ctx, &s, env, r.Collector.Host, &c)
	if err != nil {
		return err
	}
	s.Place(l.audit.Info().Targets)
	if err := writable(s.Out); err != nil {
		return err
	}
	logs, err := r.beside(ctx, l)
	if err == nil {
		err = l.complete(ctx, logs, r.found)
	}
	if err != nil {
		return err
	}
	logs.Path = filepath.Join(s.Out, report.LogsName)
	err = scratch.Replace(s.Out, report.LogsName, func(w io.Writer) error { return report.WriteLogsCSV(ctx, w, logs, s.Lang) })
	if err != nil {
		return err
	}
	return say(logs)
}

// A logReading reads logs, and has what they say of entries.
type logReading struct {
	*logfiles.Reader
	rows *storage.Sorter
	log  *slog.Logger
}

func openLogs(ctx context.Context, s *Spec, env *Env, c *Closers) (*logReading, error) {
	evidence, rows := storage.NewSorter(""), storage.NewSorter("")
	c.Add(evidence.Close)
	c.Add(rows.Close)
	r, err := logfiles.Open(ctx, s.Logs, env.Stdin, env.Log, evidence)
	return &logReading{r, rows, env.Log}, err
}

// beside reads the logs and holds them beside entries. Lines without a host are those of the one host
// of the entries.
func (r *logReading) beside(ctx context.Context, l *listedEntries) (*audit.Logs, error) {
	r.Beside(l.onlyHost(), l.has)
	if err := r.Read(ctx); err != nil {
		return nil, err
	}
	logs := &audit.Logs{Tally: r.Collector.Done(), Count: r.Count(), Files: len(r.Files), Unreadable: r.Unreadable()}
	// The hosts of a log are not printed: what stands in their place may be a user or an address.
	if hosts := r.Collector.Hosts(); len(hosts) > 0 && !slices.ContainsFunc(hosts, l.has) {
		return nil, cli.WithHint(errors.New("the logs are of other hosts than the URLs"), "--sitemap TARGET reads the URLs of a sitemap; --log-host HOST takes the latest audit of HOST, and says whose log it is")
	}
	if logs.Tally.NoHost > 0 && r.Collector.Host == "" {
		return nil, cli.WithHint(fmt.Errorf("the lines of the log have no host, and the URLs are of %s", cli.Plural(len(l.hosts), "host", "hosts")), "--log-host HOST says whose log it is")
	}
	if n := r.Robots.Skipped(); n > 0 {
		r.log.Warn(fmt.Sprintf("--dns: %s were not looked up, for %s others were", cli.Plural(n, "request's address", "requests' addresses"), messages.Number(accesslog.MaxLookups)))
	}
	if err := l.each(ctx, r.Collector.List); err != nil {
		return nil, err
	}
	n := uint32(0)
	foreign, err := r.Collector.Join(ctx, l.has, func(f *accesslog.Finding) error {
		row := audit.LogRow{Finding: *f}
		if f.Class == accesslog.RedirectedUnlisted {
			host, target, _ := strings.Cut(f.URL, "/")
			row.URL = l.origin(host) + "/" + target
		}
		value, err := cbor.Marshal(&row)
		key := binary.BigEndian.AppendUint64(nil, uint64(f.Seq)) // that of -1 is the last
		n++
		return cmp.Or(err, r.rows.Add(string(binary.BigEndian.AppendUint32(key, n)), value))
	})
	logs.Foreign = foreign
	return logs, err
}

// found yields what the logs say, in the order of entries; what none lists comes last.
func (r *logReading) found(ctx context.Context) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		for record, err := range r.rows.Records() {
			var row audit.LogRow
			if err == nil {
				err = cmp.Or(anyText.Unmarshal(record.Value, &row), ctx.Err())
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// complete adds to logs their rows, each with the sitemap that lists it and what the audit was
// answered itself, and what they come to.
func (l *listedEntries) complete(ctx context.Context, logs *audit.Logs, rows func(context.Context) iter.Seq2[audit.LogRow, error]) error {
	logs.Compared, logs.Sum = !l.audit.Info().NoFetch, accesslog.Sum{}
	logs.Rows = func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return func(yield func(audit.LogRow, error) bool) {
			for row, err := range rows(ctx) {
				if err == nil && logs.Compared {
					row.Ours = oursOf(l.audit, &row.Finding)
				}
				if n := l.sitemapAt(row.Seq); err == nil && n < len(l.sitemaps) {
					row.Sitemap = l.sitemaps[n].URL
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
	for row, err := range logs.Rows(ctx) {
		if err != nil {
			return err
		}
		logs.Sum.Add(&row.Finding, row.Ours)
	}
	return nil
}

// logsKey is the record of an audit of what access logs say. The findings lie in its spool, in a
// file for each sitemap and one for what none lists.
const logsKey = "access-log-findings"

func foundFile(sitemap int) string { return fmt.Sprintf("crawled-%d", sitemap) }

// readLogs reads the access logs, once an audit, keeps what they say with it, and tells c in which
// spelling Googlebot asks.
func (j *job) readLogs(ctx context.Context, c *crawler.Crawler, a *storage.Audit) error {
	if len(j.f.Logs.Files) == 0 {
		return nil
	}
	_, known, err := a.Get(logsKey)
	if err == nil && !known {
		err = j.keepLogs(ctx, a)
	}
	if err != nil {
		return err
	}
	evidence, err := evidenceOf(ctx, a)
	c.Know(evidence)
	return err
}

// keepLogs reads the logs and keeps what they say.
func (j *job) keepLogs(ctx context.Context, a *storage.Audit) error {
	var temporary Closers
	defer temporary.Close()
	r, err := openLogs(ctx, j.f, &j.env, &temporary)
	if err != nil {
		return err
	}
	l, err := openEntries(ctx, a)
	if err != nil {
		return err
	}
	logs, err := r.beside(ctx, l)
	if err != nil {
		return err
	}
	for _, hint := range logfiles.Hints(logs) {
		j.d.Warn("--access-log: %s", hint)
	}
	if err := l.keep(a, r.found(ctx)); err != nil {
		return err
	}
	return errors.Join(put(a, logsKey, logs), a.Flush())
}

// keep spools rows, which are in the order of entries.
func (l *listedEntries) keep(a *storage.Audit, rows iter.Seq2[audit.LogRow, error]) error {
	var to *spooling
	at := -1
	for row, err := range rows {
		if n := l.sitemapAt(row.Seq); err == nil && n != at {
			if err = to.Close(); err == nil {
				to, err = spool(a, foundFile(n))
			}
			at = n
		}
		if err == nil {
			err = to.Encode(&row)
		}
		if err != nil {
			return errors.Join(err, to.Close())
		}
	}
	return to.Close()
}

// evidenceOf is in which spelling Googlebot asked for the entries of an audit; nil where no log was
// read.
func evidenceOf(ctx context.Context, a *storage.Audit) (*audit.Evidence, error) {
	_, known, err := a.Get(logsKey)
	if err != nil || !known {
		return nil, err
	}
	sitemaps, err := a.Sitemaps()
	evidence := &audit.Evidence{}
	for n := range sitemaps {
		for row, err := range spooled[audit.LogRow](ctx, a, foundFile(n)) {
			if err != nil {
				return nil, err
			}
			evidence.Add(&row.Finding)
		}
	}
	return evidence, err
}

// addLogs adds what the access logs of an audit say to its result, beside what it was answered
// itself.
func addLogs(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	logs, known, err := get[audit.Logs](a, logsKey)
	if err != nil || !known {
		return err
	}
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return err
	}
	l := &listedEntries{audit: a, sitemaps: sitemaps}
	t.Logs = &logs
	logs.Listed = func(ctx context.Context, n int) iter.Seq2[audit.LogRow, error] {
		return spooled[audit.LogRow](ctx, a, foundFile(n))
	}
	return l.complete(ctx, &logs, func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return func(yield func(audit.LogRow, error) bool) {
			for n := range len(sitemaps) + 1 {
				for row, err := range logs.Listed(ctx, n) {
					if !yield(row, err) || err != nil {
						return
					}
				}
			}
		}
	})
}
