package links

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// A table without room says the same as one with room for all, once what it handed on is merged.
func TestTableLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wide, narrow := map[uint64]*tally{}, map[uint64]*tally{}
		gather := func(into map[uint64]*tally) func(*tally) error {
			return func(x *tally) error {
				scanned, err := scanTally(string(x.append(nil)[headSize:]))
				if err != nil {
					t.Fatal(err)
				}
				scanned.wire, scanned.spelling = x.wire, x.spelling
				if had := into[x.wire]; had != nil {
					had.merge(&scanned)
				} else {
					into[x.wire] = &scanned
				}
				return nil
			}
		}
		tables := []*table{newTable(tableSets, gather(wide)), newTable(1, gather(narrow))}
		for n := range rapid.IntRange(0, 60).Draw(t, "pages") {
			page := read{hash: rapid.Uint64Min(1).Draw(t, "hash"), n: uint32(n), section: rapid.Uint16Range(0, 3).Draw(t, "section")}
			for _, to := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 10, rapid.ID).Draw(t, "targets") {
				l := Link{Target: fmt.Sprintf("https://a.example/%d", to), Places: audit.InNav.Set() << rapid.IntRange(0, 5).Draw(t, "place"),
					Nofollow: rapid.Bool().Draw(t, "nofollow"), Form: rapid.Bool().Draw(t, "form")}
				for _, table := range tables {
					if _, err := table.add(&page, &l); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, table := range tables {
			if err := table.flush(); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.EqualFunc(wide, narrow, sameTally) {
			t.Fatalf("%v\nbut without room\n%v", wide, narrow)
		}
	})
}

func sameTally(a, b *tally) bool {
	for _, t := range []*tally{a, b} {
		slices.SortFunc(t.sections, func(x, y sectionCount) int { return int(x.section) - int(y.section) })
	}
	return a.spelling == b.spelling && a.pages == b.pages && a.forms == b.forms && a.nofollow == b.nofollow &&
		a.places == b.places && a.sample == b.sample && slices.Equal(a.sections, b.sections)
}

// A table grows up to its bound, and no further, however many addresses come.
func TestTableIsBounded(t *testing.T) {
	spilled := 0
	x := newTable(1<<8, func(*tally) error { spilled++; return nil })
	page := read{hash: 1}
	for n := range 100_000 {
		if _, err := x.add(&page, &Link{Target: fmt.Sprintf("https://a.example/%d", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(x.sets) != 1<<8 || spilled < 100_000-ways<<8 {
		t.Errorf("%d sets, %d handed on", len(x.sets), spilled)
	}
}
