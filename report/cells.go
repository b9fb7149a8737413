package report

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// bom lets Excel read a CSV file as UTF-8.
const bom = "\uFEFF"

// A line takes the cells of one row, from left to right, whatever the file.
type line interface {
	// text adds a text that a spreadsheet must not calculate; "" is empty.
	text(s string)
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
// which Excel takes for them), also behind what nobody sees, with a tab or CR, the cell
// gets a leading '. Control
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
	shown := visible(s)
	if calculates(shown) || strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\r") {
		return "'" + shown
	}
	return shown
}

// calculates reports whether a spreadsheet may take a cell with s for a formula (OWASP,
// "CSV Injection"). Some trim white space before they look, some a byte order mark or
// what has no width, and a person who edits the cell sees none of these.
func calculates(s string) bool {
	if strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "\r") {
		return true
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unseen))
	switch r {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		return true
	}
	return false
}

// unseen reports whether nothing is shown for r: white space, format characters such as
// U+FEFF and U+200B, and what else Unicode lets programs ignore.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
