package searchconsole

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"strings"

	"sitemend/crawler/audit"
)

// maxFiles is how many files of a ZIP are read; an export has three or four.
const maxFiles = 100

// readZIP reads the tables in a ZIP: the rows are those of tables with addresses; the others have
// the reason and the property.
func readZIP(data []byte) (Export, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Export{}, &FormatError{"this ZIP is damaged or cut off (" + err.Error() + ")",
			"download the export again; or unpack it and give its Table.csv"}
	}
	tables, err := tablesOf(archive)
	if err != nil {
		return Export{}, err
	}
	var x Export
	var about tableFacts
	summary := false
	for _, t := range tables {
		x.add(t)
		summary = summary || t.summary
		about.merge(t.facts)
	}
	x.Property = about.property
	for i := range x.Rows {
		if x.Rows[i].Reason == "" {
			x.Rows[i].Reason = about.reason
		}
	}
	return x, x.check(summary)
}

// add adds the content of a table.
func (x *Export) add(t *table) {
	if len(t.rows) == 0 {
		return
	}
	if x.Rows == nil {
		x.Rows = t.rows
	} else {
		x.Rows = append(x.Rows, t.rows...)
	}
	if x.Unread == 0 {
		x.FirstUnread = t.firstUnread
	}
	x.Unread += t.unread
}

// tablesOf returns the tables in a ZIP, or in a workbook.
func tablesOf(archive *zip.Reader) ([]*table, error) {
	var tables []*table
	left, room := int64(MaxSize), maxRows
	for i, f := range archive.File {
		switch {
		case i == maxFiles:
			return tables, nil
		case f.Name == "[Content_Types].xml" || strings.HasPrefix(f.Name, "xl/"):
			return readWorkbook(archive)
		case f.Name == "content.xml":
			return nil, &FormatError{"this is an OpenDocument spreadsheet",
				"save the sheet with the URLs as CSV"}
		}
		t, err := readFile(f, &left, room)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tables = append(tables, t)
			room -= len(t.rows)
		}
	}
	return tables, nil
}

// readFile reads a table of the ZIP; nil for a file that is not one. left is how many bytes may
// still be unpacked, since the sizes in a ZIP may be false. The file is unpacked once to determine
// its size and whether it is intact, and then read line by line.
func readFile(f *zip.File, left *int64, room int) (*table, error) {
	base := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") ||
		strings.HasPrefix(f.Name, "__MACOSX/") {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, locked()
	}
	r, err := f.Open()
	if err != nil {
		return nil, broken(f, err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, *left+1))
	if n > *left {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, broken(f, err)
	}
	*left -= n
	again, err := f.Open()
	if err != nil {
		return nil, broken(f, err)
	}
	defer again.Close()
	text, err := decode(again)
	if err != nil || markup(text) != "" {
		return nil, nil // a picture or a page, not a table
	}
	t, err := readTable(linesOf(f.Open), true, room)
	if format := (*FormatError)(nil); err != nil && !errors.As(err, &format) {
		err = broken(f, err)
	}
	return t, err
}

func locked() error {
	return &FormatError{"this ZIP is locked with a password", "unpack it and give its Table.csv"}
}

func broken(f *zip.File, err error) error {
	return &FormatError{"this ZIP is damaged: " + f.Name + " cannot be unpacked (" + err.Error() +
		")", "download the export again"}
}

// tableFacts is the content of a table without addresses.
type tableFacts struct {
	reason   audit.Label
	property string
}

func (a *tableFacts) merge(b tableFacts) {
	a.reason, a.property = cmp.Or(a.reason, b.reason), cmp.Or(a.property, b.property)
}
