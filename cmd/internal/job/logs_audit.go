package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/logfiles"
	"sitemend/crawler"
	"sitemend/crawler/accesslog"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// logsKey is the record of an audit of what access logs say. The findings lie in its spool, in a
// file for each sitemap and one for what none lists.
const logsKey = "access-log-findings"

// logsRecord is that record.
type logsRecord struct {
	Tally      accesslog.Tally `json:"tally"`
	Count      accesslog.Count `json:"count"`
	Files      int             `json:"files"`
	Unreadable string          `json:"unreadable,omitempty"`
	Foreign    int64           `json:"foreign,omitempty"`
	Parts      []string        `json:"parts"` // files of the spool, in order; "" for a sitemap without findings
	Unlisted   string          `json:"unlisted,omitempty"`
}

// checkLogs refuses what --access-log and its flags cannot be.
func (j *job) checkLogs() error {
	l := &j.f.Logs
	if len(l.Files) == 0 {
		return nil
	}
	if slices.Contains(l.Files, "-") && slices.Contains(j.f.Targets, "-") {
		return cli.WithHint(errors.New("standard input cannot be both the log and the target"), "name a file for one of them")
	}
	return l.Check()
}

// readLogs reads the access logs, once an audit, keeps what they say with it, and tells c in which
// spelling Googlebot asks.
func (j *job) readLogs(ctx context.Context, c *crawler.Crawler, a *storage.Audit) error {
	if len(j.f.Logs.Files) == 0 {
		return nil
	}
	if _, ok, err := a.Get(logsKey); err != nil {
		return err
	} else if !ok {
		if err := j.keepLogs(ctx, a); err != nil {
			return err
		}
	}
	evidence, err := evidenceOf(ctx, a)
	c.Know(evidence)
	return err
}

// keepLogs reads the logs and keeps what they say.
func (j *job) keepLogs(ctx context.Context, a *storage.Audit) error {
	var out LogsOutcome
	defer func() { _ = out.Close() }() // temporary files
	evidence := storage.NewSorter("")
	out.closers.Add(evidence.Close)
	r, err := logfiles.Open(ctx, j.f.Logs, j.env.Stdin, j.env.Log, evidence)
	if err != nil {
		return err
	}
	listed, err := openEntries(ctx, a)
	if err != nil {
		return err
	}
	r.Beside(listed.onlyHost(), listed.has)
	if err := r.Read(ctx); err != nil {
		return err
	}
	if err := out.join(ctx, r, listed, j.env.Log); err != nil {
		return err
	}
	for _, hint := range logfiles.Hints(&out.Logs) {
		j.d.Warn("--access-log: %s", hint)
	}
	record := logsRecord{Tally: out.Tally, Count: out.Count, Files: out.Files, Unreadable: out.Unreadable, Foreign: out.Foreign}
	if record.Parts, record.Unlisted, err = spoolRows(ctx, a, listed, out.Rows(ctx)); err != nil {
		return err
	}
	text, err := json.Marshal(&record)
	if err == nil {
		err = a.Put(logsKey, text)
	}
	if err != nil {
		return err
	}
	return a.Flush()
}

// spoolRows writes rows, which are in the order of entries, to the spool: a file for each sitemap,
// whose names are returned in their order, "" for one without rows, and one for what none lists.
func spoolRows(ctx context.Context, a *storage.Audit, listed *listedEntries, rows iter.Seq2[audit.LogRow, error]) (parts []string, unlisted string, err error) {
	parts = make([]string, len(listed.sitemaps))
	var to io.WriteCloser
	var w *bufio.Writer
	at := &unlisted
	shut := func() error {
		if to == nil {
			return nil
		}
		err := errors.Join(w.Flush(), to.Close())
		to = nil
		return err
	}
	for row, err := range rows {
		if err != nil {
			return nil, "", errors.Join(err, shut())
		}
		part := "crawled-unlisted"
		into := &unlisted
		if row.Seq >= 0 {
			n := listed.sitemapAt(row.Seq)
			part, into = fmt.Sprintf("crawled-%d", n), &parts[n]
		}
		if to == nil || into != at {
			if err := shut(); err != nil {
				return nil, "", err
			}
			if to, err = a.SpoolWriter(part); err != nil {
				return nil, "", err
			}
			w, at, *into = bufio.NewWriter(to), into, part
		}
		if err := cbor.NewEncoder(w).Encode(&row); err != nil {
			return nil, "", errors.Join(err, shut())
		}
	}
	return parts, unlisted, shut()
}

