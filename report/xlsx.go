package report

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// Limits of a sheet (Excel specifications and limits; ECMA-376). What a file in
// the package unpacks to must stay under 4 GiB, for Excel does not open what
// archive/zip writes beyond it; it is estimated from the text.
const (
	sheetRows  = 1 << 20
	sheetBytes = 3 << 30
	cellChars  = 32_767
)

// tableStyle is Excel's usual style: a dark header and striped rows.
const tableStyle = "TableStyleMedium2"

// lineHeight is the height of a line of 11-point text, in points. Not every program
// makes a row as high as the lines in it.
const lineHeight = 15

// workbook is an xlsx file while it is written.
type workbook struct {
	w         io.Writer
	result    *audit.Result
	ctx       context.Context // of the rows of the map
	words     *messages.Catalogue
	again     string
	file      *excelize.File
	header    int // styles
	date      int
	lines     int // text in lines, as wide as its column
	sheet     *sheet
	columns   columns[entryRow]
	sheets    int
	maxListed int // rows of a side table: they wait in memory
	maxRow    int
	maxLen    int64
}

// sheet is one sheet while it is written.
type sheet struct {
	stream *excelize.StreamWriter
	table  string
	width  int   // columns
	top    int   // lines above the header
	rows   int   // the header, and what is above it, among them
	size   int64 // estimated bytes
}

// openXLSX begins entries.xlsx, a workbook for Excel, LibreOffice and others: the entries as a table
// with a filter under a header that stays in sight (in further sheets where one is full), the
// causes, and a sheet of each side table, of which it has the first rows. Numbers are numbers, times are
// dates (UTC), URLs are text and no links. Cells are guarded as in entries.csv; one of more than
// 32,767 characters, which is all that a sheet can hold, is cut. The rows lie in temporary files
// until all are written. It returns the first error of w, of result's rows, or of these files.
func openXLSX(ctx context.Context, w io.Writer, result *audit.Result, e env) (rows, error) {
	b, err := newWorkbook(ctx, w, result, e)
	return b.rows(), err
}

func newWorkbook(ctx context.Context, w io.Writer, result *audit.Result, e env) (*workbook, error) {
	b := &workbook{w: w, result: result, ctx: ctx, words: messages.Of(e.lang), again: e.again, maxRow: sheetRows, maxLen: sheetBytes, maxListed: listedRows,
		file: excelize.NewFile(excelize.Options{TmpDir: e.tmp})}
	if err := b.begin(); err != nil {
		return b, errors.Join(err, b.file.Close())
	}
	return b, nil
}

func (b *workbook) rows() rows { return rows{take: b.take, end: b.end} }

// begin makes the styles and the first two sheets.
func (b *workbook) begin() error {
	var err error
	b.header, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri", Size: 11},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"4472C4"}}})
	if err != nil {
		return err
	}
	format := "yyyy-mm-dd hh:mm:ss"
	if b.date, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
		return err
	}
	b.lines, err = b.file.NewStyle(&excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	if err != nil {
		return err
	}
	if err := b.properties(); err != nil {
		return err
	}
	if err := b.file.SetSheetName("Sheet1", b.words.Text("sheet-entries")); err != nil {
		return err
	}
	if _, err := b.file.NewSheet(b.words.Text("sheet-causes")); err != nil {
		return err
	}
	for _, t := range b.sides() {
		if _, err := b.file.NewSheet(sheetName(t.file())); err != nil {
			return err
		}
	}
	return b.entries(b.words.Text("sheet-entries"))
}

// sides are the side tables that the audit has.
func (b *workbook) sides() []side {
	return slices.DeleteFunc(sides(), func(t side) bool { return !t.in(b.result) })
}

// sheetName is the name of the sheet of a table: "links" of links.csv.
func sheetName(file string) string { return strings.TrimSuffix(file, ".csv") }

// listedRows is how many rows of a side table a sheet has.
const listedRows = 20_000

