package report

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// How many rows a sheet can hold (Excel specifications and limits), and how many of a side table it
// has: they wait in memory. Tests have less.
var (
	sheetRows  = 1 << 20
	listedRows = 20_000
)

// lineHeight is the height of a line of 11-point text, in points. Not every program
// makes a row as high as the lines in it.
const lineHeight = 15

// workbook is an xlsx file while it is written.
type workbook struct {
	ctx                 context.Context // of the rows of side tables
	w                   io.Writer
	result              *audit.Result
	o                   Options
	words               *messages.Catalogue
	file                *excelize.File
	header, date, lines int // styles; of text in lines, as wide as its column
	columns             columns[entryRow]
	kinds               []string // of these
	sheet               *sheet   // of entries
	sheets              int      // of these
	cells               []string
}

// sheet is one sheet while it is written.
type sheet struct {
	*excelize.StreamWriter
	table string // its name, in English for programs
	width int    // columns
	top   int    // lines above the header
	rows  int    // the header, and what is above it, among them
}

// openXLSX begins entries.xlsx, a workbook for Excel, LibreOffice and others: the entries as a table
// with a filter under a header that stays in sight (in further sheets where one is full), the
// causes, and a sheet of each side table, of which it has the first rows. Numbers are numbers, times are
// dates (UTC), URLs are text and no links. Cells are guarded as in entries.csv; one of more than
// 32,767 characters, which is all that a sheet can hold, is cut. The rows lie in temporary files
// until all are written. It returns the first error of w, of result's rows, or of these files.
func openXLSX(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
	b := &workbook{ctx: ctx, w: w, result: result, o: o, words: messages.Of(o.Lang), columns: columnsOf(result), kinds: columnsOf(result).kinds(), file: excelize.NewFile(excelize.Options{TmpDir: o.tmp})}
	dates := "yyyy-mm-dd hh:mm:ss"
	header := excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri", Size: 11}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"4472C4"}}}
	var errs [6]error
	b.header, errs[0] = b.file.NewStyle(&header)
	b.date, errs[1] = b.file.NewStyle(&excelize.Style{CustomNumFmt: &dates})
	b.lines, errs[2] = b.file.NewStyle(&excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	at := when(result.Info.Started)
	if at == "" {
		at = "1970-01-01T00:00:00Z"
	}
	errs[3] = b.file.SetDocProps(&excelize.DocProperties{Creator: "sitemend", LastModifiedBy: "sitemend", Created: at, Modified: at,
		Title: middle(visible(strings.Join(result.Info.Targets, " ")), 200)})
	errs[4] = b.file.SetSheetName("Sheet1", b.words.Text("urls"))
	names := []string{b.words.Text("causes")}
	for _, t := range b.sides() {
		names = append(names, sheetName(t))
	}
	for _, name := range names {
		_, err := b.file.NewSheet(name)
		errs[5] = errors.Join(errs[5], err)
	}
	return b, errors.Join(append(errs[:], b.more(b.words.Text("urls")))...)
}

// sides are the side tables that the audit has.
func (b *workbook) sides() []side {
	return slices.DeleteFunc(sides(), func(t side) bool { return !t.in(b.result) })
}

// sheetName is the name of the sheet of a table: "links" of links.csv.
func sheetName(t side) string { return strings.TrimSuffix(t.file(), ".csv") }

// more begins a sheet of entries.
func (b *workbook) more(name string) (err error) {
	table := "Entries"
	if b.sheets++; b.sheets > 1 {
		table = fmt.Sprint("Entries_", b.sheets)
	}
	b.sheet, err = b.newSheet(name, table, b.columns.names(), stoppedIn(b.result, b.words))
	return err
}

// columnWidths are the widths of columns, in characters; 12 for the others.
var columnWidths = map[string]float64{"lane": 22, "cause": 30, "rule": 44, "who": 28, "what_to_do": 60, "example_1": 60, "example_2": 60, "example_3": 60,
	"old": 60, "expected": 60, "end": 60, "suggestion": 60,
	"sitemap": 36, "line": 7, "url": 60, "readable_url": 48, "verdict": 18, "reasons": 18, "status": 8,
	"statuses": 14, "redirect_type": 14, "final_url": 60, "canonical": 40, "robots": 18, "title": 36, "content_type": 22, "robots_line": 24,
	"written": 60, "why": 48, "search_console": 32, "notes": 22, "checked_at": 20, "rules": 24}

func columnWidth(name string) float64 { return cmp.Or(columnWidths[name], 12) }

// newSheet begins a sheet that exists already with its header; above that stands a line of text, if
// there is one.
func (b *workbook) newSheet(name, table string, names []string, above string) (*sheet, error) {
	stream, err := b.file.NewStreamWriter(name)
	if err != nil {
		return nil, err
	}
	s := &sheet{StreamWriter: stream, table: table, width: len(names)}
	for i, column := range slices.Backward(names) { // the last that is set comes first, and readers want them in order
		if err := s.SetColWidth(i+1, i+1, columnWidth(column)); err != nil {
			return nil, err
		}
	}
	var head []any
	for _, n := range names {
		head = append(head, excelize.Cell{StyleID: b.header, Value: n})
	}
	lines := [][]any{head}
	if above != "" {
		s.top, lines = 1, [][]any{{above}, head}
	}
	// A text such as "200" in statuses is meant: without this, Excel marks each of
	// them with a green corner.
	last, err := excelize.CoordinatesToCellName(len(names), sheetRows)
	if err == nil {
		err = b.file.AddIgnoredErrors(name, "A1:"+last, excelize.IgnoredErrorsNumberStoredAsText)
	}
	if err == nil {
		err = s.SetPanes(&excelize.Panes{Freeze: true, YSplit: s.top + 1, TopLeftCell: fmt.Sprint("A", s.top+2), ActivePane: "bottomLeft"})
	}
	for _, line := range lines {
		if err == nil {
			err = s.row(line)
		}
	}
	return s, err
}

// row adds a row.
func (s *sheet) row(values []any, o ...excelize.RowOpts) error {
	s.rows++
	return s.SetRow(fmt.Sprint("A", s.rows), values, o...)
}

// values are the cells of a row in a sheet.
func (b *workbook) values(kinds, cells []string) []any {
	values := make([]any, len(cells))
	for i, s := range cells {
		switch n, err := strconv.Atoi(s); {
		case s == "":
		case kinds[i] == "number" && err == nil:
			values[i] = n
		case kinds[i] == "time":
			at, _ := time.Parse(time.RFC3339, s) // as when writes it
			values[i] = excelize.Cell{StyleID: b.date, Value: at}
		default:
			values[i] = harmless(s)
		}
	}
	return values
}

// finish makes a table of the rows and ends the sheet.
func (s *sheet) finish() error {
	corner, err := excelize.CoordinatesToCellName(s.width, s.rows)
	if err != nil {
		return err
	}
	// AutoFilter would write nothing for a streamed sheet; a table has one.
	if err := s.AddTable(&excelize.Table{Range: fmt.Sprint("A", s.top+1, ":", corner), Name: s.table, StyleName: "TableStyleMedium2"}); err != nil {
		return err
	}
	return s.Flush()
}

// Add adds an entry, in a further sheet where this one is full.
func (b *workbook) Add(f *audit.File, r *audit.Row) error {
	if b.sheet.rows >= sheetRows {
		if err := b.sheet.finish(); err != nil {
			return err
		}
		name := fmt.Sprint(b.words.Text("urls"), " ", b.sheets+1)
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
		if err := b.more(name); err != nil {
			return err
		}
	}
	b.cells = b.columns.cells(b.cells, &entryRow{r, f.Sitemap.URL, r.Entry.Line, b.words})
	return b.sheet.row(b.values(b.kinds, b.cells))
}

// Close writes the causes and the side tables, and then all sheets to w.
func (b *workbook) Close() error {
	if err := b.sheet.finish(); err != nil {
		return err
	}
	if err := b.causes(); err != nil {
		return err
	}
	small := []string{"xl/worksheets/sheet2.xml"} // the causes, and the sheets behind
	for i, t := range b.sides() {
		if err := b.side(t); err != nil {
			return err
		}
		small = append(small, fmt.Sprintf("xl/worksheets/sheet%d.xml", 3+i))
	}
	// The workbook would be put together in memory; what is handed to its zip
	// writer goes straight to w.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		return &packer{Writer: zip.NewWriter(b.w), small: small, wait: map[string]*bytes.Buffer{}}
	})
	return errors.Join(b.file.Write(io.Discard), b.file.Close())
}

