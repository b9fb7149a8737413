package job

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"maps"
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
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/report"
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
	store, err := storage.Open(StoreIn(temporary))
	if err != nil {
		return err
	}
	c.Add(store.Close)
	var of, to *storage.Audit
	if len(s.Targets) > 0 {
		of, err = sitemapsOf(ctx, s, env, store, &c)
		to = of
	} else if _, of, err = OpenStore(s.ReadStore, storage.Latest, &c); err != nil {
		err = cli.WithHint(err, "--sitemap TARGET reads the URLs of a sitemap; else audit the site first: sitemend audit TARGET")
	} else if to, err = store.Begin(audit.Info{}, ""); err == nil {
		c.Add(to.Close)
	}
	if err != nil {
		return err
	}
	dir := s.Folder(of.Info().Targets)
	if _, err := keepLogs(ctx, s.Logs, &env, of, to); err != nil {
		return err
	}
	logs, err := logsOf(ctx, of, to)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		logs.Path = filepath.Join(dir, report.LogsName)
		err = scratch.Replace(dir, report.LogsName, func(w io.Writer) error { return report.WriteLogsCSV(ctx, w, logs, s.Lang) })
	}
	if err != nil {
		return err
	}
	return say(logs)
}

// sitemapsOf reads the sitemaps that s names into an audit of a store. c lets go of it.
func sitemapsOf(ctx context.Context, s Spec, env Env, store *storage.Store, c *Closers) (*storage.Audit, error) {
	s.NoFetch, s.Fresh, s.Inspect, s.Logs = true, true, 0, logfiles.Spec{}
	j, err := newJob(ctx, &s, env, c)
	if err != nil {
		return nil, err
	}
	j.store = store
	if err := j.begin(""); err != nil {
		return nil, err
	}
	j.c = crawler.New(j.a, j.o)
	defer j.c.Close()
	return j.a, j.letIn(j.discover(ctx))
}

// logsKey is the record of an audit of what access logs say, and the file of its spool with the findings
// in the order of entries, those that no sitemap lists last.
const logsKey = "access-log-findings"

// keepLogs reads access logs, holds them beside the entries of an audit, and keeps what they say with an
// audit. Lines without a host are those of the one host of the entries.
func keepLogs(ctx context.Context, s logfiles.Spec, env *Env, of, to *storage.Audit) (*audit.Logs, error) {
	evidence, rows := new(storage.Sorter), new(storage.Sorter)
	defer evidence.Close()
	defer rows.Close()
	l := listed{}
	r, err := logfiles.Open(ctx, s, env.Stdin, env.Log, evidence)
	if err == nil {
		err = l.read(ctx, of, r.Collector)
	}
	if err != nil {
		return nil, err
	}
	alone := "" // of a host and its www twin it is neither: whose lines these are is not known
	if hosts := slices.Collect(maps.Keys(l)); len(hosts) == 1 {
		alone = hosts[0]
	}
	r.Beside(alone, l.has)
	if err := r.Read(ctx); err != nil {
		return nil, err
	}
	logs := &audit.Logs{Tally: r.Collector.Done(), Count: r.Count(), Files: len(r.Files), Unreadable: r.Unreadable()}
	hosts := r.Collector.Hosts() // they are not printed: what stands in their place may be a user or an address
	if err := cmp.Or(
		refuse(len(hosts) > 0 && !slices.ContainsFunc(hosts, l.has), "the logs are of other hosts than the URLs", "--sitemap TARGET reads the URLs of a sitemap; --log-host HOST says whose log it is"),
		refuse(logs.Tally.NoHost > 0 && r.Collector.Host == "", "the lines of the log have no host, and the URLs are of several hosts", "--log-host HOST says whose log it is"),
	); err != nil {
		return nil, err
	}
	n := uint32(0)
	logs.Foreign, err = r.Collector.Join(ctx, l.has, func(f *accesslog.Finding) error {
		row := audit.LogRow{Finding: *f}
		if f.Class == accesslog.RedirectedUnlisted {
			host, target, _ := strings.Cut(f.URL, "/")
			row.URL = l.origin(host) + "/" + target
		}
		value, err := cbor.Marshal(&row)
		n++
		key := binary.BigEndian.AppendUint64(nil, uint64(f.Seq)) // that of none is the largest
		return cmp.Or(err, rows.Add(string(binary.BigEndian.AppendUint32(key, n)), string(value)))
	})
	if err != nil {
		return nil, err
	}
	file, err := to.SpoolWriter(logsKey)
	if err != nil {
		return nil, err
	}
	for row, failed := range ground.Until(ctx, rows.Sorted()) {
		if err = failed; err == nil {
			_, err = io.WriteString(file, row[1])
		}
		if err != nil {
			break
		}
	}
	if err = cmp.Or(err, file.Close()); err == nil {
		err = to.Save(logsKey, logs)
	}
	return logs, errors.Join(err, to.Flush())
}

