package html

import (
	"slices"
	"testing"

	"sitemend/crawler/audit"
)

// The page tells the causes in the order of the audit, lane by lane, each once; however
// many there are, some that need a person stand open, and some that do not.
func TestLanesKeepTheOrder(t *testing.T) {
	groups := map[audit.Lane]audit.Group{audit.Decide: audit.NeedsDecision, audit.Upload: audit.Corrected, audit.Spelling: audit.OtherSpelling, audit.Unseen: audit.NotChecked}
	for _, sizes := range [][4]int{{0, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 20, 0, 0}, {20, 0, 0, 3}, {20, 20, 0, 20}, {20, 3, 20, 0}, {1, 20, 0, 1}, {2, 2, 0, 2}} {
		told := &audit.Result{}
		for i, l := range audit.Lanes() {
			told.Causes = append(told.Causes, slices.Repeat([]audit.Cause{{Group: groups[l], Count: 1}}, sizes[i])...)
		}
		var order []int
		open := 0
		for _, l := range lanes(told) {
			open += len(l.Causes)
			for _, v := range slices.Concat(l.Causes, l.More) {
				order = append(order, v.N)
			}
			if len(l.Causes)+len(l.More) == 0 {
				t.Errorf("%v: a lane without a cause", sizes)
			}
		}
		if len(order) != len(told.Causes) || !slices.IsSorted(order) || len(slices.Compact(order)) != len(told.Causes) {
			t.Errorf("%v: told in the order %v", sizes, order)
		}
		if want := min(firstCauses, len(told.Causes)); open != want {
			t.Errorf("%v: %d stand open, want %d", sizes, open, want)
		}
	}
}
