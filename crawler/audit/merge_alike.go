package audit

import "sitemend/crawler/internal/sketch"

// list takes an entry into what tells files with the same entries, in the same order.
func (s *tally) list(e *Entry) {
	s.order = nextInOrder(nextInOrder(s.order, sketch.Hash(e.Loc)), e.Ext)
	if e.Langs != "" {
		s.order = nextInOrder(s.order, sketch.Hash(e.Langs))
	}
}

// matching finds, for each file, the one like which it is corrected: the first with the same entries, in
// the same order, that stays in the same group; itself where none does. Two files like that are
// likely one under two addresses (www and apex, "?v=2", packed or not): of two copies with different
// entries one would be uploaded over the other.
func (m *merging) matching() {
	type listing struct {
		order   uint64
		entries int
		group   string
		forgets bool
	}
	t, first := m.s.t, map[listing]int{}
	all := make([]listing, len(t.plans))
	for i := range t.plans {
		sm := &t.sitemaps[i]
		if !t.edits(i) || sm.Entries == 0 {
			continue
		}
		all[i] = listing{t.plans[i].order, sm.Entries, m.groups[i], sm.forgets()}
		if _, known := first[all[i]]; !known && t.plans[i].move == "" {
			first[all[i]] = i
		}
	}
	m.like = make([]int, len(all))
	for i := range all {
		m.like[i] = i
		if at, has := first[all[i]]; has && all[i].entries > 0 {
			m.like[i] = at
		}
	}
}

// copies reports whether a file is corrected as another one is. One that moves to where that stays is
// not: it is merged into it.
func (m *merging) copies(file int) bool {
	return m.like[file] != file && m.s.t.plans[file].move == ""
}

// copy decides the merges of a file as those of the one that it is like.
func (m *merging) copy(file int) {
	like, own := &m.s.t.sitemaps[m.like[file]], &m.s.t.sitemaps[file]
	m.sums[file] = m.sums[m.like[file]]
	for _, set := range []*sketch.Set{&m.merged, &m.joined, &m.lost, &m.unsure, &m.translated} {
		for n := range own.Entries {
			if set.Has(like.First + n) {
				set.Add(own.First + n)
			}
		}
	}
}