// spooledRows yields the rows of one file of the spool; none for "".
func spooledRows(ctx context.Context, a *storage.Audit, part string) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		if part == "" {
			return
		}
		f, err := a.OpenSpool(ctx, part)
		if errors.Is(err, fs.ErrNotExist) {
			err = audit.Damaged("what access logs say", err)
		}
		if err != nil {
			yield(audit.LogRow{}, err)
			return
		}
		defer f.Close()
		for from := rowDecoding.NewDecoder(bufio.NewReader(f)); ; {
			var row audit.LogRow
			if err = from.Decode(&row); errors.Is(err, io.EOF) {
				return
			}
			if err == nil && !row.Valid() {
				err = errors.New("a row is none that was written")
			}
			if err != nil && ctx.Err() == nil {
				err = audit.Damaged("what access logs say", err)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// keptLogs returns the record of an audit; nil for none.
func keptLogs(a *storage.Audit) (*logsRecord, error) {
	text, ok, err := a.Get(logsKey)
	if err != nil || !ok {
		return nil, err
	}
	r := &logsRecord{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, audit.Damaged("what access logs say", err)
	}
	return r, nil
}

// unwatched is the audit of a store behind a source; nil for another.
func unwatched(src audit.Source) *storage.Audit {
	switch a := src.(type) {
	case *storage.Audit:
		return a
	case crawled:
		return a.Audit
	}
	return nil
}

// evidenceOf is in which spelling Googlebot asked for the entries of an audit; nil where no log was
// read.
func evidenceOf(ctx context.Context, a *storage.Audit) (*audit.Evidence, error) {
	if a == nil {
		return nil, nil
	}
	record, err := keptLogs(a)
	if err != nil || record == nil {
		return nil, err
	}
	evidence := &audit.Evidence{}
	for _, part := range record.Parts {
		for row, err := range spooledRows(ctx, a, part) {
			if err != nil {
				return nil, err
			}
			evidence.Add(&row.Finding)
		}
	}
	return evidence, nil
}

// addLogs adds what the access logs of an audit say to its result, beside what it was answered
// itself.
func addLogs(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	logs, err := logsOf(ctx, a)
	t.Logs = logs
	return err
}

// logsOf is what the access logs of an audit say, beside what it was answered itself; nil where
// none was read.
func logsOf(ctx context.Context, a *storage.Audit) (*audit.Logs, error) {
	record, err := keptLogs(a)
	if err != nil || record == nil {
		return nil, err
	}
	listed, err := auditEntries(a)
	if err != nil {
		return nil, err
	}
	logs := &audit.Logs{Tally: record.Tally, Count: record.Count, Files: record.Files, Unreadable: record.Unreadable, Foreign: record.Foreign, Compared: listed.compared}
	logs.Listed = func(ctx context.Context, sitemap int) iter.Seq2[audit.LogRow, error] {
		if sitemap >= len(record.Parts) {
			return func(func(audit.LogRow, error) bool) {}
		}
		return listed.beside(spooledRows(ctx, a, record.Parts[sitemap]))
	}
	logs.Rows = func(ctx context.Context) iter.Seq2[audit.LogRow, error] {
		return func(yield func(audit.LogRow, error) bool) {
			for _, part := range append(slices.Clone(record.Parts), record.Unlisted) {
				for row, err := range listed.beside(spooledRows(ctx, a, part)) {
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
	return logs, nil
}

// beside adds to rows what the audit was answered.
func (l *listedEntries) beside(rows iter.Seq2[audit.LogRow, error]) iter.Seq2[audit.LogRow, error] {
	return func(yield func(audit.LogRow, error) bool) {
		for row, err := range rows {
			if err == nil && l.compared {
				row.Ours = oursOf(l.audit, &row.Finding)
			}
			if err == nil && row.Seq >= 0 {
				row.Sitemap = l.sitemapOf(row.Seq)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
