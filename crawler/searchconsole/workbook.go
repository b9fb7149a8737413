package searchconsole

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
)

// readWorkbook reads an .xlsx: each sheet is a table, as each CSV of a ZIP is.
func readWorkbook(data []byte) (tables []*table, err error) {
	damaged := func(why any) error {
		return &FormatError{fmt.Sprintf("this workbook cannot be read (%v)", why), "choose \"Download CSV\" in Search Console, or save the sheet with the addresses as CSV"}
	}
	defer func() { // the library was made for workbooks that are whole
		if why := recover(); why != nil {
			tables, err = nil, damaged(why)
		}
	}()
	// Both limits are the same, so that nothing is unpacked into a file.
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: MaxSize, UnzipXMLSizeLimit: MaxSize})
	if err != nil {
		return nil, damaged(err)
	}
	defer book.Close()
	for _, sheet := range book.GetSheetList() {
		text, err := sheetText(book, sheet)
		if format := (*FormatError)(nil); errors.As(err, &format) {
			return nil, err
		}
		if err != nil {
			return nil, damaged(err)
		}
		t, err := readTable(text, true)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// maxCells is how many cells a sheet may have, empty ones before another in
// their row included: a row of one cell can have 16,383 of these.
const maxCells = 64 * maxRows

// sheetText is a sheet with tabs between its cells, a line for each row. What is
// packed small can be endless so: it is no longer than a file may be.
func sheetText(book *excelize.File, sheet string) ([]byte, error) {
	rows, err := book.Rows(sheet)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var b bytes.Buffer
	plain := strings.NewReplacer("\t", " ", "\r", " ", "\n", " ")
	for n := 0; rows.Next(); {
		cells, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		if n += len(cells); n > maxCells {
			return nil, tooLarge()
		}
		for i, c := range cells {
			if b.Len()+len(c) >= MaxSize {
				return nil, tooLarge()
			}
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(plain.Replace(c))
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), rows.Error()
}
