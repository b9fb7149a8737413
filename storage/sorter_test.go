package storage

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A Sorter yields the added records, sorted, any number of times, whether or not they fit in
// memory; and leaves no file behind.
func TestSorterSorts(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	rapid.Check(t, func(rt *rapid.T) {
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) [2]string {
			return [2]string{rapid.StringMatching(`(0123456)?[a-c]{0,3}`).Draw(t, "key"), rapid.StringMatching(`[x-z]{0,2}`).Draw(t, "value")}
		})).Draw(rt, "pairs")
		s := new(Sorter)
		for _, p := range pairs {
			mustDo(t, s.Add(p[0], p[1]))
			if rapid.IntRange(0, 3).Draw(rt, "spill") == 0 {
				mustDo(t, s.spill())
			}
		}
		slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		for range 2 {
			var got [][2]string
			for r, err := range s.Sorted() {
				mustDo(t, err)
				got = append(got, r)
			}
			if !slices.Equal(got, pairs) {
				rt.Fatalf("got %q, want %q", got, pairs)
			}
		}
		mustDo(t, s.Close())
		mustDo(t, s.Close())
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			rt.Fatalf("%s is left", left[0].Name())
		}
	})
}

// A truncated file is an error, never a shorter list.
func TestSorterCutOff(t *testing.T) {
	s := new(Sorter)
	defer s.Close()
	for i := range 100 {
		mustDo(t, s.Add(fmt.Sprint(i), "value"))
	}
	mustDo(t, s.spill())
	mustDo(t, s.file.Truncate(s.size/2))
	var last error
	for _, err := range s.Sorted() {
		last = err
	}
	if last == nil {
		t.Fatal("a file that was cut off was read to its end")
	}
}
