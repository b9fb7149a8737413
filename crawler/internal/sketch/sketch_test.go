package sketch_test

import (
	"fmt"
	"testing"

	"sitemend/crawler/internal/sketch"
)

// A set has all that was put into it, as many as it has room for, and nothing else.
func TestMembers(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000, 100_000} {
		m := sketch.NewMembers(n)
		for i := range n {
			m.Add(sketch.Hash(fmt.Sprint(i)))
		}
		for i := range 2 * n {
			if got := m.Has(sketch.Hash(fmt.Sprint(i))); got != (i < n) {
				t.Errorf("of %d: %d %v", n, i, got)
			}
		}
		if m := sketch.NewMembers(n); m.Has(1<<63) || m.Has(1) { // of 1<<63 the mark has no bit
			t.Errorf("of %d: an empty set has a hash", n)
		}
	}
}
