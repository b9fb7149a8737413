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
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// formats are the formats, and the files they are written to. What stands in a file is
// said where it is begun.
var formats = []format{
	{"html", "report.html", func(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
		return o.HTML(ctx, w, result)
	}},
	{"csv", "entries.csv", openCSV},
	{"jsonl", "entries.jsonl", openJSONL},
	{"xlsx", "entries.xlsx", openXLSX},
	{"junit", "junit.xml", openJUnit},
	{"sarif", "sarif.json", openSARIF},
	{"md", "summary.md", openMarkdown},
}

type format struct {
	name, file string
	open       func(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error)
}

// A Page takes the rows of an audit one by one, in sitemap order; a row is lent until Add returns, and
// not to be changed. Close writes what stands after the last; it is not called after an error.
type Page interface {
	Add(f *audit.File, r *audit.Row) error
	Close() error
}

// rows is a Page of two functions.
type rows struct {
	take sink
	end  func() error
}

type sink func(f *audit.File, r *audit.Row) error

func (r rows) Add(f *audit.File, row *audit.Row) error { return r.take(f, row) }

func (r rows) Close() error { return r.end() }

// Formats returns the names of the formats that Write and WriteAll know.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Write writes one format of Formats to w until ctx ends, as WriteAll writes its file. Of o it
// uses Lang and, with the format html, HTML. An error of w or of result's rows is returned; half an
// output may be written then.
func Write(ctx context.Context, w io.Writer, format string, result *audit.Result, o Options) error {
	o.Formats = []string{format}
	bw := bufio.NewWriterSize(w, 64<<10)
	return writeRows(ctx, result, o, func(string) (io.Writer, func(error) error, error) {
		return bw, func(err error) error { return cmp.Or(err, bw.Flush()) }, nil
	})
}

// writeRows writes the formats in one walk over the rows. create begins the file of one, and returns
// what ends it, which is given the error so far. A panic is an error.
func writeRows(ctx context.Context, result *audit.Result, o Options, create func(file string) (io.Writer, func(error) error, error)) (err error) {
	var takes []sink
	var ends []func()
	for _, f := range formats {
		if err != nil || !slices.Contains(o.Formats, f.name) {
			continue
		}
		guarded := func(do func() error) error {
			if err := ground.Guard(do); err != nil {
				return fmt.Errorf("%s: %w", f.file, err)
			}
			return nil
		}
		w, end, failed := create(f.file)
		if err = failed; err != nil {
			continue
		}
		var page Page
		err = guarded(func() error { page, err = f.open(ctx, w, result, o); return err })
		takes = append(takes, func(file *audit.File, r *audit.Row) error { return guarded(func() error { return page.Add(file, r) }) })
		ends = append(ends, func() {
			if err == nil {
				err = guarded(page.Close)
			}
			err = end(err)
		})
	}
	if err == nil && len(takes) > 0 {
		err = each(ctx, result, takes...)
	}
	for _, end := range ends {
		end()
	}
	return err
}

// batchRows is how many rows are handed on at once: each time costs a wait. A row may have a hundred thousand bytes of text.
const batchRows = 64

type fileRow struct {
	file *audit.File
	row  audit.Row
}

// each hands every row of result to all sinks in one walk, side by side. It returns the first error of a
// sink or of the rows, and ctx's once that ends; no sink is called after it returned.
func each(ctx context.Context, result *audit.Result, sinks ...sink) error {
	batch, n := make([]fileRow, batchRows), 0
	hand := func() error {
		var taking errgroup.Group
		for _, take := range sinks {
			taking.Go(func() error {
				for i := range batch[:n] {
					if err := take(batch[i].file, &batch[i].row); err != nil {
						return err
					}
				}
				return nil
			})
		}
		err := taking.Wait()
		n = 0
		return cmp.Or(err, ctx.Err())
	}
	return ground.Guard(func() error {
		for i := range result.Files {
			for row, err := range result.Rows(ctx, i) {
				if err != nil {
					return err
				}
				at := &batch[n]
				steps := append(at.row.Trail.Steps[:0], row.Trail.Steps...) // those of row are those of the next one, soon
				at.file, at.row = &result.Files[i], *row
				at.row.Trail.Steps = steps
				if n++; n < batchRows {
					continue
				}
				if err := hand(); err != nil {
					return err
				}
			}
		}
		return hand()
	})
}
