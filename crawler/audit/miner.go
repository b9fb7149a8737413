package audit

import (
	"slices"

	"sitemend/crawler/pattern"
)

const (
	// maxForms bounds the rules and places that are told apart.
	maxForms = 100
	// maxWaiting bounds the pairs that wait for others like them.
	maxWaiting = 1 << 13
)

// A miner puts pairs of one kind K together by what they have in common: the most specific form that
// enough of them have. It sees each pair once, with what V is to know of it. Pairs wait until there
// are enough of them; up to maxWaiting their order changes nothing. The zero miner with See is ready.
type miner[K comparable, S, V any] struct {
	// See is called once for each pair, with its group.
	See     func(g *mined[K, S], p *pattern.Pair, v V)
	Groups  []*mined[K, S] // as they were found
	byKey   map[key[K]]*mined[K, S]
	waiting []waiting[K, V]
	forms   int
}

// A mined group is pairs of a kind that have a form in common: Form, or what its caller knows where Given
// is set; none where neither is.
type mined[K comparable, S any] struct {
	Kind   K
	Given  bool
	Form   pattern.Form
	Number int // in miner.Groups
	Sum    S   // the caller's
}

type key[K comparable] struct {
	kind K
	form uint64
}

// A waiting is a pair that waits for others with a form of its own.
type waiting[K comparable, V any] struct {
	kind  K
	pair  pattern.Pair
	v     V
	ids   pattern.IDs
	least int // how many pairs make its first rule
}

func (w *waiting[K, V]) at(level int) key[K] { return key[K]{w.kind, w.ids[level]} }

// Add adds a pair. given is the number of a form that the caller knows, 0 for none. A pair without
// addresses has nothing in common with others but its kind.
func (m *miner[K, S, V]) Add(kind K, given uint64, p pattern.Pair, v V) {
	w := waiting[K, V]{kind: kind, pair: p, v: v}
	switch {
	case given != 0:
	case p.From.IsZero():
		m.put(m.group(&w, pattern.Levels), &w)
		return
	case !p.To.IsZero():
		rule, id := p.First()
		if g := m.byKey[key[K]{kind, id}]; g != nil {
			g.Form.Rule.Widen(&rule)
			m.put(g, &w)
			return
		}
	}
	w.ids, w.least = p.IDs()
	w.ids[pattern.LevelGiven] = given
	w.pair.Reasons = slices.Clone(p.Reasons)
	if m.waiting = append(m.waiting, w); len(m.waiting) == maxWaiting {
		m.Settle()
	}
}

func (m *miner[K, S, V]) put(g *mined[K, S], w *waiting[K, V]) { m.See(g, &w.pair, w.v) }

// group is that of a pair's form of a level; pattern.Levels is that of the pairs of its kind that have
// nothing else in common.
func (m *miner[K, S, V]) group(w *waiting[K, V], level int) *mined[K, S] {
	at := key[K]{kind: w.kind}
	if level < pattern.Levels {
		at = w.at(level)
	}
	if g := m.byKey[at]; g != nil {
		return g
	}
	g := &mined[K, S]{Kind: w.kind, Given: level == pattern.LevelGiven, Number: len(m.Groups)}
	if level < pattern.Levels {
		m.forms++
	}
	if !g.Given && level < pattern.Levels {
		g.Form = w.pair.Form(level)
	}
	if m.byKey == nil {
		m.byKey = map[key[K]]*mined[K, S]{}
	}
	m.byKey[at], m.Groups = g, append(m.Groups, g)
	return g
}

// Settle finds groups for the pairs that wait: by the forms that so many have as make it worth
// telling, a quarter of those with its wider form, and a tenth of all that follow no rule.
func (m *miner[K, S, V]) Settle() {
	for level := range pattern.Levels {
		own, wide, kinds := map[key[K]]int{}, map[key[K]]int{}, map[K]int{}
		for i := range m.waiting {
			w := &m.waiting[i]
			own[w.at(level)]++
			kinds[w.kind]++
			if wider[level] > 0 && w.ids[wider[level]] != 0 {
				wide[w.at(wider[level])]++
			}
		}
		m.waiting = slices.DeleteFunc(m.waiting, func(w waiting[K, V]) bool {
			at, least := w.at(level), pattern.MinMembers
			switch {
			case level == pattern.LevelRule:
				least = w.least
			case level >= pattern.LevelNarrow:
				least = max(least, kinds[w.kind]/10)
			}
			told := m.byKey[at] != nil || m.forms < maxForms && own[at] >= least && 4*own[at] >= wide[w.at(wider[level])]
			if at.form == 0 || !told {
				return false
			}
			g := m.group(&w, level)
			w.pair.Widen(&g.Form, level)
			m.put(g, &w)
			return true
		})
	}
	for i := range m.waiting {
		m.put(m.group(&m.waiting[i], pattern.Levels), &m.waiting[i])
	}
	m.waiting = m.waiting[:0]
}

// wider is, for a level, one with wider forms, of which a form must have its share to be told: else
// that one says more.
var wider = [pattern.Levels]int{pattern.LevelRule: pattern.LevelAny, pattern.LevelToOne: pattern.LevelFirst, pattern.LevelNarrow: pattern.LevelFolders}
