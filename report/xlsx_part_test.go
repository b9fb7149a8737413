package report

import (
	"fmt"
	"iter"
	"testing"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
)

// A sheet that does not have all rows says so below them, and where they are; one that has them
// says nothing.
func TestSheetsThatAreCut(t *testing.T) {
	t.Parallel()
	rows := func(n int) *audit.Result {
		result := *shop()
		var targets []string
		for i := range n {
			targets = append(targets, fmt.Sprint("http://shop.example/", i))
		}
		result.Linked = linkedTo(targets) // of three kinds
		sum := audit.AlsoSum{List: audit.AlsoAlternates, Counts: audit.Counts{Entries: 3 * n}}
		return result.WithAlso([]audit.AlsoSum{sum}, func(int) iter.Seq2[audit.Row, error] {
			return func(yield func(audit.Row, error) bool) {
				for i := range 3 * n {
					r := audit.Row{Entry: audit.Entry{Loc: fmt.Sprint("http://shop.example/", i), Also: &audit.Also{List: audit.AlsoAlternates, Of: 1}}, Verdict: audit.NotFound}
					if i < 5 {
						r.Verdict = audit.OK
					}
					if !yield(r, nil) {
						return
					}
				}
			}
		})
	}
	for n, want := range map[int][2]string{
		6:  {"", ""},
		10: {"This sheet has the first 20 addresses that are not clean, of 30 in all; also.csv has every one.", "This sheet has the first 20 addresses of 30 in all; links.csv has every one."},
	} {
		book := bookOf(t, rows(n), func(b *workbook) { b.maxListed = 20 })
		for i, sheet := range []string{"Also named", "Links"} {
			lines, err := book.GetRows(sheet)
			if err != nil {
				t.Fatal(err)
			}
			tables, err := book.GetTables(sheet)
			if err != nil || len(tables) != 1 {
				t.Fatal(tables, err)
			}
			_, last, err := excelize.SplitCellName(tables[0].Range[len("A1:"):])
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			if len(lines) > last {
				said = lines[len(lines)-1][0]
			}
			if said != want[i] || want[i] != "" && (last != 21 || len(lines) != last+2) {
				t.Errorf("%s of %d addresses: %d rows, the table ends with %d; below it stands %q", sheet, 3*n, len(lines), last, said)
			}
		}
	}
}