// sheet writes the first rows of the table, and below them where the others are.
func (t *table[R]) sheet(b *workbook) error {
	s, err := b.newSheet(sheetName(t.name), strings.ReplaceAll(sheetName(t.name), "-", "_"), t.names())
	if err != nil {
		return err
	}
	more := false
	for r, err := range t.rows(b.ctx, b.result, b.words) {
		if err != nil {
			return err
		}
		if more = s.rows > b.maxListed; more {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		t.fill(&c, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	if more {
		text := b.words.Text("sheet-first", "shown", messages.Number(b.maxListed), "file", t.name)
		if err := s.stream.SetRow(fmt.Sprint("A", s.rows+2), []any{text}); err != nil {
			return err
		}
	}
	return s.finish()
}

// properties says who made the workbook, and when the audit was.
func (b *workbook) properties() error {
	info := &b.result.Info
	at := when(info.Started)
	if at == "" {
		at = "1970-01-01T00:00:00Z"
	}
	return b.file.SetDocProps(&excelize.DocProperties{Creator: "sitemend", LastModifiedBy: "sitemend", Created: at, Modified: at,
		Title: middle(visible(strings.Join(info.Targets, " ")), 200)})
}

// entries begins a sheet of entries.
func (b *workbook) entries(name string) error {
	b.columns = columnsOf(b.result)
	table := "Entries"
	if b.sheets++; b.sheets > 1 {
		table = fmt.Sprint("Entries_", b.sheets)
	}
	s, err := b.newSheet(name, table, b.columns.names(), stoppedIn(b.result, b.words))
	b.sheet = s
	return err
}

// columnWidths are the widths of columns, in characters; 12 for the others.
var columnWidths = map[string]float64{"lane": 22, "cause": 30, "rule": 44, "who": 28, "what_to_do": 60, "example_1": 60, "example_2": 60, "example_3": 60,
	"old": 60, "expected": 60, "end": 60, "suggestion": 60,
	"sitemap": 36, "line": 7, "url": 60, "readable_url": 48, "verdict": 18, "reasons": 18, "status": 8,
	"statuses": 14, "redirect_type": 14, "final_url": 60, "canonical": 40, "robots": 18, "title": 36, "content_type": 22, "robots_line": 24,
	"written": 60, "why": 48, "search_console": 32, "notes": 22, "checked_at": 20, "rules": 24}

func columnWidth(name string) float64 {
	if w := columnWidths[name]; w > 0 {
		return w
	}
	return 12
}

// newSheet begins a sheet that exists already with its header. table names its table,
// in English for programs. Above the header stands a line for each of the texts that is not "".
func (b *workbook) newSheet(name, table string, names []string, above ...string) (*sheet, error) {
	stream, err := b.file.NewStreamWriter(name)
	if err != nil {
		return nil, err
	}
	for i, column := range slices.Backward(names) { // the last that is set comes first, and readers want them in order
		if err := stream.SetColWidth(i+1, i+1, columnWidth(column)); err != nil {
			return nil, err
		}
	}
	above = slices.DeleteFunc(above, func(text string) bool { return text == "" })
	header := 1 + len(above)
	if err := stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: header, TopLeftCell: fmt.Sprint("A", header+1), ActivePane: "bottomLeft"}); err != nil {
		return nil, err
	}
	// A text such as "200" in statuses is meant: without this, Excel marks each of
	// them with a green corner.
	last, err := excelize.CoordinatesToCellName(len(names), sheetRows)
	if err != nil {
		return nil, err
	}
	if err := b.file.AddIgnoredErrors(name, "A1:"+last, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return nil, err
	}
	s := &sheet{stream: stream, table: table, width: len(names), top: len(above)}
	for _, text := range above {
		if err := s.row([]any{text}); err != nil {
			return nil, err
		}
	}
	head := make([]any, len(names))
	for i, n := range names {
		head[i] = excelize.Cell{StyleID: b.header, Value: n}
	}
	return s, s.row(head)
}

// row adds a row.
func (s *sheet) row(values []any, o ...excelize.RowOpts) error {
	s.rows++
	return s.stream.SetRow(fmt.Sprint("A", s.rows), values, o...)
}

// finish makes a table of the rows and ends the sheet.
func (s *sheet) finish() error {
	corner, err := excelize.CoordinatesToCellName(s.width, s.rows)
	if err != nil {
		return err
	}
	// AutoFilter would write nothing for a streamed sheet; a table has one.
	if err := s.stream.AddTable(&excelize.Table{Range: fmt.Sprint("A", s.top+1, ":", corner), Name: s.table, StyleName: tableStyle}); err != nil {
		return err
	}
	return s.stream.Flush()
}

// take adds an entry, in a further sheet where this one is full.
func (b *workbook) take(f *audit.File, r *audit.Row) error {
	if b.sheet.rows >= b.maxRow || b.sheet.size >= b.maxLen {
		if err := b.sheet.finish(); err != nil {
			return err
		}
		name := fmt.Sprint(b.words.Text("sheet-entries"), " ", b.sheets+1)
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
		if err := b.entries(name); err != nil {
			return err
		}
	}
	c := xlsxLine{cells: make([]any, 0, b.sheet.width), date: b.date}
	b.columns.fill(&c, &entryRow{r, f.Sitemap.URL, r.Entry.Line, b.words})
	b.sheet.size += c.size
	return b.sheet.row(c.cells)
}

// end writes the workbook, where its rows are whole, and removes the temporary
// files.
func (b *workbook) end(whole bool) (err error) {
	if whole {
		err = b.write()
	}
	return errors.Join(err, b.file.Close())
}

// write writes the causes and then all sheets to w.
func (b *workbook) write() error {
	if err := b.sheet.finish(); err != nil {
		return err
	}
	if err := b.causes(); err != nil {
		return err
	}
	small := []string{causesPart}
	for _, t := range b.sides() {
		if err := t.sheet(b); err != nil {
			return err
		}
		small = append(small, fmt.Sprintf(sheetPart, 2+len(small)))
	}
	// The workbook would be put together in memory; what is handed to its zip
	// writer goes straight to w.
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		return &packer{Writer: zip.NewWriter(b.w), small: small, wait: map[string]*bytes.Buffer{}}
	})
	return b.file.Write(io.Discard)
}

