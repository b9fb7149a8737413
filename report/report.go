// Package report writes what an audit found: entries.csv and entries.jsonl,
// the corrected sitemaps with their originals and changes.csv, summary.json
// and the summary for a terminal. The page report.html is built elsewhere and
// handed in.
//
// It reads an audit.Told and judges nothing itself. It never sends a request,
// never opens the store, and holds one row in memory at a time. Nothing that a
// site sends can calculate in a spreadsheet or steer a terminal through what it
// writes.
package report

import (
	"bufio"
	"io"

	"sitemend/crawler/audit"
)

// A sink takes the rows of an audit one by one, in sitemap order. What it is
// given is valid during the call only.
type sink func(f *audit.File, r *audit.Row) error

// each hands every row of told to all sinks in one walk, for a row costs more
// to judge than to write.
func each(told *audit.Told, sinks ...sink) error {
	for i := range told.Files {
		f := &told.Files[i]
		for row, err := range told.Rows(i) {
			if err != nil {
				return err
			}
			for _, take := range sinks {
				if err := take(f, &row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A rowWriter is a format with one line for each row: what stands before the
// first row, and the line of one row appended to b.
type rowWriter struct {
	head string
	line func(b []byte, f *audit.File, r *audit.Row) []byte
}

// sink writes the head to w at once and then each row as it comes.
func (rw rowWriter) sink(w io.Writer) (sink, error) {
	if _, err := io.WriteString(w, rw.head); err != nil {
		return nil, err
	}
	var b []byte
	return func(f *audit.File, r *audit.Row) error {
		b = rw.line(b[:0], f, r)
		_, err := w.Write(b)
		return err
	}, nil
}

// writeAll writes every row of told to w.
func (rw rowWriter) writeAll(w io.Writer, told *audit.Told) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	take, err := rw.sink(bw)
	if err != nil {
		return err
	}
	if err := each(told, take); err != nil {
		return err
	}
	return bw.Flush()
}
