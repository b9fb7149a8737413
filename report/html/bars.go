package html

import (
	"fmt"

	"sitemend/crawler/audit"
)

// Kinds of a part of a bar, of a lane and of an action: the colour that they have.
const (
	kindClean  = "clean"
	kindFix    = "fix"
	kindDecide = "decide"
	kindUnseen = "unseen"
)

// kinds are the kinds in the order in which they stand in a bar.
var kinds = []string{kindClean, kindFix, kindDecide, kindUnseen}

// kindOf is the kind of the rows of a group that are not clean; "" for those that are, and
// for what was left out.
func kindOf(g audit.Group) string {
	switch g {
	case audit.Corrected, audit.TakenOut:
		return kindFix
	case audit.NeedsDecision:
		return kindDecide
	case audit.NotChecked:
		return kindUnseen
	}
	return ""
}

// A barPart is a segment of a bar: where it begins and how wide it is, in percent of the
// whole.
type barPart struct {
	Kind string
	X, W string
	At   int  // X in whole percent, at most 99
	Gap  bool // a gap stands before it
}

// leastPart is the least width of a segment, in percent: two pixels of the narrowest bar.
const leastPart = 0.4

// barParts lays out counts, each of the kind in names, on a bar that holds whole; what is
// 0 has no part. What small parts are drawn wider than they are, the widest one gives.
func barParts(counts []int, names []string, whole int) (out []barPart) {
	if whole <= 0 {
		return nil
	}
	widths, widest, excess := make([]float64, len(counts)), 0, 0.0
	for i, n := range counts {
		if n <= 0 {
			continue
		}
		w := float64(n) * 100 / float64(whole)
		widths[i] = max(w, leastPart)
		excess += widths[i] - w
		if widths[i] > widths[widest] {
			widest = i
		}
	}
	widths[widest] = max(widths[widest]-excess, leastPart)
	x := 0.0
	for i, w := range widths {
		if w > 0 && counts[i] > 0 {
			part := barPart{names[i], percentOf(x), percentOf(w), min(int(x), 99), x > 0}
			out = append(out, part)
			x += w
		}
	}
	return out
}

func percentOf(x float64) string { return fmt.Sprintf("%.3f%%", x) }

// kindParts lays out counts by kind on a bar whose longest one holds most.
func kindParts(counts map[string]int, most int) []barPart {
	list := make([]int, len(kinds))
	for i, k := range kinds {
		list[i] = counts[k]
	}
	return barParts(list, kinds, most)
}
