package report

import (
	"testing"

	"pgregory.net/rapid"
)

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
