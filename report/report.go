// Package report writes what an audit found: the entries as csv, jsonl and xlsx,
// the problems as junit, sarif and Markdown, the corrected sitemaps with their
// originals and changes.csv, summary.json and the summary for a terminal. The
// page report.html is built elsewhere and handed in.
//
// It reads an audit.Result and judges nothing itself. It never sends a request, never opens the
// store, and holds a few hundred rows in memory at a time. Nothing that a site sends can calculate
// in a spreadsheet, steer a terminal or become markup through what it writes.
package report

import (
	"bufio"
	"context"
	"errors"
	"io"

	"sitemend/crawler/audit"
)

// A sink takes the rows of an audit one by one, in sitemap order. What it is
// given is valid during the call only, and not to be changed.
type sink func(f *audit.File, r *audit.Row) error

// rows is an output while it is written: it takes the rows one by one and then
// writes what stands after the last.
type rows struct {
	take sink
	// end is called once, also after an error of take: then the rows are not
	// whole, and it only clears up. nil is nothing to do.
	end func(whole bool) error
}

// finish ends an output whose rows were walked with err.
func (r rows) finish(err error) error {
	if r.end == nil {
		return err
	}
	return errors.Join(err, audit.Guard(func() error { return r.end(err == nil) }))
}

// env is what an output gets besides the audit.
type env struct {
	lang string // language tag or locale of what people read
	// again is the command that writes the outputs again; "sitemend report" where it is "".
	again string
	tmp   string // folder for temporary files; "" for the system's
	page  func(ctx context.Context, w io.Writer, result *audit.Result) (Page, error)
}

// A starter begins an output on w.
type starter func(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error)

// writeAll writes every row of result to w, until ctx ends.
func (start starter) writeAll(ctx context.Context, w io.Writer, result *audit.Result, e env) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	out, err := start(ctx, bw, result, e)
	if err != nil {
		return err
	}
	if err := out.finish(each(ctx, result, out.take)); err != nil {
		return err
	}
	return bw.Flush()
}
