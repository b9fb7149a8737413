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
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

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
	evidence, rows := newShelf(), newShelf()
	c.Add(evidence.Close)
	c.Add(rows.Close)
	r, err := logfiles.Open(ctx, s.Logs, env.Stdin, env.Log, evidence.Sorter)
	return &logReading{r, rows.Sorter, env.Log}, err
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

// readLogs reads the access logs, once an audit, keeps what they say with it, and tells the crawler in
// which spelling Googlebot asks.
func (j *job) readLogs(ctx context.Context) error {
	if len(j.f.Logs.Files) == 0 {
		return nil
	}
	_, known, err := j.a.Get(logsKey)
	if err == nil && !known {
		err = j.keepLogs(ctx)
	}
	if err != nil {
		return err
	}
	evidence, err := evidenceOf(ctx, j.a)
	j.c.Know(evidence)
	return err
}

// keepLogs reads the logs and keeps what they say: the findings of each sitemap in a file, in the order
// of entries.
func (j *job) keepLogs(ctx context.Context) error {
	var temporary Closers
	defer temporary.Close()
	r, err := openLogs(ctx, j.f, &j.env, &temporary)
	if err != nil {
		return err
	}
	l, err := openEntries(ctx, j.a)
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
	next, stop := iter.Pull2(r.found(ctx))
	defer stop()
	for row, err, more := next(); more; {
		if err != nil {
			return err
		}
		n := l.sitemapAt(row.Seq)
		err := spool(j.a, foundFile(n), func(yield func(*audit.LogRow, error) bool) {
			for more && l.sitemapAt(row.Seq) == n && yield(&row, err) {
				row, err, more = next()
			}
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(put(j.a, logsKey, logs), j.a.Flush())
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
	for row, err := range findings(ctx, a, len(sitemaps)) {
		if err != nil {
			return nil, err
		}
		evidence.Add(&row.Finding)
	}
	return evidence, err
}

// findings yields what the logs say of an audit of n sitemaps.
func findings(ctx context.Context, a *storage.Audit, n int) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		for n := range n + 1 {
			for row, err := range spooled[audit.LogRow](ctx, a, foundFile(n)) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
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
	t.Logs = &logs
	logs.Listed = func(ctx context.Context, n int) iter.Seq2[audit.LogRow, error] {
		return spooled[audit.LogRow](ctx, a, foundFile(n))
	}
	return (&listedEntries{audit: a, sitemaps: sitemaps}).complete(ctx, &logs, func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return findings(ctx, a, len(sitemaps))
	})
}
