package searchconsole

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// A sheet passes the rows of a sheet on as lines, with tabs between their cells; where naming is
// set it only records which strings the cells refer to.
type sheet struct {
	w      *book
	take   func(line) bool
	naming bool
	row    int // number of the open row, from 1
	cells  []string
	cell   cell
	column int // of the open cell, from 0
	text   richText
	value  strings.Builder
	inV    bool
}

// A cell has the attributes of a cell's tag.
type cell struct{ kind, style string }

func (s *sheet) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.CharData:
		if s.inV {
			s.value.Write(t)
		}
		s.text.add(t)
	case xml.EndElement:
		switch t.Name.Local {
		case "v":
			s.inV = false
		case "c":
			if s.naming {
				return s.nameString()
			}
			s.endCell()
		case "row":
			if !s.naming {
				return s.endRow()
			}
		default:
			s.text.end(t.Name.Local)
		}
	}
	return nil
}

func (s *sheet) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		s.row++
		if n, err := strconv.Atoi(value(e, "r")); err == nil {
			s.row = n
		}
		if s.row < 1 || s.row > lastRow {
			return fmt.Errorf("a cell is in row %d; a sheet has %d", s.row, lastRow)
		}
		s.cells, s.column = s.cells[:0], -1
	case "c":
		s.column++
		if at := columnOf(value(e, "r")); at >= 0 {
			s.column = at
		}
		s.cell = cell{value(e, "t"), value(e, "s")}
		s.value.Reset()
		s.text.reset()
	case "v":
		s.inV = true
	default:
		s.text.start(e.Name.Local)
	}
	return nil
}

// columnOf returns the column of a cell reference ("AB12"), from 0; -1 for none.
func columnOf(name string) int {
	at := 0
	for i := 0; i < len(name); i++ {
		c := name[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			return at - 1
		}
		if at = at*26 + int(c-'A') + 1; at > lastColumn {
			return lastColumn
		}
	}
	return at - 1
}

// nameString records the string that the open cell refers to.
func (s *sheet) nameString() error {
	if s.cell.kind == "s" && s.column < countedColumns {
		if i, err := strconv.Atoi(strings.TrimSpace(s.value.String())); err == nil {
			return s.w.name(i)
		}
	}
	return nil
}

// endCell stores a cell in its column. It ignores cells beyond the columns that are counted.
func (s *sheet) endCell() {
	text := s.says()
	if text == "" || s.column >= countedColumns {
		return
	}
	for len(s.cells) <= s.column {
		s.cells = append(s.cells, "")
	}
	s.cells[s.column] = text
}

// says returns the text that the open cell shows.
func (s *sheet) says() string {
	v := s.value.String()
	switch s.cell.kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return s.w.shared[i]
		}
		return ""
	case "inlineStr":
		return s.text.String()
	case "", "n":
		if style, err := strconv.Atoi(s.cell.style); err == nil && style >= 0 && style < len(s.w.dates) && s.w.dates[style] {
			return s.w.date(v)
		}
	case "str":
		return unescape(v)
	}
	return v
}

// date converts a day that Excel stores as a number to the form 2026-11-21, and returns any other
// text unchanged.
func (w *book) date(v string) string {
	days, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || days < 1 || days > 2_958_465 { // 9999-12-31
		return v
	}
	day, err := excelize.ExcelDateToTime(days, w.from1904)
	if err != nil {
		return v
	}
	return day.Format(time.DateOnly)
}

var inOneLine = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ")

func (s *sheet) endRow() error {
	for i, c := range s.cells {
		if strings.ContainsAny(c, "\t\r\n") {
			s.cells[i] = inOneLine.Replace(c)
		}
		s.w.text += int64(len(c)) + 1
	}
	if read := MaxSize - s.w.left; s.w.text > maxText*read+1<<20 {
		return &FormatError{"its cells say far more than the file has bytes, which no export of Search Console does", howTo}
	}
	if text := strings.Join(s.cells, "\t"); says(text) && !s.take(line{s.row, text}) {
		return errEnough
	}
	return nil
}
