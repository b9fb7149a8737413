package report

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strings"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A column of a table: its name in the first line, what its cells are, and the cell of a row. The
// names are never changed and new ones come last; docs/outputs.md says what each means.
type column[R any] struct {
	name, kind string // kind is "text", "number" or "time"
	put        func(c line, r *R)
}

// unknown is a number that is not known: its cell is empty.
const unknown = -1

func text[R any](name string, of func(*R) string) column[R] {
	return column[R]{name, "text", func(c line, r *R) { c.text(of(r)) }}
}

func number[R any](name string, of func(*R) int) column[R] {
	return column[R]{name, "number", func(c line, r *R) {
		n := of(r)
		c.numberOr(n, n != unknown)
	}}
}

func moment[R any](name string, of func(*R) time.Time) column[R] {
	return column[R]{name, "time", func(c line, r *R) { c.time(of(r)) }}
}

// nonzero is n where it is not 0, else unknown.
func nonzero(n int) int {
	if n == 0 {
		return unknown
	}
	return n
}

// columns are the columns of a table of R.
type columns[R any] []column[R]

// names are the names of the columns.
func (t columns[R]) names() []string {
	names := make([]string, len(t))
	for i := range t {
		names[i] = t[i].name
	}
	return names
}

// kinds are what the cells of each column are.
func (t columns[R]) kinds() []string {
	kinds := make([]string, len(t))
	for i := range t {
		kinds[i] = t[i].kind
	}
	return kinds
}

// head is the first line of the table as csv: UTF-8 with a byte order mark, RFC 4180 with CRLF.
func (t columns[R]) head() string { return bom + strings.Join(t.names(), ",") + "\r\n" }

// fill adds the cells of a row.
func (t columns[R]) fill(c line, r *R) {
	for i := range t {
		t[i].put(c, r)
	}
}

// line appends a row as a line of csv to b.
func (t columns[R]) line(b []byte, r *R) []byte {
	c := cells{b: b}
	t.fill(&c, r)
	return c.end()
}

// write writes a table as csv. It returns the first error of w or of the rows.
func (t columns[R]) write(w io.Writer, rows iter.Seq2[R, error]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	bw.WriteString(t.head()) // its error comes back with Flush
	var b []byte
	for r, err := range rows {
		if err != nil {
			return err
		}
		b = t.line(b[:0], &r)
		if _, err := bw.Write(b); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// A side table is written beside the formats where an audit has what is in it: as a file, and as a
// sheet of entries.xlsx.
type side interface {
	file() string
	head() string
	kinds() []string
	in(result *audit.Result) bool
	csv(ctx context.Context, w io.Writer, result *audit.Result, words *messages.Catalogue) error
	sheet(b *workbook) error
}

// table is a side table of rows R.
type table[R any] struct {
	name string // also.csv
	columns[R]
	has  func(*audit.Result) bool
	rows func(ctx context.Context, result *audit.Result, words *messages.Catalogue) iter.Seq2[R, error]
}

func (t *table[R]) file() string { return t.name }

func (t *table[R]) in(result *audit.Result) bool { return t.has(result) }

func (t *table[R]) csv(ctx context.Context, w io.Writer, result *audit.Result, words *messages.Catalogue) error {
	return t.write(w, t.rows(ctx, result, words))
}

// sides are all side tables, in the order of their names.
func sides() []side {
	return []side{alsoTable, expectedTable, inspectedTable, logsTable, linksTable, rulesTable, reportedTable}
}

// Tables returns the names of the tables that WriteAll writes where an audit has what is in them,
// in order: of an export, of a map, of what sitemaps name beside their entries and so on.
func Tables() (names []string) {
	for _, t := range sides() {
		names = append(names, t.file())
	}
	return names
}

// mapped yields what of makes of each row.
func mapped[A, B any](rows iter.Seq2[A, error], of func(*A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for r, err := range rows {
			if err != nil {
				var none B
				yield(none, err)
				return
			}
			if !yield(of(&r), nil) {
				return
			}
		}
	}
}
