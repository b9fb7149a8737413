package report

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// bom lets Excel read a CSV file as UTF-8.
const bom = "\uFEFF"

// headOf takes the head of a table apart, "url line:number checked_at:time ...", which is never changed
// and gets new columns at its end; docs/outputs.md says what each means. What a cell is stands behind its
// name: a number, a time as when writes it, else text; "" is empty.
func headOf(head string) (names, kinds []string) {
	for column := range strings.FieldsSeq(head) {
		name, kind, _ := strings.Cut(column, ":")
		names, kinds = append(names, name), append(kinds, cmp.Or(kind, "text"))
	}
	return names, kinds
}

// nonzero is a number, "" for 0.
func nonzero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// A csvWriter writes a table as csv: UTF-8 with a byte order mark, RFC 4180 with CRLF. No cell
// calculates in a spreadsheet, nor breaks its line.
type csvWriter struct{ *csv.Writer }

// newCSV begins a table with the names of its columns. An error of w comes back with Close.
func newCSV(w io.Writer, names []string) csvWriter {
	c := csvWriter{csv.NewWriter(w)}
	c.UseCRLF = true
	c.Write(append([]string{bom + names[0]}, names[1:]...))
	return c
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
	if s == "" || '0' <= s[0] && s[0] <= '9' || 'A' <= s[0] && s[0] <= 'z' { // as nearly all
		return false
	}
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
	each         func(row func(cells []string) error) error // hands on the cells of each row, until the next; asked only where it has
}

// tableOf is a table of rows, of which cells appends those of one.
func tableOf[R any](file string, has bool, head string, rows func() iter.Seq2[R, error], cells func(b []string, r R) []string) table {
	t := table{file: file, has: has, each: func(row func([]string) error) error {
		var b []string
		for r, err := range rows() {
			if err != nil {
				return err
			}
			b = cells(b[:0], r)
			if err := row(b); err != nil {
				return err
			}
		}
		return nil
	}}
	t.names, t.kinds = headOf(head)
	return t
}

// write writes the table as csv.
func (t *table) write(w io.Writer) error {
	c := newCSV(w, t.names)
	return cmp.Or(t.each(c.row), c.Close())
}

// allTables are all tables, in the order of their names. Their words are of a language.
func allTables(ctx context.Context, result *audit.Result, words *messages.Catalogue) []table {
	return []table{alsoTable(ctx, result, words), expectedTable(ctx, result), inspectedTable(ctx, result), logsTable(ctx, result.Logs, words),
		linksTable(ctx, result), rulesTable(ctx, result, words), reportedTable(ctx, result, words)}
}

// Tables returns the names of the tables that WriteAll writes where an audit has what is in them,
// in order: of an export, of a map, of what sitemaps name beside their entries and so on.
func Tables() (names []string) {
	for _, t := range allTables(context.Background(), &audit.Result{}, nil) {
		names = append(names, t.file)
	}
	return names
}
