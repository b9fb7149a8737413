package job

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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

// Logs reads s.Logs and holds them beside entries: those of the sitemaps that s names as Targets,
// else those of the latest audit of its store. It writes googlebot.csv to s.Out, requests no page, and
// hands what the logs say to say.
func Logs(ctx context.Context, s Spec, env Env, say func(*audit.Logs) error) (err error) {
	var c Closers
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := s.Logs.Check(); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "sitemend-*")
	if err != nil {
		return err
	}
	c.Add(func() error { return os.RemoveAll(temporary) })
	store, err := StoreFile{Path: filepath.Join(temporary, storeName)}.Write()
	if err != nil {
		return err
	}
	c.Add(store.Close)
	var of, to *storage.Audit
	if len(s.Targets) > 0 {
		of, err = sitemapsOf(ctx, s, env, store, &c)
		to = of
	} else if _, of, err = openStore(s.StoreFile().Read, storage.Latest, &c); err != nil {
		err = cli.WithHint(err, "--sitemap TARGET reads the URLs of a sitemap; else audit the site first: sitemend audit TARGET")
	} else if to, err = store.Begin(audit.Info{}, ""); err == nil {
		c.Add(to.Close)
	}
	if err != nil {
		return err
	}
	s.Place(of.Info().Targets)
	if err := writable(s.Out); err != nil {
		return err
	}
	l, err := openEntries(ctx, of)
	if err == nil {
		_, err = l.read(ctx, s.Logs, &env, to)
	}
	if err != nil {
		return err
	}
	logs, err := l.logs(ctx, to)
	if err != nil {
		return err
	}
	logs.Path = filepath.Join(s.Out, report.LogsName)
	if err := scratch.Replace(s.Out, report.LogsName, func(w io.Writer) error { return report.WriteLogsCSV(ctx, w, logs, s.Lang) }); err != nil {
		return err
	}
	return say(logs)
}

// sitemapsOf reads the sitemaps that s names into an audit of a store. c lets go of it.
func sitemapsOf(ctx context.Context, s Spec, env Env, store *storage.Store, c *Closers) (*storage.Audit, error) {
	s.NoFetch, s.Fresh, s.Logs = true, true, logfiles.Spec{}
	j, err := newJob(ctx, &s, env)
	if err != nil {
		return nil, err
	}
	j.open = store
	if err := j.begin(""); err != nil {
		return nil, err
	}
	c.Add(j.a.Close)
	j.c = crawler.New(j.a, j.o)
	defer j.c.Close()
	return j.a, j.letIn(j.discover(ctx))
}

// logsKey is the record of an audit of what access logs say. The findings lie in its spool, in a
// file for each sitemap and one for what none lists.
const logsKey = "access-log-findings"

func foundFile(sitemap int) string { return fmt.Sprintf("crawled-%d", sitemap) }

// read reads access logs, holds them beside the entries, and keeps what they say with an audit. Lines
// without a host are those of the one host of the entries.
func (l *listedEntries) read(ctx context.Context, s logfiles.Spec, env *Env, to *storage.Audit) (*audit.Logs, error) {
	evidence, rows := storage.NewSorter(""), storage.NewSorter("")
	defer evidence.Close()
	defer rows.Close()
	r, err := logfiles.Open(ctx, s, env.Stdin, env.Log, evidence)
	if err != nil {
		return nil, err
	}
	r.Beside(l.only, l.has)
	if err := r.Read(ctx); err != nil {
		return nil, err
	}
	logs := &audit.Logs{Tally: r.Collector.Done(), Count: r.Count(), Files: len(r.Files), Unreadable: r.Unreadable()}
	// The hosts of a log are not printed: what stands in their place may be a user or an address.
	if hosts := r.Collector.Hosts(); len(hosts) > 0 && !slices.ContainsFunc(hosts, l.has) {
		return nil, cli.WithHint(errors.New("the logs are of other hosts than the URLs"), "--sitemap TARGET reads the URLs of a sitemap; --log-host HOST says whose log it is")
	}
	if logs.Tally.NoHost > 0 && r.Collector.Host == "" {
		return nil, cli.WithHint(errors.New("the lines of the log have no host, and the URLs are of several hosts"), "--log-host HOST says whose log it is")
	}
	if n := r.Robots.Skipped(); n > 0 {
		env.Log.Warn(fmt.Sprintf("--dns: %s were not looked up, for %s others were", cli.Plural(n, "request's address", "requests' addresses"), messages.Number(accesslog.MaxLookups)))
	}
	if err := l.each(ctx, r.Collector.List); err != nil {
		return nil, err
	}
	n := uint32(0)
	logs.Foreign, err = r.Collector.Join(ctx, l.has, func(f *accesslog.Finding) error {
		row := audit.LogRow{Finding: *f}
		if f.Class == accesslog.RedirectedUnlisted {
			host, target, _ := strings.Cut(f.URL, "/")
			row.URL = l.hosts[host] + "/" + target
		}
		value, err := cbor.Marshal(&row)
		key := binary.BigEndian.AppendUint64(nil, uint64(f.Seq)) // that of -1 is the last
		n++
		return cmp.Or(err, rows.Add(string(binary.BigEndian.AppendUint32(key, n)), string(value)))
	})
	if err == nil {
		err = l.spool(ctx, to, rows)
	}
	return logs, errors.Join(err, put(to, logsKey, logs), to.Flush())
}

