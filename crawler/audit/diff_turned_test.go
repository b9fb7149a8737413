package audit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// changesOf compares, and returns the changes by address.
func changesOf(t rapid.TB, old, new audit.Snapshot) (*audit.Diff, map[string]audit.Change) {
	t.Helper()
	d, err := audit.Compare(context.Background(), old, new, newShelf)
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]audit.Change{}
	for c, err := range d.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		changes[c.Address] = c
	}
	return d, changes
}

// Whatever sitemaps two audits could not read, or were not to, and whatever became of the site: what is
// said of an address turned round is the same turned round, but that a correction of the one audit
// that the other has is one change with what stands in its place, which has no turned form, and that
// what leaves with much else is no repair. So it is of faults where nothing is replaced.
func TestTurnedRoundLaw(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		all, w := drawMapWeb(t, outer)
		_, later := drawMapWeb(t, outer)
		all = append(all, "http://a.example/new")
		maps := drawMaps(t, all)
		old, result := readMaps(w, maps, drawReadAs(t, maps), rapid.Bool().Draw(t, "earlier")).seen(t)
		maps = slices.Clone(maps)
		for i := range maps {
			if !maps[i].index && rapid.Bool().Draw(t, "other entries") {
				maps[i].locs = rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(t, "entries")
			}
		}
		reading := readMaps(later, maps, drawReadAs(t, maps), rapid.Bool().Draw(t, "before"))
		if rapid.Bool().Draw(t, "of one target") {
			reading = readTarget(later, maps, rapid.IntRange(0, len(maps)-1).Draw(t, "target"))
		}
		new, newResult := reading.seen(t)
		d, there := changesOf(t, old, new)
		mirror, back := changesOf(t, new, old)
		corrected := func(c audit.Change) bool { return c.Effect == audit.Applied || c.Effect == audit.Written }
		for _, x := range []struct {
			a, b map[string]audit.Change
		}{{there, back}, {back, there}} {
			for address, c := range x.a {
				m, is := x.b[address]
				switch {
				case !is:
					t.Fatalf("%s; turned round as before", sayChange(c))
				case (c.Effect == audit.NotCompared) != (m.Effect == audit.NotCompared):
					t.Fatalf("%s; turned round %s", sayChange(c), sayChange(m))
				case fellOut(d, &c) || fellOut(mirror, &m) || fellOut(mirror, &c) || fellOut(d, &m):
				case !corrected(c) && !corrected(m) && sayChange(turned(c)) != sayChange(m):
					t.Fatalf("%s; turned round %s", sayChange(c), sayChange(m))
				}
			}
		}
		for _, seen := range []audit.Snapshot{old, new} {
			for s := range seen.Sights() {
				if s.Written != "" {
					return
				}
			}
		}
		if err := d.CompareFaults(context.Background(), result, newResult); err != nil {
			t.Fatal(err)
		}
		if err := mirror.CompareFaults(context.Background(), newResult, result); err != nil {
			t.Fatal(err)
		}
		if said, round := sayFaults(d, false), sayFaults(mirror, true); said != round {
			t.Fatalf("%s; turned round %s", said, round)
		}
	})
}

// sayFaults says what became of the faults, or of those of a comparison that is turned round.
func sayFaults(d *audit.Diff, round bool) string {
	var said []string
	for _, x := range d.Faults {
		mended, added := x.Mended, x.New
		if round {
			mended, added = added, mended
		}
		said = append(said, fmt.Sprint(x.Name, mended, added, x.Remain, x.NotCompared))
	}
	slices.Sort(said)
	return fmt.Sprint(said)
}

// Whatever two audits were to read, and could: where each address has one sitemap that lists it, if
// any does, what is said to have joined the sitemaps was in none of the site then, and what is said
// to have left them is in none now.
func TestJoinedAndLeftLaw(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		all, w := drawMapWeb(t, outer)
		maps := drawMaps(t, all)
		for i := range maps {
			maps[i].locs = nil
		}
		home := map[string]int{}
		for _, at := range all {
			home[at] = rapid.IntRange(0, len(maps)-1).Draw(t, "home of "+at)
		}
		var listed [2]map[string]bool
		var seen [2]audit.Snapshot
		for side := range listed {
			listed[side] = map[string]bool{}
			now := slices.Clone(maps)
			for _, at := range all {
				if m := &now[home[at]]; !m.index && rapid.Bool().Draw(t, "listed") {
					m.locs, listed[side][at] = append(slices.Clip(m.locs), at), true
				}
			}
			if target := rapid.IntRange(-2, len(maps)-1).Draw(t, "target"); target >= 0 {
				seen[side], _ = readTarget(w, now, target).seen(t)
			} else {
				seen[side], _ = readMaps(w, now, drawReadAs(t, now), false).seen(t)
			}
		}
		_, changes := changesOf(t, seen[0], seen[1])
		for at, c := range changes {
			for kind, side := range map[audit.ChangeKind]int{audit.NewlyListed: 0, audit.NoLongerListed: 1} {
				if slices.Contains(c.Kinds, kind) && listed[side][at] {
					t.Fatalf("%s", sayChange(c))
				}
			}
		}
	})
}
