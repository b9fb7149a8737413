package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
}

// Written says what WriteAll wrote.
type Written struct {
	Dir string
	// Result is what the outputs say: result, with the files marked that are changed.
	Result *audit.Result
	// Files are the names of the files in Dir, with slashes; the sitemaps and
	// originals among them.
	Files []string
	Left  []string // files under sitemaps/, and of the names of outputs, that neither this audit wrote nor an earlier one that Record knows
}

// WriteAll writes the outputs of an audit to a directory: the corrected sitemaps with their originals
// and changes.csv, the formats asked for, the tables that the audit has, and summary.json. All are
// written beside their targets first and renamed only when each of them is whole, summary.json last;
// with an error before that, the outputs of an earlier audit stay as they were. What Record names and is
// not written now goes, but for formats of the same audit. It marks files as changed, in
// Written.Result. Nothing is touched where ctx ends before all are whole; nor where the outputs that
// are there say more (ErrFinished).
func WriteAll(ctx context.Context, result *audit.Result, o Options) (Written, error) {
	s, err := stage(ctx, o.Dir, o.Record)
	if err != nil {
		return Written{}, err
	}
	defer s.close()
	last, err := readCorrected(s.in)
	if err != nil { // whatever is there, or not, it is no outputs of ours
		last = &Corrected{}
	}
	if last.End != "" && result.Info.Ended.IsZero() {
		return Written{}, fmt.Errorf("%s: %w", o.Dir, ErrFinished)
	}
	if result, err = mend(ctx, result, o.Open, o.Lang, s); err == nil {
		err = cmp.Or(stageOutputs(ctx, result, o, s), ctx.Err())
	}
	if err != nil {
		return Written{}, err
	}
	out := Written{Dir: o.Dir, Result: result, Files: s.names()}
	if o.Record != nil {
		out.Left = s.left()
	}
	return out, s.place(func(name string) bool { return last.ID == result.Info.ID && isFormat(name) })
}

// ErrFinished: outputs of an audit that has ended are there, and those of one that was stopped do not
// take their place.
var ErrFinished = errors.New("it has the outputs of a finished audit, and this one was stopped before its end")

// Marked returns what the outputs of WriteAll say of an audit (Written.Result), for one of which no
// folder is written. The corrected sitemaps are made in a folder for temporary files, and removed.
// result is not changed.
func Marked(ctx context.Context, result *audit.Result, open Open) (marked *audit.Result, err error) {
	dir, err := os.MkdirTemp("", "sitemend-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := stage(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	marked, err = mend(ctx, result, open, "", s)
	return marked, errors.Join(err, s.close())
}

// stageOutputs stages the formats and summary.json.
func stageOutputs(ctx context.Context, result *audit.Result, o Options, s *staging) error {
	err := writeRows(ctx, result, o, func(file string) (io.Writer, func(error) error, error) {
		f, err := s.create(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		return f, f.close, nil
	})
	if err != nil {
		return err
	}
	for _, t := range allTables(ctx, result, messages.Of(o.Lang).With(o.Again)) {
		if !t.has {
			continue
		}
		if err := s.write(ctx, t.file, t.write); err != nil {
			return err
		}
	}
	return s.write(ctx, summaryName, func(w io.Writer) error { return writeSummaryJSON(w, result) })
}
