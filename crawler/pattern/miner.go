package pattern

import "slices"

const (
	// maxForms bounds the rules and places that are told apart.
	maxForms = 100
	// maxWaiting bounds the pairs that wait for others like them.
	maxWaiting = 1 << 13
)

// A Miner puts pairs of one kind K together by what they have in common: the most specific form that
// enough of them have. It sees each pair once, with what V is to know of it. Pairs wait until there
// are enough of them; up to maxWaiting their order changes nothing. The zero Miner with See is ready.
type Miner[K comparable, S, V any] struct {
	// See is called once for each pair, with its group.
	See     func(g *Group[K, S], p *Pair, v V)
	Groups  []*Group[K, S] // as they were found
	byKey   map[key[K]]*Group[K, S]
	waiting []waiting[K, V]
	forms   int
}

// A Group is pairs of a kind that have a form in common: Form, or what its caller knows where Given
// is set; none where neither is.
type Group[K comparable, S any] struct {
	Kind   K
	Given  bool
	Form   Form
	Number int // in Miner.Groups
	Sum    S   // the caller's
}

type key[K comparable] struct {
	kind K
	form uint64
}

// A waiting is a pair that waits for others with a form of its own.
type waiting[K comparable, V any] struct {
	kind  K
	pair  Pair
	v     V
	ids   ids
	least int // how many pairs make its first rule
}

func (w *waiting[K, V]) at(level int) key[K] { return key[K]{w.kind, w.ids[level]} }

// Add adds a pair. given is the number of a form that the caller knows, 0 for none. A pair without
// addresses has nothing in common with others but its kind.
func (m *Miner[K, S, V]) Add(kind K, given uint64, p Pair, v V) {
	w := waiting[K, V]{kind: kind, pair: p, v: v}
	switch {
	case given != 0:
	case p.From.IsZero():
		m.put(m.group(&w, levels), &w)
		return
	case !p.To.IsZero():
		rule, id := p.first()
		if g := m.byKey[key[K]{kind, id}]; g != nil {
			g.Form.Rule.widen(&rule)
			m.put(g, &w)
			return
		}
	}
	w.ids, w.least = p.ids()
	w.ids[levelGiven] = given
	w.pair.Reasons = slices.Clone(p.Reasons)
	if m.waiting = append(m.waiting, w); len(m.waiting) == maxWaiting {
		m.Settle()
	}
}

func (m *Miner[K, S, V]) put(g *Group[K, S], w *waiting[K, V]) { m.See(g, &w.pair, w.v) }

// group is that of a pair's form of a level; levels is that of the pairs of its kind that have
// nothing else in common.
func (m *Miner[K, S, V]) group(w *waiting[K, V], level int) *Group[K, S] {
	at := key[K]{kind: w.kind}
	if level < levels {
		at = w.at(level)
	}
	if g := m.byKey[at]; g != nil {
		return g
	}
	g := &Group[K, S]{Kind: w.kind, Given: level == levelGiven, Number: len(m.Groups)}
	if level < levels {
		m.forms++
	}
	if !g.Given && level < levels {
		g.Form = w.pair.form(level)
	}
	if m.byKey == nil {
		m.byKey = map[key[K]]*Group[K, S]{}
	}
	m.byKey[at], m.Groups = g, append(m.Groups, g)
	return g
}

// Settle finds groups for the pairs that wait: by the forms that so many have as make it worth
// telling, a quarter of those with its wider form, and a tenth of all that follow no rule.
func (m *Miner[K, S, V]) Settle() {
	for level := range levels {
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
			at, least := w.at(level), minMembers
			switch {
			case level == levelRule:
				least = w.least
			case level >= levelNarrow:
				least = max(least, kinds[w.kind]/10)
			}
			told := m.byKey[at] != nil || m.forms < maxForms && own[at] >= least && 4*own[at] >= wide[w.at(wider[level])]
			if at.form == 0 || !told {
				return false
			}
			g := m.group(&w, level)
			w.pair.widen(&g.Form, level)
			m.put(g, &w)
			return true
		})
	}
	for i := range m.waiting {
		m.put(m.group(&m.waiting[i], levels), &m.waiting[i])
	}
	m.waiting = m.waiting[:0]
}