// side writes the first rows of a side table, and below them where the others are.
func (b *workbook) side(t side) error {
	s, err := b.newSheet(sheetName(t), strings.ReplaceAll(sheetName(t), "-", "_"), t.names(), "")
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(t.of(b.ctx, b.result, b.words))
	defer stop()
	cells, err, more := next()
	for ; more && err == nil && s.rows <= listedRows; cells, err, more = next() {
		if err := s.row(b.values(t.kinds(), cells)); err != nil {
			return err
		}
	}
	if more && err == nil {
		err = s.SetRow(fmt.Sprint("A", s.rows+2), []any{"… " + t.file()})
	}
	if err != nil {
		return err
	}
	return s.finish()
}

// A causeRow is a cause with its lane.
type causeRow struct {
	*conclude.Cause
	lane  *conclude.Lane
	of    *audit.Cause
	words *messages.Catalogue
}

// causeColumns are the columns of the second sheet.
var causeColumns = columns[causeRow]{
	text("lane", func(r *causeRow) string { return r.lane.Title.Plain(r.words) }),
	number("entries", func(r *causeRow) int { return r.Count }),
	text("verdict", func(r *causeRow) string { return string(r.of.Verdict) }),
	text("cause", func(r *causeRow) string { return r.Title.Plain(r.words) }),
	text("rule", func(r *causeRow) string { return r.Pattern.Text() }),
	number("sitemaps", func(r *causeRow) int { return r.Sitemaps }),
	text("who", func(r *causeRow) string { return r.Who.Plain(r.words) }),
	text("what_to_do", func(r *causeRow) string {
		var what []string
		for _, d := range []conclude.Sentence{r.Ask, r.Do} {
			if text := d.Plain(r.words); text != "" {
				what = append(what, text)
			}
		}
		return strings.Join(what, " ")
	}),
	exampleColumn(1), exampleColumn(2), exampleColumn(3),
}

