package sketch_test

import (
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/internal/sketch"
)

// Clusters contain every number of the set in the range, begin and end with one, have no gap that
// is too large, and are at least that far apart.
func TestClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.IntRange(0, 99)).Draw(t, "numbers")
		from, to := rapid.IntRange(0, 99).Draw(t, "from"), rapid.IntRange(0, 120).Draw(t, "to")
		gap := rapid.IntRange(1, 10).Draw(t, "gap")
		var s sketch.Set
		for _, n := range numbers {
			s.Add(n)
		}
		in, last := map[int]bool{}, -gap
		for start, end := range s.Clusters(from, to, gap) {
			if start < from || end > to || !s.Has(start) || !s.Has(end-1) || start-last < gap {
				t.Errorf("%d to %d, behind %d", start, end, last)
			}
			missing := 0
			for n := start; n < end; n++ {
				if in[n] = true; s.Has(n) {
					missing = 0
				} else if missing++; missing >= gap {
					t.Errorf("%d to %d has a gap of %d", start, end, missing)
				}
			}
			last = end
		}
		for _, n := range numbers {
			if in[n] != (from <= n && n < to) {
				t.Errorf("%d: %v", n, in[n])
			}
		}
	})
}
