package links

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// merging merges the tallies that a counter hands on, by their addresses.
type merging map[string]*tally

func (m merging) Add(_, record string) error {
	s := spellings{tallies: m}
	return s.take(record)
}

func (m merging) Sorted() iter.Seq2[[2]string, error] { return nil }

// A counter that holds little gives the same counts as one that holds all.
func TestCounterLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wide, narrow := merging{}, merging{}
		counters := []*counter{{shelf: wide, most: 1000, tallies: map[uint64]*tally{}}, {shelf: narrow, most: 3, tallies: map[uint64]*tally{}}}
		for n := range rapid.IntRange(0, 60).Draw(t, "pages") {
			page := read{url: fmt.Sprint(n), hash: rapid.Uint64().Draw(t, "hash"), section: rapid.Uint16Range(0, 12).Draw(t, "section")}
			for _, to := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 10, rapid.ID).Draw(t, "targets") {
				l := Link{Target: fmt.Sprintf("https://a.example/%d", to), Form: rapid.Bool().Draw(t, "form")}
				nofollow := rapid.Bool().Draw(t, "nofollow")
				for _, c := range counters {
					if err := c.add(&page, &l, nofollow); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, c := range counters {
			if err := c.flush(); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.EqualFunc(wide, narrow, func(a, b *tally) bool {
			for _, t := range []*tally{a, b} {
				slices.SortFunc(t.Sections, func(x, y sectionCount) int { return int(x.Section) - int(y.Section) })
			}
			return reflect.DeepEqual(a, b)
		}) {
			t.Fatalf("%v\nbut without room\n%v", wide, narrow)
		}
	})
}