// causes writes the second sheet.
func (b *workbook) causes() error {
	names := []string{"lane", "entries", "verdict", "cause", "rule", "sitemaps", "who", "what_to_do", "example_1", "example_2", "example_3"}
	s, err := b.newSheet(b.words.Text("sheet-causes"), "Causes", names)
	if err != nil {
		return err
	}
	lanes := conclude.Of(b.result, conclude.Options{Again: b.again}).Lanes
	for i := range lanes {
		for j := range lanes[i].Causes {
			cells, lines := b.cause(&lanes[i], &lanes[i].Causes[j]), 1.0
			for k, c := range cells {
				if s, ok := c.(string); ok {
					lines = max(lines, math.Ceil(float64(cellsOf(s))/columnWidth(names[k])))
				}
				cells[k] = excelize.Cell{StyleID: b.lines, Value: c}
			}
			if err := s.row(cells, excelize.RowOpts{Height: min(lines*lineHeight, excelize.MaxRowHeight)}); err != nil {
				return err
			}
		}
	}
	return s.finish()
}

// cause is the row of a cause.
func (b *workbook) cause(l *conclude.Lane, x *conclude.Cause) []any {
	what := []string{}
	for _, d := range append([]conclude.Sentence{x.Ask}, x.Do...) {
		if text := d.Plain(b.words); text != "" {
			what = append(what, text)
		}
	}
	result := &b.result.Causes[x.Index]
	c := xlsxLine{}
	c.text(l.Title.Plain(b.words))
	c.numberOr(x.Count, true)
	c.text(string(result.Verdict))
	c.text(x.Title.Plain(b.words))
	c.text(x.Pattern.Text())
	c.numberOr(x.Sitemaps, true)
	c.text(x.Who.Plain(b.words))
	c.text(strings.Join(what, " "))
	for _, e := range result.Examples[:min(3, len(result.Examples))] {
		c.text(e)
	}
	return c.cells
}

// A packer packs the parts of a workbook. Of two streams excelize hands over any
// first; the small ones wait, so that the same audit is the same bytes.
type packer struct {
	*zip.Writer
	small []string // parts that wait
	wait  map[string]*bytes.Buffer
}

// The parts of the second sheet and of those behind it.
const (
	causesPart = "xl/worksheets/sheet2.xml"
	sheetPart  = "xl/worksheets/sheet%d.xml"
)

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

// xlsxLine is one row of a sheet.
type xlsxLine struct {
	cells []any
	size  int64 // estimated bytes of XML
	date  int   // style
}

func (c *xlsxLine) text(s string) {
	if s == "" {
		c.cells = append(c.cells, nil)
		return
	}
	shown := harmless(s)
	if len(shown) > cellChars {
		shown = cutCell(shown)
	}
	c.size += 60 + 2*int64(len(shown)) // an & of a query takes five bytes
	c.cells = append(c.cells, shown)
}

func (c *xlsxLine) numberOr(n int, known bool) {
	if !known {
		c.cells = append(c.cells, nil)
		return
	}
	c.size += 30
	c.cells = append(c.cells, n)
}

func (c *xlsxLine) time(t time.Time) {
	if t.IsZero() {
		c.cells = append(c.cells, nil)
		return
	}
	c.size += 40
	c.cells = append(c.cells, excelize.Cell{StyleID: c.date, Value: t.UTC().Truncate(time.Second)})
}

// cutCell shortens s to what a cell holds, counted as Excel counts, in UTF-16.
func cutCell(s string) string {
	const mark = "… (cut)"
	n := 0
	for i, r := range s {
		n += max(1, utf16.RuneLen(r))
		if n > cellChars-len(mark) {
			return s[:i] + mark
		}
	}
	return s
}
