package report

import (
	"context"
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// bom lets Excel read a CSV file as UTF-8.
const bom = "\uFEFF"

// A column of a table: its name in the first line, what its cells are, and the cell of a row, as in
// csv; "" is empty. The names are never changed and new ones come last; docs/outputs.md says what each
// means.
type column[R any] struct {
	name, kind string // kind is "text", "number" or "time"
	of         func(*R) string
}

// unknown is a number that is not known: its cell is empty.
const unknown = -1

func text[R any](name string, of func(*R) string) column[R] { return column[R]{name, "text", of} }

func number[R any](name string, of func(*R) int) column[R] {
	return column[R]{name, "number", func(r *R) string {
		if n := of(r); n != unknown {
			return strconv.Itoa(n)
		}
		return ""
	}}
}

func moment[R any](name string, of func(*R) time.Time) column[R] {
	return column[R]{name, "time", func(r *R) string { return when(of(r)) }}
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
func (t columns[R]) names() (names []string) {
	for i := range t {
		names = append(names, t[i].name)
	}
	return names
}

// kinds are what the cells of each column are.
func (t columns[R]) kinds() (kinds []string) {
	for i := range t {
		kinds = append(kinds, t[i].kind)
	}
	return kinds
}

// cells are the cells of a row, in place of those in b.
func (t columns[R]) cells(b []string, r *R) []string {
	b = b[:0]
	for i := range t {
		b = append(b, t[i].of(r))
	}
	return b
}

// lines yields the cells of each row, until the next.
func (t columns[R]) lines(rows iter.Seq2[R, error]) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		var b []string
		for r, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if b = t.cells(b, &r); !yield(b, nil) {
				return
			}
		}
	}
}

// A csvWriter writes a table as csv: UTF-8 with a byte order mark, RFC 4180 with CRLF. No cell
// calculates in a spreadsheet, nor breaks its line.
type csvWriter struct{ *csv.Writer }

// newCSV begins a table with the names of its columns.
func newCSV(w io.Writer, names []string) (csvWriter, error) {
	c := csvWriter{csv.NewWriter(w)}
	c.UseCRLF = true
	_, err := io.WriteString(w, bom)
	if err == nil {
		err = c.Write(names)
	}
	return c, err
}

// row writes cells, which it changes.
func (c csvWriter) row(cells []string) error {
	for i, s := range cells {
		cells[i] = harmless(s)
	}
	return c.Write(cells)
}

// Close writes what waits.
func (c csvWriter) Close() error {
	c.Flush()
	return c.Error()
}

// harmless returns s as a spreadsheet shows it: control characters written out, and a leading ' where
// it could be taken for a formula (OWASP, "CSV Injection"): where it begins with = + - @ or their
// full-width forms, also behind what nobody sees, or with a tab or CR.
func harmless(s string) string {
	shown := visible(s)
	if calculates(shown) || strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\r") {
		return "'" + shown
	}
	return shown
}

// calculates reports whether a spreadsheet may take a cell with s for a formula. Some trim white space
// before they look, some a byte order mark or what has no width, and a person who edits the cell sees
// none of these.
func calculates(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}))
	return strings.ContainsRune("=+-@＝＋－＠", r)
}

// A table is written beside the formats where an audit has what is in it: as a file, and as a
// sheet of entries.xlsx.
type table struct {
	file         string // "also.csv"
	has          bool   // the audit has it
	names, kinds []string
	lines        func() iter.Seq2[[]string, error] // asked only where it has
}

func tableOf[R any](file string, has bool, t columns[R], rows func() iter.Seq2[R, error]) table {
	return table{file, has, t.names(), t.kinds(), func() iter.Seq2[[]string, error] { return t.lines(rows()) }}
}

// head is how the file begins.
func (t *table) head() string { return bom + strings.Join(t.names, ",") + "\r\n" }

// write writes the table as csv.
func (t *table) write(w io.Writer) error {
	c, err := newCSV(w, t.names)
	if err != nil {
		return err
	}
	for cells, err := range t.lines() {
		if err == nil {
			err = c.row(cells)
		}
		if err != nil {
			return err
		}
	}
	return c.Close()
}

// sides are all tables, in the order of their names. Their words are of a language.
func sides(ctx context.Context, result *audit.Result, words *messages.Catalogue) []table {
	return []table{alsoTable(ctx, result, words), expectedTable(ctx, result), inspectedTable(ctx, result), logsTable(ctx, result.Logs, words),
		linksTable(ctx, result), rulesTable(ctx, result, words), reportedTable(ctx, result, words)}
}

// Tables returns the names of the tables that WriteAll writes where an audit has what is in them,
// in order: of an export, of a map, of what sitemaps name beside their entries and so on.
func Tables() (names []string) {
	for _, t := range sides(context.Background(), &audit.Result{}, nil) {
		names = append(names, t.file)
	}
	return names
}

// mapped yields what of makes of each row.
func mapped[A, B any](rows iter.Seq2[A, error], of func(*A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for r, err := range rows {
			var made B
			if err == nil {
				made = of(&r)
			}
			if !yield(made, err) || err != nil {
				return
			}
		}
	}
}
