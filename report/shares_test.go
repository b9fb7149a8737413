package report

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		counts map[string]int
		most   int
		want   map[string]int
	}{
		{map[string]int{"a": 3, "b": 4}, 10, map[string]int{"a": 3, "b": 4}},
		{map[string]int{"a": 1000, "b": 3, "c": 2}, 20, map[string]int{"a": 15, "b": 3, "c": 2}},
		{map[string]int{"a": 1000, "b": 1000, "c": 2}, 20, map[string]int{"a": 9, "b": 9, "c": 2}},
		{map[string]int{"a": 1000, "b": 1000, "c": 1000}, 20, map[string]int{"a": 6, "b": 6, "c": 6}},
		{nil, 20, map[string]int{}},
	} {
		if got := shares(c.counts, c.most); !maps.Equal(got, c.want) {
			t.Errorf("%v of %d: got %v, want %v", c.counts, c.most, got, c.want)
		}
	}
}

// No group gets more than it has, all together not more than there is room for,
// and a group is only cut where no other has more.
func TestSharesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.MapOf(rapid.IntRange(0, 50), rapid.IntRange(0, 1000)).Draw(t, "counts")
		most := rapid.IntRange(0, 2000).Draw(t, "most")
		sum, all, largest := 0, 0, 0
		got := shares(counts, most)
		for k, n := range got {
			sum, all, largest = sum+n, all+counts[k], max(largest, n)
			if n > counts[k] {
				t.Fatalf("%d of %d", n, counts[k])
			}
		}
		for k, n := range got {
			if n < counts[k] && n < largest {
				t.Fatalf("a group of %d was cut to %d while another got %d", counts[k], n, largest)
			}
		}
		if sum > most || sum < min(all, most-len(counts)) {
			t.Fatalf("%d given of %d, there are %d", sum, most, all)
		}
	})
}
