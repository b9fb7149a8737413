package searchconsole

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/ground"
)

const (
	maxFiles = 100     // of a ZIP, or sheets of a workbook; an export has three or four
	maxBook  = 4 << 20 // bytes of an unpacked workbook, which is held in memory
)

// archive reads the tables in a ZIP or a workbook: the rows are those of tables with addresses;
// another one has the reason.
func (x *reading) archive(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return &FormatError{"this ZIP is damaged or cut off (" + err.Error() + ")",
			"download the export again; or unpack it and give its Table.csv"}
	}
	// No file unpacks to more than the size that the archive declares for it.
	left, book := uint64(MaxSize), false
	for _, f := range z.File {
		switch {
		case f.Flags&1 != 0:
			return &FormatError{"this ZIP is locked with a password", "unpack it and give its Table.csv"}
		case f.Name == "content.xml":
			return &FormatError{"this is an OpenDocument spreadsheet", "save the sheet with the URLs as CSV"}
		case f.UncompressedSize64 > left:
			return tooLarge(MaxSize)
		}
		left -= f.UncompressedSize64
		book = book || strings.HasPrefix(f.Name, "xl/")
	}
	switch {
	case book && MaxSize-left > maxBook:
		return tooLarge(maxBook)
	case book:
		if err = ground.Guard(func() error { return x.workbook(data) }); errors.Is(err, ground.ErrOurs) { // the library's
			err = unreadable(err)
		}
	default:
		for _, f := range z.File[:min(len(z.File), maxFiles)] {
			if err = x.file(f); err != nil {
				break
			}
		}
	}
	for i := range x.Rows {
		x.Rows[i].Reason = cmp.Or(x.Rows[i].Reason, x.reason, x.other)
	}
	return err
}

// file reads a table of the ZIP; what is not one is skipped.
func (x *reading) file(f *zip.File) error {
	base := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") {
		return nil
	}
	err := x.unpack(f)
	if format := (*FormatError)(nil); err != nil && !errors.As(err, &format) {
		return &FormatError{"this ZIP is damaged: " + f.Name + " cannot be unpacked (" + err.Error() + ")",
			"download the export again"}
	}
	return err
}

func (x *reading) unpack(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	text, kind := decode(r)
	if kind != "" {
		return nil // a picture or a page, not a table
	}
	return x.table(linesOf(text), true)
}

func unreadable(err error) error {
	return &FormatError{fmt.Sprintf("this workbook cannot be read (%v)", err),
		"choose \"Download CSV\" in Search Console, or save the sheet with the URLs as CSV"}
}

// workbook reads an .xlsx: each sheet is a table, like each CSV in a ZIP.
func (x *reading) workbook(data []byte) error {
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxBook,
		UnzipXMLSizeLimit: maxBook, ShortDatePattern: "yyyy-mm-dd"})
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	sheets := f.GetSheetList()
	for _, name := range sheets[:min(len(sheets), maxFiles)] {
		rows, err := f.Rows(name)
		if err != nil {
			continue // a chart
		}
		if err := x.table(rowsOf(rows), true); err != nil {
			return unreadable(err)
		}
	}
	return nil
}

var inOneLine = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ")

// rowsOf returns the rows of a sheet as lines, with tabs between their cells.
func rowsOf(rows *excelize.Rows) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		all := 0
		for n := 1; rows.Next(); n++ {
			cells, err := rows.Columns()
			if all += len(cells); all > maxBook { // most of them empty, before one that is far out
				err = tooLarge(maxBook)
			}
			for i, c := range cells {
				cells[i] = inOneLine.Replace(c)
			}
			if text := strings.Join(cells, "\t"); (err != nil || says(text)) && !yield(line{n, text}, err) {
				return
			}
		}
		if err := rows.Error(); err != nil {
			yield(line{}, err)
		}
	}
}
