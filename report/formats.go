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
	"fmt"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"sitemend/crawler/audit"
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
// uses Lang and, with the format html, HTML. An unknown format, an error of w or
// of result's rows is returned; half an output may be written then.
func Write(ctx context.Context, w io.Writer, format string, result *audit.Result, o Options) error {
	o.Formats = []string{format}
	if err := o.check(); err != nil {
		return err
	}
	bw := bufio.NewWriterSize(w, 64<<10)
	page, err := formats[slices.Index(Formats(), format)].open(ctx, bw, result, o)
	if err == nil {
		err = each(ctx, result, page.Add)
	}
	if err == nil {
		err = audit.Guard(page.Close)
	}
	if err == nil {
		err = bw.Flush()
	}
	return err
}

func (o *Options) check() error {
	for _, name := range o.Formats {
		if !slices.Contains(Formats(), name) {
			return fmt.Errorf("unknown format %q", name)
		}
	}
	if slices.Contains(o.Formats, "html") && o.HTML == nil {
		return errors.New("no writer for the format html")
	}
	return nil
}

// stageRows stages the formats in one walk over the rows.
func stageRows(ctx context.Context, result *audit.Result, o Options, s *staging) (err error) {
	var files []*newFile
	var pages []Page
	var takes []sink
	for _, f := range formats {
		if err != nil || !slices.Contains(o.Formats, f.name) {
			continue
		}
		var file *newFile
		if file, err = s.create(ctx, f.file); err != nil {
			continue
		}
		files = append(files, file)
		var page Page
		if err = file.named(func() error { page, err = f.open(ctx, file, result, o); return err }); err == nil {
			pages = append(pages, page)
			takes = append(takes, func(f *audit.File, r *audit.Row) error { return file.named(func() error { return page.Add(f, r) }) })
		}
	}
	if n := 0; o.Progress != nil {
		takes = append(takes, func(*audit.File, *audit.Row) error {
			if n++; n%batchRows == 0 {
				o.Progress(n)
			}
			return nil
		})
	}
	if err == nil && len(files) > 0 {
		err = each(ctx, result, takes...)
	}
	for i, file := range files {
		if err != nil {
			_ = file.file.Close() // it is removed with the place for new files
		} else {
			err = file.close(audit.Guard(pages[i].Close))
		}
	}
	return err
}

// named is do, with the file's name in its error. A panic is an error.
func (f *newFile) named(do func() error) error {
	if err := audit.Guard(do); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// Rows are handed on by the hundred: a channel costs as much as a line of csv. Of long
// ones a batch has fewer.
const (
	batchRows  = 100
	batchBytes = 1 << 20 // of text
)

type fileRow struct {
	file *audit.File
	row  audit.Row
}

// each hands every row of result to all sinks in one walk, for a row costs more
// to judge than to write. The walk and the sinks work side by side, a few hundred
// rows apart. It returns the first error of a sink or of the rows, and ctx's once
// that ends; no sink is called after it returned.
func each(ctx context.Context, result *audit.Result, sinks ...sink) error {
	group, ctx := errgroup.WithContext(ctx)
	to := make([]chan []fileRow, len(sinks))
	for i, take := range sinks {
		to[i] = make(chan []fileRow, 2)
		group.Go(func() error {
			return audit.Guard(func() error {
				for batch := range to[i] {
					for k := range batch {
						if err := take(batch[k].file, &batch[k].row); err != nil {
							return err
						}
					}
				}
				return nil
			})
		})
	}
	group.Go(func() error {
		defer func() {
			for _, c := range to {
				close(c)
			}
		}()
		return audit.Guard(func() error { return deal(ctx, result, to) })
	})
	return group.Wait()
}

// deal sends the rows to each channel until ctx ends, which it does with the first error of a sink.
func deal(ctx context.Context, result *audit.Result, to []chan []fileRow) error {
	var batch []fileRow
	size := 0
	send := func() error {
		for _, c := range to {
			select {
			case c <- batch:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		batch, size = nil, 0
		return nil
	}
	for i := range result.Files {
		for row, err := range result.Rows(ctx, i) {
			if err != nil {
				return err
			}
			if batch == nil {
				batch = make([]fileRow, 0, batchRows)
			}
			batch = batch[:len(batch)+1]
			last := &batch[len(batch)-1]
			last.file = &result.Files[i]
			last.row.Keep(row)
			if size += row.Size(); len(batch) == batchRows || size >= batchBytes {
				if err := send(); err != nil {
					return err
				}
			}
		}
	}
	return send()
}
