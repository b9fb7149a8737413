package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"

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
// else those of the latest audit of its store with the same hosts. It writes googlebot.csv to s.Out
// and requests no page. The caller closes what is returned, from which rows can be read until then.
func Logs(ctx context.Context, s Spec, env Env) (*LogsOutcome, error) {
	out := &LogsOutcome{lang: s.Lang}
	err := out.make(ctx, &s, env)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// checkLogs refuses flags of an audit that say how access logs are read, where it has none.
func (f *Spec) checkLogs() error {
	l := &f.Logs
	if len(l.Files) > 0 {
		return nil
	}
	for _, x := range []struct {
		flag  string
		given bool
	}{{"--log-host", l.Host != ""}, {"--log-zone", l.Zone != "" && l.Zone != "UTC"}, {"--since", l.Since != ""}, {"--until", l.Until != ""},
		{"--bot-ranges", l.Ranges != nil && !slices.Equal(l.Ranges, []string{"known"})}, {"--dns", l.DNS != ""}} {
		if x.given {
			return cli.WithHint(errors.New(x.flag+" says how access logs are read, and there is none"), "name the log: --access-log FILE")
		}
	}
	return nil
}

// A LogsOutcome is what logs say.
type LogsOutcome struct {
	audit.Logs
	lang    string
	closers Closers
}

// Close lets go of temporary files and the store.
func (o *LogsOutcome) Close() error { return o.closers.Close() }

func (o *LogsOutcome) make(ctx context.Context, s *Spec, env Env) error {
	evidence := storage.NewSorter("")
	o.closers.Add(evidence.Close)
	r, err := logfiles.Open(ctx, s.Logs, env.Stdin, env.Log, evidence)
	if err != nil {
		return err
	}
	listed, err := entriesFor(ctx, s, r, env, &o.closers)
	if err != nil {
		return err
	}
	if err := r.Read(ctx); err != nil {
		return err
	}
	if listed, err = listed.sameHosts(ctx, r, env.Log, &o.closers); err != nil {
		return err
	}
	s.Place(listed.audit.Info().Targets)
	if err := writable(s.Out); err != nil {
		return err
	}
	if err := o.join(ctx, r, listed, env.Log); err != nil {
		return err
	}
	o.Path = filepath.Join(s.Out, report.LogsName)
	return scratch.Replace(s.Out, report.LogsName, func(w io.Writer) error { return report.WriteLogsCSV(ctx, w, &o.Logs, o.lang) })
}

// WriteSummary writes what the logs say for a terminal.
func (o *LogsOutcome) WriteSummary(w io.Writer) error {
	return report.WriteLogsSummary(w, &o.Logs, o.lang)
}

// join holds the logs beside the entries.
func (o *LogsOutcome) join(ctx context.Context, r *logfiles.Reader, listed *listedEntries, log *slog.Logger) error {
	tally := r.Collector.Done()
	if tally.NoHost > 0 && r.Collector.Host == "" {
		return cli.WithHint(fmt.Errorf("the lines of the log have no host, and the URLs are of %s", cli.Plural(len(listed.hosts), "host", "hosts")), "--log-host HOST says whose log it is")
	}
	if n := r.Robots.Skipped(); n > 0 {
		log.Warn(fmt.Sprintf("--dns: %s were not looked up, for %s others were", cli.Plural(n, "request's address", "requests' addresses"), messages.Number(accesslog.MaxLookups)))
	}
	o.Tally, o.Count, o.Files, o.Unreadable = tally, r.Count(), len(r.Files), r.Unreadable()
	o.Compared = listed.compared
	rows := &logRows{sorter: storage.NewSorter("")}
	o.closers.Add(rows.sorter.Close)
	if err := listed.each(ctx, r.Collector.List); err != nil {
		return err
	}
	if listed.release != nil {
		if err := listed.release(); err != nil {
			return err
		}
	}
	err := listed.answers(func(ours func(*accesslog.Finding) accesslog.Ours) error {
		var err error
		o.Foreign, err = r.Collector.Join(ctx, listed.has, func(f *accesslog.Finding) error {
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
