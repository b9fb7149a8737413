package links

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// A small table gives the same counts as a large one, once the tallies that it handed on are
// merged.
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
		a.places == b.places && a.apart == b.apart && a.sample == b.sample && slices.Equal(a.sections, b.sections)
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
	if sets := len(x.tallies) / ways; sets != 1<<8 || spilled < 100_000-ways<<8 {
		t.Errorf("%d sets, %d handed on", sets, spilled)
	}
}

// However many sections the linking pages belong to, a table holds few of them, and the counts stay
// the same.
func TestTableHoldsFewSections(t *testing.T) {
	const addresses, sections = 2000, 1000
	added := make(map[uint64]int, addresses)
	x := newTable(tableSets, func(t *tally) error {
		for _, s := range t.sections {
			added[t.wire] += int(s.n)
		}
		return nil
	})
	held := 0
	for n := range sections {
		page := read{hash: uint64(n + 1), n: uint32(n), section: uint16(n)}
		for to := range addresses {
			if _, err := x.add(&page, &Link{Target: fmt.Sprintf("https://a.example/%d", to)}); err != nil {
				t.Fatal(err)
			}
		}
		sum := 0
		for i := range x.tallies {
			sum += len(x.tallies[i].sections)
		}
		if sum != x.in {
			t.Fatalf("%d sections are held, %d counted", sum, x.in)
		}
		held = max(held, sum)
	}
	// At mostSections, tallies of fewer than leastSections still get new ones.
	if held > mostSections+addresses*leastSections || held < mostSections/2 {
		t.Errorf("%d sections are held", held)
	}
	if err := x.flush(); err != nil {
		t.Fatal(err)
	}
	for wire, n := range added {
		if n != sections {
			t.Fatalf("%d of %d pages link to %x", n, sections, wire)
		}
	}
	if len(added) != addresses {
		t.Errorf("%d addresses", len(added))
	}
}

// Of an address with very many spellings only few are held, and of each of these everything is
// known: whether it is listed, and will be. A link to one of the other spellings still counts as a
// link to the address.
func TestSpellingsAreBounded(t *testing.T) {
	for name, c := range map[string]struct{ entries, written, texts int }{
		"listed":  {10_000, 0, 6_000},
		"written": {0, 10_000, 6_000},
		"linked":  {3_000, 3_000, 10_000},
	} {
		s := newSpellings()
		take := func(record []byte) {
			t.Helper()
			if err := s.take(string(record)); err != nil {
				t.Fatal(err)
			}
		}
		for n := range uint64(c.entries) {
			e := entryRecord{fine: true, verdict: audit.OK}
			take(e.append(number([]byte{ofEntry}, n+1)))
		}
		for n := range uint64(c.written) {
			take(number([]byte{ofWritten}, n+1))
		}
		for n := range uint64(c.texts) {
			take(append(number([]byte{ofText}, n+1), "https://a.example/"...))
		}
		for n := range uint64(c.texts) {
			x := tally{wire: n + 1, nofollow: 1}
			if n+1 == uint64(c.texts) {
				x.pages = 1
			}
			take(x.append(nil))
		}
		if most := max(len(s.entries), len(s.written), len(s.texts), len(s.tallies)); most > maxSpellings {
			t.Errorf("%s: %d spellings are held", name, most)
		}
		for wire := range s.tallies {
			if _, known := s.entries[wire]; !known && wire <= uint64(c.entries) || !s.written[wire] && wire <= uint64(c.written) {
				t.Fatalf("%s: nobody knows that %d is listed", name, wire)
			}
		}
		if len(s.tallies) < maxSpellings-1 || !s.linked {
			t.Errorf("%s: %d spellings are linked, by links to follow: %v", name, len(s.tallies), s.linked)
		}
	}
}
