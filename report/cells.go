package report

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// bom lets Excel read a CSV file as UTF-8.
const bom = "\uFEFF"

// A line takes the cells of one row, from left to right, whatever the file.
type line interface {
	// text adds a text that a spreadsheet must not calculate; "" is empty.
	text(s string)
	number(n int)
	// numberOr adds n, or an empty cell where it is not known.
	numberOr(n int, known bool)
	// time adds a moment in UTC, to the second; the zero time is empty.
	time(t time.Time)
}

// cells is one line of a CSV file (RFC 4180) while it is built. A spreadsheet
// must not calculate with a cell, nor a line end in one break the line.
type cells struct {
	b     []byte
	begun bool
}

func (c *cells) next() {
	if c.begun {
		c.b = append(c.b, ',')
	}
	c.begun = true
}

// text adds a cell. Where s begins with = + - @ (or their full-width forms,
// which Excel takes for them), a tab or CR, the cell gets a leading '. Control
// characters are written out, so a cell never holds a line end.
func (c *cells) text(s string) {
	c.next()
	shown := harmless(s)
	if strings.IndexByte(shown, ',') < 0 && strings.IndexByte(shown, '"') < 0 && !strings.HasPrefix(shown, " ") {
		c.b = append(c.b, shown...)
		return
	}
	c.b = append(c.b, '"')
	c.b = append(c.b, strings.ReplaceAll(shown, `"`, `""`)...)
	c.b = append(c.b, '"')
}

// number adds a cell with n.
func (c *cells) number(n int) {
	c.next()
	c.b = strconv.AppendInt(c.b, int64(n), 10)
}

// numberOr adds a cell with n, empty where known is false.
func (c *cells) numberOr(n int, known bool) {
	if known {
		c.number(n)
		return
	}
	c.next()
}

// time adds a cell with t as RFC 3339.
func (c *cells) time(t time.Time) { c.text(when(t)) }

// end ends the line with CRLF.
func (c *cells) end() []byte { return append(c.b, '\r', '\n') }

// harmless returns s as a spreadsheet shows it: control characters written out,
// and a leading ' where it could be taken for a formula.
func harmless(s string) string {
	if calculates(s) {
		return "'" + visible(s)
	}
	return visible(s)
}

// calculates tells whether a spreadsheet may take a cell that begins like s for
// a formula (OWASP, "CSV Injection").
func calculates(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch r {
	case '=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠':
		return true
	}
	return false
}
