package report

import "testing"

// A sheet that does not have all rows says so below them, and where they are; one that has them
// says nothing.
func TestSheetsThatAreCut(t *testing.T) {
	for n, want := range map[int]string{6: "", 10: "This sheet has the first 20 rows; links.csv has every one."} {
		result := *shop()
		result.Linked = linkedTo(make([]string, n)) // of three kinds
		book := bookOf(t, &result, func(b *workbook) { b.maxListed = 20 })
		lines, err := book.GetRows("links")
		if err != nil {
			t.Fatal(err)
		}
		if said := lines[len(lines)-1][0]; said != want {
			t.Errorf("below %d rows stands %q, want %q", 3*n, said, want)
		}
	}
}