// listed is an origin of each host of the entries of an audit, which logs are held beside: a log says
// neither scheme nor port.
type listed map[string]string

// read lists every entry that is an address and stands in a sitemap.
func (l listed) read(ctx context.Context, a *storage.Audit, into *accesslog.Collector) error {
	sitemaps, err := a.Sitemaps()
	if err != nil {
		return err
	}
	for e, err := range a.Entries(ctx, 0, a.EntryCount()) {
		if err != nil {
			return err
		}
		at, failed := e.Parse()
		if failed != nil || !sitemaps[e.Sitemap].Listed() {
			continue // what is no address was never asked for
		}
		if origin := l[at.Host()]; origin == "" || strings.HasPrefix(origin, "http:") {
			l[strings.Clone(at.Host())] = strings.Clone(at.Origin())
		}
		if err := into.List(int64(e.N), at); err != nil {
			return err
		}
	}
	return nil
}

// origin is that of a host of entries, or of one whose twin with or without www is; "" for others.
func (l listed) origin(host string) string {
	twin, is := strings.CutPrefix(host, "www.")
	if !is {
		twin = "www." + host
	}
	return cmp.Or(l[host], strings.Replace(l[twin], twin, host, 1))
}

// has reports whether entries are of a host, or of its twin with or without www.
func (l listed) has(host string) bool { return l.origin(host) != "" }

// logsOf is what access logs say of the entries of an audit; kept has the findings, which may be the same
// audit. Each finding gets the sitemap that lists its URL, and what the audit of the entries was answered.
// It is nil if no log was read.
func logsOf(ctx context.Context, of, kept *storage.Audit) (*audit.Logs, error) {
	logs := &audit.Logs{}
	known, err1 := kept.Load(logsKey, logs)
	sitemaps, err2 := of.Sitemaps()
	if err := cmp.Or(err1, err2); err != nil || !known {
		return nil, err
	}
	logs.Compared, logs.Sum = !of.Info().NoFetch, accesslog.Sum{}
	logs.Rows = func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return func(yield func(audit.LogRow, error) bool) {
			n := 0 // of the sitemap, whose entries follow those of the one before
			for row, err := range storage.Spooled[audit.LogRow](ctx, kept, logsKey) {
				for n < len(sitemaps) && uint64(row.Seq) >= uint64(sitemaps[n].First+sitemaps[n].Entries) {
					n++
				}
				if n < len(sitemaps) {
					row.Sitemap = sitemaps[n].URL
				}
				if logs.Compared {
					row.Ours = oursOf(of, &row.Finding)
				}
				if !yield(row, err) {
					return
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
	return logs, nil
}

// readLogs reads the access logs, once an audit, and tells the crawler in which spelling Googlebot asks.
func (j *job) readLogs(ctx context.Context) error {
	if len(j.f.Logs.Files) == 0 {
		return nil
	}
	_, known, err := j.a.Get(logsKey)
	if err == nil && !known {
		logs, failed := keepLogs(ctx, j.f.Logs, &j.env, j.a, j.a)
		if err = failed; err == nil {
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
	evidence := &audit.Evidence{}
	for row, err := range storage.Spooled[audit.LogRow](ctx, a, logsKey) {
		if err != nil {
			return nil, err
		}
		evidence.Add(&row.Finding)
	}
	return evidence, nil
}

// oursOf is what the audit got for what was asked; the zero Ours where it did not ask for that.
func oursOf(mem answers.Memory, f *accesslog.Finding) (out accesslog.Ours) {
	if f.Class == accesslog.RedirectedUnlisted || f.Class == accesslog.Unspelt {
		return out
	}
	listed := address.Wire(f.URL)
	asked := listed
	if f.Class == accesslog.OtherSpelling {
		var err error
		if asked, err = address.Parse(listed.Origin() + f.Asked); err != nil || asked.Target() != f.Asked {
			return out // octets that are sent otherwise
		}
	}
	h, ok := answerTo(mem, asked)
	if !ok {
		return out
	}
	out.Status = h.Status
	out.Differs = f.Class != accesslog.Never && !accesslog.SameAnswer(f.Seen.LastStatus, h.Status)
	if at, _ := answerTo(mem, listed); f.Class == accesslog.OtherSpelling && at.Status/100 == 2 && h.Location != "" {
		to, err := address.Resolve(asked, h.Location)
		out.Back = err == nil && to.String() == listed.String()
	}
	return out
}
