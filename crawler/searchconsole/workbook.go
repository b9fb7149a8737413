package searchconsole

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"
)

// A book is an .xlsx (ECMA-376), of which only the content of cells is read. We parse it ourselves,
// because libraries for workbooks allocate as much as a few kilobytes declare in rows, columns and
// strings. Here each unpacked byte is read once, and the bytes of all cells are limited in
// proportion.
type book struct {
	parts    map[string]*zip.File // by name, in lower case
	left     int64                // bytes that may still be unpacked
	text     int64                // bytes of all cells
	shared   map[int]string       // shared strings that cells refer to
	named    []uint64             // one bit for each of these
	names    int                  // number of these
	dates    []bool               // by style
	from1904 bool
	sheets   []string          // ids of the relationships, in order
	targets  map[string]string // worksheets by the id of their relationship
}

// maxText is how many bytes cells may have for each unpacked byte: a string that many cells share
// is stored once.
const maxText = 4

// lastRow and lastColumn are those of Excel's sheets.
const (
	lastRow    = 1 << 20
	lastColumn = 1 << 14
)

// readWorkbook reads an .xlsx: each sheet is a table, like each CSV in a ZIP.
func readWorkbook(archive *zip.Reader) ([]*table, error) {
	w := &book{parts: map[string]*zip.File{}, left: MaxSize, shared: map[int]string{},
		targets: map[string]string{}}
	for _, f := range archive.File {
		w.parts[strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))] = f
	}
	if err := w.about(); err != nil {
		return nil, unreadable(err)
	}
	var tables []*table
	room := maxRows
	for _, id := range w.sheets[:min(len(w.sheets), maxFiles)] {
		name, ok := w.targets[id]
		if !ok {
			continue // a chart
		}
		t, err := readTable(w.lines(name), true, room)
		if err != nil {
			return nil, unreadable(err)
		}
		room -= len(t.rows)
		tables = append(tables, t)
	}
	return tables, nil
}

// unreadable returns the FormatError for a workbook that cannot be read; err itself if it is one.
func unreadable(err error) error {
	var format *FormatError
	if errors.As(err, &format) {
		return err
	}
	return &FormatError{fmt.Sprintf("this workbook cannot be read (%v)", err),
		"choose \"Download CSV\" in Search Console, or save the sheet with the URLs as CSV"}
}

// about reads the parts beside the sheets: the list of sheets, strings and styles.
func (w *book) about() error {
	if err := w.walk("xl/workbook.xml", w.outline); err != nil {
		return err
	}
	if err := w.walk("xl/_rels/workbook.xml.rels", w.relation); err != nil {
		return err
	}
	if len(w.sheets) == 0 || len(w.targets) == 0 {
		return errors.New("it has no sheet")
	}
	if w.parts["xl/styles.xml"] != nil { // a workbook may have none
		if err := w.walk("xl/styles.xml", (&styles{w: w}).token); err != nil {
			return err
		}
	}
	for _, id := range w.sheets[:min(len(w.sheets), maxFiles)] {
		if name, ok := w.targets[id]; ok {
			s := sheet{w: w, naming: true}
			if err := w.walk(name, s.token); err != nil {
				return err
			}
		}
	}
	if w.parts["xl/sharedstrings.xml"] == nil {
		return nil
	}
	return w.walk("xl/sharedstrings.xml", (&sharedStrings{w: w}).token)
}

// lines returns a walk over the rows of a sheet. The bytes that it unpacks were counted before,
// when the strings were collected that its cells refer to.
func (w *book) lines(name string) walk {
	text := w.text
	return func(take func(line) bool) error {
		w.text = text
		s, left := sheet{w: w, take: take}, int64(MaxSize)
		if err := w.within(&left, name, s.token); err != errEnough {
			return err
		}
		return nil
	}
}

// errEnough ends a walk.
var errEnough = errors.New("enough was read")

// maxNamed is how many strings the cells of a workbook may refer to.
const maxNamed = 2 * maxRows

// name records that a cell refers to a string.
func (w *book) name(i int) error {
	if i < 0 || i > MaxSize/len("<si/>") {
		return nil // there is none
	}
	for i/64 >= len(w.named) {
		w.named = append(w.named, 0)
	}
	if bit := uint64(1) << (i % 64); w.named[i/64]&bit == 0 {
		w.named[i/64] |= bit
		if w.names++; w.names > maxNamed {
			return &FormatError{fmt.Sprintf("its cells say more than %d different texts", maxNamed),
				"save the sheet with the URLs as CSV, its other columns left out"}
		}
	}
	return nil
}

// isNamed reports whether a cell refers to a string.
func (w *book) isNamed(i int) bool {
	return i/64 < len(w.named) && w.named[i/64]&(1<<(i%64)) != 0
}

// walk calls take for the tokens of a part.
func (w *book) walk(name string, take func(xml.Token) error) error {
	return w.within(&w.left, name, take)
}

// within is walk; left is how many bytes may be unpacked.
func (w *book) within(left *int64, name string, take func(xml.Token) error) error {
	f := w.parts[strings.ToLower(name)]
	if f == nil {
		return errors.New(name + " is missing")
	}
	if f.Flags&1 != 0 {
		return locked()
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	b := &budget{r: r, left: left}
	d := xml.NewDecoder(b)
	d.CharsetReader = charset.NewReaderLabel
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		b.token = 0
		if err == nil {
			err = take(t)
		}
		if err != nil {
			return err
		}
	}
}

// budget is a reader that returns an error where left is used up, or where a single token takes too
// many bytes.
type budget struct {
	r     io.Reader
	left  *int64
	token int // bytes since the last token
}

// maxToken is how many bytes a tag, a text or a comment may have. A cell has at most 32,767
// characters.
const maxToken = 1 << 20

func (b *budget) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, tooLarge()
	}
	if b.token += n; b.token > maxToken {
		return 0, fmt.Errorf("a tag or a text in it has more than %d bytes", maxToken)
	}
	return n, err
}

func (w *book) outline(t xml.Token) error {
	e, ok := t.(xml.StartElement)
	switch {
	case ok && e.Name.Local == "sheet":
		w.sheets = append(w.sheets, value(e, "id"))
	case ok && e.Name.Local == "workbookPr":
		v := value(e, "date1904")
		w.from1904 = v == "1" || v == "true"
	}
	return nil
}

func (w *book) relation(t xml.Token) error {
	e, ok := t.(xml.StartElement)
	if !ok || e.Name.Local != "Relationship" || !strings.HasSuffix(value(e, "Type"), "/worksheet") {
		return nil
	}
	target := strings.ReplaceAll(value(e, "Target"), `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = "/xl/" + target
	}
	w.targets[value(e, "Id")] = path.Clean(target)[1:]
	return nil
}

// value returns the value of the last attribute with a local name: r:id comes after sheetId.
func value(e xml.StartElement, local string) (v string) {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			v = a.Value
		}
	}
	return v
}
