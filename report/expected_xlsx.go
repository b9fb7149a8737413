package report

import (
	"strings"

	"sitemend/report/internal/conclude"
)

// maxExpectedRows is how many lines of a map a workbook lists: they wait in memory.
const maxExpectedRows = 20_000

// expected writes the sheet of old addresses, where the audit has a map.
func (b *workbook) expected() error {
	list := b.told.Expected
	if list == nil {
		return nil
	}
	s, err := b.newSheet(b.words.Text("sheet-expected"), "Expected", strings.Split(expectedColumns, ","))
	if err != nil {
		return err
	}
	all := list.Addresses+list.Forgotten <= maxExpectedRows
	for r, err := range b.told.ExpectedRows(b.ctx) {
		if err != nil {
			return err
		}
		if !all && !r.Forgotten && r.Met() {
			continue
		}
		if s.rows > maxExpectedRows {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		expectedCells(&c, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	return s.finish()
}

// also writes the sheet of the addresses that sitemaps name beside their entries.
func (b *workbook) also() error {
	x := conclude.AlsoOf(b.told)
	if x == nil {
		return nil
	}
	s, err := b.newSheet(b.words.Text("sheet-also"), "Also", strings.Split(alsoColumns, ","))
	if err != nil {
		return err
	}
	n := 0
	for i := range b.told.Also {
		n += b.told.Also[i].Counts.Entries
	}
	for r, err := range alsoRows(b.ctx, b.told) {
		if err != nil {
			return err
		}
		if n > maxExpectedRows && !conclude.AlsoOpen(r.Group()) {
			continue
		}
		if s.rows > maxExpectedRows {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		alsoCells(&c, b.words, b.told, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	return s.finish()
}
