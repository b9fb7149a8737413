package report

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// sheetRows is how many rows a sheet can hold (Excel specifications and limits). Tests have less.
var sheetRows = 1 << 20

// maxCell is how many UTF-16 units a cell can hold.
const maxCell = 32_767

// The parts of a workbook that are the same in each (ECMA-376, part 1): whatever else is .xml is a
// sheet.
var (
	//go:embed xlsx/types.xml
	xlsxTypes string
	//go:embed xlsx/rels.xml
	xlsxRels string
	//go:embed xlsx/styles.xml
	xlsxStyles string
)

const (
	xlsxMain = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	xlsxDoc  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	xlsxRel  = `<Relationship Id="%s" Type="` + xlsxDoc + `/%s" Target="%s"/>`
)

// styles are the styles of cells, as xlsx/styles.xml has them, by what the cells are; others have none.
var styles = map[string]int{"time": 1, "head": 2}

// workbook is an xlsx file while it is written, sheet by sheet.
type workbook struct {
	zip    *zip.Writer
	sheets []string // their names
	heads  []string // where the cells are that the filter of each is for: $A$1:$AA$12
	// The open sheet.
	*bufio.Writer
	names, kinds []string
	rows         int // the header among them
}

// openXLSX begins entries.xlsx, a workbook for Excel, LibreOffice and others: the entries under a
// header that stays in sight and has a filter, and each table; where a sheet is full, a
// further one follows. Numbers are numbers, times are dates (UTC), URLs are text and no links. Cells
// are guarded as in entries.csv; one of more than 32,767 characters, which is all that a sheet can
// hold, is cut.
func openXLSX(ctx context.Context, w io.Writer, result *audit.Result, o Options) (Page, error) {
	b, words := &workbook{zip: zip.NewWriter(w)}, messages.Of(o.Lang)
	names, kinds := headOf(entriesHead)
	err := cmp.Or(b.part("[Content_Types].xml", xlsxTypes), b.part("_rels/.rels", xlsxRels),
		b.part("xl/styles.xml", xlsxStyles), b.begin(words.Text("urls"), names, kinds))
	var cells []string
	return rows{func(f *audit.File, r *audit.Row) error {
		cells = entryCells(cells[:0], f, r, words)
		return b.row(cells)
	}, func() error {
		for _, t := range allTables(ctx, result, words) {
			if !t.has {
				continue
			}
			if err := b.begin(strings.TrimSuffix(t.file, ".csv"), t.names, t.kinds); err != nil {
				return err
			}
			if err := t.each(b.row); err != nil {
				return err
			}
		}
		return b.close()
	}}, err
}

// part writes a whole part.
func (b *workbook) part(name, text string) error {
	w, err := b.zip.Create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// columnWidths are the widths of columns by what their cells are, in characters.
var columnWidths = map[string]int{"number": 9, "time": 20, "text": 36}

// begin ends the open sheet and begins another.
func (b *workbook) begin(name string, names, kinds []string) error {
	if err := b.end(); err != nil {
		return err
	}
	b.sheets = append(b.sheets, name)
	part, err := b.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(b.sheets)))
	if err != nil {
		return err
	}
	b.Writer, b.names, b.kinds, b.rows = bufio.NewWriterSize(part, 64<<10), names, kinds, 0
	b.WriteString(xml.Header + `<worksheet` + xlsxMain + `><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, kind := range kinds {
		fmt.Fprintf(b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, columnWidths[kind])
	}
	b.WriteString(`</cols><sheetData>`)
	return b.line(names, nil)
}

// row writes a row, in a further sheet where this one is full.
func (b *workbook) row(cells []string) error {
	if b.rows >= sheetRows {
		first, _, _ := strings.Cut(b.sheets[len(b.sheets)-1], " (")
		if err := b.begin(fmt.Sprintf("%s (%d)", first, len(b.sheets)+1), b.names, b.kinds); err != nil {
			return err
		}
	}
	return b.line(cells, b.kinds)
}

// line writes cells: text, numbers and times as such; those of the header where kinds are nil.
func (b *workbook) line(cells, kinds []string) error {
	b.rows++
	fmt.Fprintf(b, `<row r="%d">`, b.rows)
	for i, s := range cells {
		at := columnLetters(i) + strconv.Itoa(b.rows)
		kind := "head"
		if kinds != nil {
			kind = kinds[i]
		}
		switch {
		case s == "":
		case kind == "number":
			fmt.Fprintf(b, `<c r="%s" s="%d"><v>%s</v></c>`, at, styles[kind], s)
		case kind == "time":
			t, _ := time.Parse(time.RFC3339, s) // as when writes it; days since 1899-12-30
			fmt.Fprintf(b, `<c r="%s" s="%d"><v>%s</v></c>`, at, styles[kind], strconv.FormatFloat(float64(t.Unix())/86400+25569, 'f', -1, 64))
		default:
			fmt.Fprintf(b, `<c r="%s" s="%d" t="inlineStr"><is><t xml:space="preserve">`, at, styles[kind])
			xml.EscapeText(b, []byte(cellText(s))) // its error comes back at the end
			b.WriteString(`</t></is></c>`)
		}
	}
	_, err := b.WriteString("</row>")
	return err
}

// escaped is what a spreadsheet would read as a character.
var escaped = regexp.MustCompile("_(x[0-9A-Fa-f]{4}_)")

// cellText is a text as a cell holds it.
func cellText(s string) string {
	s = escaped.ReplaceAllString(harmless(s), "_x005F_$1")
	if len(s) <= maxCell {
		return s
	}
	n := 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > maxCell {
			return s[:i]
		}
	}
	return s
}

// columnLetters names a column: A, B ... Z, AA.
func columnLetters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnLetters(i/26-1) + columnLetters(i%26)
}

// end ends the open sheet, if there is one.
func (b *workbook) end() error {
	if b.Writer == nil {
		return nil
	}
	// A text such as "200" in statuses is meant: else Excel marks each with a green corner.
	last := columnLetters(len(b.names) - 1)
	b.heads = append(b.heads, fmt.Sprintf("$A$1:$%s$%d", last, b.rows))
	fmt.Fprintf(b, `</sheetData><autoFilter ref="A1:%s%d"/><ignoredErrors><ignoredError sqref="A1:%s%d" numberStoredAsText="1"/></ignoredErrors></worksheet>`, last, b.rows, last, b.rows)
	return b.Flush()
}

// close ends the last sheet, and lists all of them.
func (b *workbook) close() error {
	if err := b.end(); err != nil {
		return err
	}
	var sheets, filters, rels strings.Builder
	for i, name := range b.sheets {
		id := fmt.Sprint("rId", i+1)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="%s"/>`, name, i+1, id)
		fmt.Fprintf(&filters, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">'%s'!%s</definedName>`, i, name, b.heads[i])
		fmt.Fprintf(&rels, xlsxRel, id, "worksheet", fmt.Sprintf("worksheets/sheet%d.xml", i+1))
	}
	fmt.Fprintf(&rels, xlsxRel, "styles", "styles", "styles.xml")
	return cmp.Or(b.part("xl/workbook.xml", xml.Header+`<workbook`+xlsxMain+` xmlns:r="`+xlsxDoc+`"><bookViews><workbookView/></bookViews><sheets>`+sheets.String()+`</sheets><definedNames>`+filters.String()+`</definedNames></workbook>`),
		b.part("xl/_rels/workbook.xml.rels", xml.Header+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+rels.String()+`</Relationships>`), b.zip.Close())
}