func exampleColumn(n int) column[causeRow] {
	return text(fmt.Sprint("example_", n), func(r *causeRow) string {
		if n > len(r.of.Examples) {
			return ""
		}
		return r.of.Examples[n-1]
	})
}

// causes writes the second sheet.
func (b *workbook) causes() error {
	names, kinds := causeColumns.names(), causeColumns.kinds()
	s, err := b.newSheet(b.words.Text("causes"), "Causes", names, "")
	if err != nil {
		return err
	}
	lanes := conclude.Of(b.result, conclude.Options{Again: b.o.Again}).Lanes
	for i := range lanes {
		for j := range lanes[i].Causes {
			x := &lanes[i].Causes[j]
			values, lines := b.values(kinds, causeColumns.cells(nil, &causeRow{x, &lanes[i], &b.result.Causes[x.Index], b.words})), 1.0
			for k, v := range values {
				if s, ok := v.(string); ok {
					lines = max(lines, math.Ceil(float64(cellsOf(s))/columnWidth(names[k])))
				}
				values[k] = excelize.Cell{StyleID: b.lines, Value: v}
			}
			if err := s.row(values, excelize.RowOpts{Height: min(lines*lineHeight, excelize.MaxRowHeight)}); err != nil {
				return err
			}
		}
	}
	return s.finish()
}

// A packer packs the parts of a workbook. Of two streams excelize hands over any
// first; the small ones wait, so that the same audit is the same bytes.
type packer struct {
	*zip.Writer
	small []string // parts that wait
	wait  map[string]*bytes.Buffer
}

// Create begins a part.
func (p *packer) Create(name string) (io.Writer, error) {
	if slices.Contains(p.small, name) {
		p.wait[name] = &bytes.Buffer{}
		return p.wait[name], nil
	}
	return p.Writer.Create(name)
}

// Close packs what waits and ends the file.
func (p *packer) Close() error {
	for _, name := range p.small {
		part := p.wait[name]
		if part == nil {
			continue
		}
		w, err := p.Writer.Create(name)
		if err == nil {
			_, err = part.WriteTo(w)
		}
		if err != nil {
			return errors.Join(err, p.Writer.Close())
		}
	}
	return p.Writer.Close()
}
