package report

import (
	"context"
	"errors"
	"io"
	"os"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// Options says which outputs WriteAll writes, and where.
type Options struct {
	Dir     string   // made where it does not exist
	Formats []string // of Formats()
	Lang    string   // language tag or locale of what people read in the outputs
	// Again is the command that writes the outputs again, to be pasted; "sitemend report"
	// where it is "".
	Again string
	// Open opens the sitemaps as fetched. Required where a file is changed.
	Open Open
	// HTML begins report.html. Required with the format html.
	HTML func(ctx context.Context, w io.Writer, result *audit.Result) (Page, error)
	// Record is what is remembered of the files in Dir, nil where nothing is: then
	// none is removed.
	Record *Record
	// Progress is called while rows are written, with how many are so far, from
	// another goroutine than the caller's; not called where it is nil.
	Progress func(rows int)
}

// A Page takes the rows of an audit one by one, in sitemap order. Close writes
// what stands after the last; it is not called after an error.
type Page interface {
	Add(f *audit.File, r *audit.Row) error
	Close() error
}

// Written says what WriteAll wrote.
type Written struct {
	Dir string
	// Result is what the outputs say: result, or what it says without the sitemaps
	// that could not be written; with the files marked that are changed.
	Result *audit.Result
	// Files are the names of the files in Dir, with slashes; the sitemaps and
	// originals among them.
	Files  []string
	Mended Mended
	Beside Beside
	Strangers
	// Spared is set where nothing was written: the audit found no entry, and Dir has the
	// outputs of one that did, or outputs of which that is not known.
	Spared bool
}

// WriteAll writes the outputs of an audit to a directory: the corrected sitemaps with their
// originals and changes.csv, the formats asked for, search-console.csv where the audit has an
// export of it, expectations.csv where it has a map, also.csv where addresses were crawled that
// sitemaps name beside their entries, google.csv where Google's index was asked, googlebot.csv
// where access logs were read, links.csv where the links of pages were, rules.csv where a build
// answered, and summary.json. All are written beside their targets first and renamed only when each
// of them is whole, summary.json last; with an error before that, the outputs of an earlier audit
// stay as they were. A format that is not asked for leaves its file of an earlier audit alone;
// sitemaps and originals that Record names, or the summary.json there by their digests, go, and search-console.csv, also.csv, google.csv,
// googlebot.csv, links.csv and rules.csv where this audit has none. It marks files as changed, in
// Written.Result. Where a link stands for a folder in Dir that is to be written to, nothing is
// touched; nor where ctx ends before all are whole, while another run that writes to Dir is waited
// for, too; nor where result has no entry and Dir has outputs of an audit that had
// (Written.Spared).
func WriteAll(ctx context.Context, result *audit.Result, o Options) (Written, error) {
	if err := o.check(); err != nil {
		return Written{}, err
	}
	s, err := stage(ctx, o.Dir, o.Record)
	if err != nil {
		return Written{}, err
	}
	defer s.close()
	if result.Info.Ended.IsZero() {
		if err := s.sparesFinished(); err != nil {
			return Written{}, err
		}
	}
	if empty(result) {
		if spared, err := s.spares(); spared || err != nil {
			return Written{Dir: o.Dir, Result: result, Spared: spared}, err
		}
	}
	result, done, err := mend(ctx, result, o.Open, o.Lang, s)
	if err != nil {
		return Written{}, err
	}
	if err := stageOutputs(ctx, result, o, s); err != nil {
		return Written{}, err
	}
	out := Written{Dir: o.Dir, Result: result, Files: s.names(), Mended: done}
	out.Beside = s.beside(result.Info.ID)
	if err := ctx.Err(); err != nil {
		return Written{}, err
	}
	out.Strangers = s.strangers()
	return out, s.replace()
}

// Marked returns what the outputs of WriteAll say of an audit (Written.Result), for one of which no
// folder is written, and the faults that withheld corrected sitemaps (Mended.Faults). The corrected
// sitemaps are made in a folder for temporary files, and removed. result is not changed.
func Marked(ctx context.Context, result *audit.Result, open Open) (
	marked *audit.Result, faults []error, err error) {
	dir, err := os.MkdirTemp("", "sitemend-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := stage(ctx, dir, nil)
	if err != nil {
		return nil, nil, err
	}
	marked, done, err := mend(ctx, result, open, "", s)
	return marked, done.Faults, errors.Join(err, s.close())
}

// stageOutputs stages the formats and summary.json.
func stageOutputs(ctx context.Context, result *audit.Result, o Options, s *staging) error {
	if err := stageRows(ctx, result, o, s); err != nil {
		return err
	}
	words := messages.Of(o.Lang).With(o.Again)
	for _, t := range sides() {
		if !t.in(result) {
			continue
		}
		if err := s.write(ctx, t.file(), func(w io.Writer) error { return t.csv(ctx, w, result, words) }); err != nil {
			return err
		}
	}
	return s.write(ctx, summaryName, func(w io.Writer) error { return WriteSummaryJSON(ctx, w, result) })
}
