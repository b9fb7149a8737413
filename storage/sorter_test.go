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
	rapid.Check(t, func(rt *rapid.T) {
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) [2]string {
			return [2]string{rapid.StringMatching(`(0123456)?[a-c]{0,3}`).Draw(t, "key"), rapid.StringMatching(`[x-z]{0,2}`).Draw(t, "value")}
		})).Draw(rt, "pairs")
		s := NewSorter(dir)
		for _, p := range pairs {
			if rapid.Bool().Draw(rt, "text") {
				mustDo(t, s.AddText(p[0], p[1]))
			} else {
				mustDo(t, s.Add(p[0], []byte(p[1])))
			}
			if rapid.IntRange(0, 3).Draw(rt, "spill") == 0 {
				mustDo(t, s.spill())
			}
		}
		slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		for range 2 {
			var got [][2]string
			for r, err := range s.Records() {
				mustDo(t, err)
				got = append(got, [2]string{string(r.Key), string(r.Value)})
			}
			var texts [][2]string
			for r, err := range s.Texts() {
				mustDo(t, err)
				texts = append(texts, r)
			}
			if !slices.Equal(got, pairs) || !slices.Equal(texts, pairs) {
				rt.Fatalf("got %q, and %q as texts, want %q", got, texts, pairs)
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
	s := NewSorter(t.TempDir())
	defer s.Close()
	for i := range 100 {
		mustDo(t, s.Add(fmt.Sprint(i), []byte("value")))
	}
	mustDo(t, s.spill())
	mustDo(t, s.file.Truncate(s.size/2))
	var last error
	for _, err := range s.Records() {
		last = err
	}
	if last == nil {
		t.Fatal("a file that was cut off was read to its end")
	}
}
