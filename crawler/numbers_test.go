package crawler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever was added and removed, the stretches contain the set, in order, and skip what is far
// from it.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 400).Draw(t, "n")
		s, want := noNumbers(n), map[int]bool{}
		if rapid.Bool().Draw(t, "all") {
			s = allNumbers(n)
			for i := range n {
				want[i] = true
			}
		}
		if n > 0 {
			for _, i := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "flip") {
				if want[i] = !want[i]; want[i] {
					s.add(i)
				} else {
					s.remove(i)
				}
			}
		}
		read, last := map[int]bool{}, -1
		for r := range s.stretches() {
			if r.from <= last || !want[r.from] || !want[r.to-1] {
				t.Fatalf("stretch %v after %d", r, last)
			}
			if last >= 0 && r.from-last-1 <= readOn {
				t.Fatalf("a seek from %d to %d", last, r.from)
			}
			for i := r.from; i < r.to; i++ {
				read[i] = true
			}
			last = r.to - 1
		}
		for i := range n {
			if s.has(i) != want[i] || want[i] && !read[i] {
				t.Fatalf("%d: has %v, want %v, read %v", i, s.has(i), want[i], read[i])
			}
		}
		if last >= n {
			t.Fatalf("read to %d of %d", last, n)
		}
	})
}

func TestNumbersOfNone(t *testing.T) {
	if got := slices.Collect(allNumbers(0).stretches()); got != nil {
		t.Errorf("got %v", got)
	}
}
