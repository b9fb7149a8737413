package report

import (
	"strings"

	"sitemend/report/internal/conclude"
)

// listedRows is how many rows a sheet has that is not of entries: they wait in memory.
const listedRows = 20_000

// expected writes the sheet of old addresses, where the audit has a map.
func (b *workbook) expected() error {
	list := b.result.Expected
	if list == nil {
		return nil
	}
	s, err := b.newSheet(b.words.Text("sheet-expected"), "Expected", strings.Split(expectedColumns, ","))
	if err != nil {
		return err
	}
	all := list.Addresses+list.Forgotten <= b.maxListed
	for r, err := range b.result.ExpectedRows(b.ctx) {
		if err != nil {
			return err
		}
		if !all && !r.Forgotten && r.Met() {
			continue
		}
		if s.rows > b.maxListed {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		expectedCells(&c, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	return b.finishPart(s, "sheet-unmet", list.Addresses+list.Forgotten, expectedName)
}

// also writes the sheet of the addresses that sitemaps name beside their entries.
func (b *workbook) also() error {
	x := conclude.AlsoOf(b.result)
	if x == nil {
		return nil
	}
	s, err := b.newSheet(b.words.Text("sheet-also"), "Also", strings.Split(alsoColumns, ","))
	if err != nil {
		return err
	}
	n := 0
	for i := range b.result.Also {
		n += b.result.Also[i].Counts.Entries
	}
	for r, err := range alsoRows(b.ctx, b.result) {
		if err != nil {
			return err
		}
		if n > b.maxListed && !conclude.AlsoOpen(r.Group()) {
			continue
		}
		if s.rows > b.maxListed {
			break
		}
		c := xlsxLine{cells: make([]any, 0, s.width), date: b.date}
		alsoCells(&c, b.words, b.result, &r)
		if err := s.row(c.cells); err != nil {
			return err
		}
	}
	return b.finishPart(s, "sheet-open", n, alsoName)
}