// spool keeps rows, which are in the order of entries, in a file for each sitemap.
func (l *listedEntries) spool(ctx context.Context, to *storage.Audit, rows *storage.Sorter) error {
	next, stop := iter.Pull2(audit.Until(ctx, rows.Sorted()))
	defer stop()
	file := func(r [2]string) int { return l.sitemapAt(int64(binary.BigEndian.Uint64([]byte(r[0])))) }
	for r, err, more := next(); more; {
		if err != nil {
			return err
		}
		n := file(r)
		failed := spool(to, foundFile(n), func(yield func(cbor.RawMessage, error) bool) {
			for more && (err != nil || file(r) == n) && yield(cbor.RawMessage(r[1]), err) {
				r, err, more = next()
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// logs is what access logs say, of which an audit keeps the findings: each with the sitemap that lists
// it and what the audit of the entries was answered itself, and what they come to.
func (l *listedEntries) logs(ctx context.Context, kept *storage.Audit) (*audit.Logs, error) {
	logs, _, err := get[audit.Logs](kept, logsKey)
	if err != nil {
		return nil, err
	}
	logs.Compared, logs.Sum = !l.audit.Info().NoFetch, accesslog.Sum{}
	logs.Listed = func(ctx context.Context, n int) iter.Seq2[audit.LogRow, error] {
		return spooled[audit.LogRow](ctx, kept, foundFile(n))
	}
	logs.Rows = func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return func(yield func(audit.LogRow, error) bool) {
			for n := range len(l.sitemaps) + 1 {
				for row, err := range logs.Listed(ctx, n) {
					if err == nil && logs.Compared {
						row.Ours = oursOf(l.audit, &row.Finding)
					}
					if n < len(l.sitemaps) {
						row.Sitemap = l.sitemaps[n].URL
					}
					if !yield(row, err) || err != nil {
						return
					}
				}
			}
		}
	}
	for row, err := range logs.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		logs.Sum.Add(&row.Finding, row.Ours)
	}
	return &logs, nil
}

// readLogs reads the access logs, once an audit, and tells the crawler in which spelling Googlebot asks.
func (j *job) readLogs(ctx context.Context) error {
	if len(j.f.Logs.Files) == 0 {
		return nil
	}
	_, known, err := j.a.Get(logsKey)
	if err == nil && !known {
		var l *listedEntries
		var logs *audit.Logs
		if l, err = openEntries(ctx, j.a); err == nil {
			logs, err = l.read(ctx, j.f.Logs, &j.env, j.a)
		}
		if err == nil {
			for _, hint := range logfiles.Hints(logs) {
				j.d.Warn("--access-log: %s", hint)
			}
		}
	}
	if err != nil {
		return err
	}
	evidence, err := evidenceOf(ctx, j.a)
	j.c.Know(evidence)
	return err
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

// logsOf is what the access logs of an audit say; nil where none was read.
func logsOf(ctx context.Context, a *storage.Audit) (*audit.Logs, error) {
	_, known, err := a.Get(logsKey)
	if err != nil || !known {
		return nil, err
	}
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return nil, err
	}
	return (&listedEntries{audit: a, sitemaps: sitemaps}).logs(ctx, a)
}
