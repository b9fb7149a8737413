package html

import (
	"fmt"
	"slices"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
)

// Every cause has a group in the order of the conclusion, as long as there is room; those
// beyond share one of their lane, and their links lead to it.
func TestCausesHaveGroups(t *testing.T) {
	for _, sizes := range [][4]int{{0, 0, 0, 0}, {1, 2, 1, 3}, {250, 3, 0, 1}, {3, 250, 2, 2}, {200, 0, 0, 0}} {
		result := &audit.Result{}
		for i, g := range []audit.Group{audit.Corrected, audit.NeedsDecision, audit.OtherSpelling, audit.NotChecked} {
			for k := range sizes[i] {
				result.Causes = append(result.Causes, audit.Cause{Key: fmt.Sprint(g, k), Group: g, Verdict: audit.Moved, Count: 1000 - k})
			}
		}
		c := conclude.Of(result, conclude.Options{})
		g := newEntryGroups(result, c)
		var lanes []audit.Lane
		own := 0
		for _, x := range g.list {
			if len(lanes) == 0 || lanes[len(lanes)-1] != x.Lane {
				lanes = append(lanes, x.Lane)
			}
			own++
		}
		if own -= len(lanes); own != min(len(result.Causes), maxGroups) { // each lane has a rest
			t.Errorf("%v: %d causes have a group", sizes, own)
		}
		if want := slices.Concat(audit.Lanes(), quietLanes); !slices.Equal(lanes, want) {
			t.Errorf("%v: the lanes are %v, want %v", sizes, lanes, want)
		}
		for _, l := range c.Lanes {
			for _, x := range l.Causes {
				at := g.causes[x.Index]
				if folded, ok := g.folded[x.ID]; g.list[at].Lane != l.Lane || g.list[at].ID != x.ID && (!ok || folded != at || at != g.rest[l.Lane]) {
					t.Errorf("%v: cause %s is in group %s", sizes, x.ID, g.list[at].ID)
				}
			}
		}
	}
}
