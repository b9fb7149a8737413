package pattern

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Limits of mining.
const (
	// MinMembers is how many entries make a rule or a place.
	MinMembers = 5
	// FewMembers is how many entries make a rule that changes the spelling of an address and leaves
	// its path in place: words describe such a rule completely, however few entries there are. The
	// same number makes a cause of a rule or place that is known from more entries.
	FewMembers = 2
	// maxLight limits the rules that are counted without being kept; where there are more, those
	// seen least are forgotten.
	maxLight = 1 << 18
	maxHeavy = 1 << 14 // rules seen often enough; half of them FewMembers times
	maxWide  = 1 << 12 // families of rules
	maxOpen  = 1000    // rules that rows are compared with
	// fewSpecific is how many rules of a family are reported individually where they explain nearly
	// all of it; else the family is the rule.
	fewSpecific = 8
)

// A Miner finds the rules that many redirects follow, in one pass over rows and in bounded memory.
// Its results do not depend on the order of rows until maxLight or half of maxHeavy is reached.
type Miner struct {
	light sketch.Numbers // how often a rule was seen, by number; 0 for one in heavy
	heavy map[uint64]*mined
	wides map[uint64]*mined
	open  map[uint64]*Rule // the rules that explain rows, after Choose
}

type mined struct {
	rule   Rule
	n      int
	parent uint64 // the number of the family; 0 for none
}

// least returns how many entries make the rule.
func (w *Rule) least() int {
	if w.to == "" && w.lift == "" && w.edit.none() {
		return FewMembers
	}
	return MinMembers
}

// A link is one of the rules that may explain a row.
type link struct {
	rule   Rule
	id     uint64
	parent uint64
}

// links are the rules that may explain a pair, in the order in which they are tried. Where open is
// given, the list ends with found: the first rule that is open and leads from one address to the
// other.
type links struct {
	list     [5]link
	n        int
	from, to address.Address
	reasons  []address.Reason
	open     map[uint64]*Rule
	found    *Rule
}

// add appends a rule and reports whether the list continues.
func (l *links) add(w *Rule, ok bool) bool {
	if !ok {
		return true
	}
	var buf [512]byte
	x := &l.list[l.n]
	x.rule, x.id = *w, max(1, xxhash.Sum64(w.key(buf[:0])))
	l.n++
	if w := l.open[x.id]; w != nil && (!x.rule.wide || w.leads(l.from, l.to)) {
		l.found = w
		return false
	}
	return true
}

// adopt gives each rule that is not wide the family that follows it in the list: the words of a
// segment belong to the first of two, all others to the last.
func (l *links) adopt() {
	var first, last uint64
	for i := range l.list[:l.n] {
		if x := &l.list[i]; x.rule.wide {
			last = x.id
			first = cmp.Or(first, x.id)
		}
	}
	for i := range l.list[:l.n] {
		switch x := &l.list[i]; {
		case x.rule.wide:
		case x.rule.edit.kind == editWords:
			x.parent = first
		default:
			x.parent = last
		}
	}
}

// explain lists the rules that may lead from one address to the other, the most specific first.
func (l *links) explain() {
	if l.from == l.to {
		return // no rule leads from an address to itself
	}
	w, ok := describe(l.from, l.to, l.reasons)
	if !l.add(&w, ok && (w.edit.none() || w.edit.pre || w.edit.post)) {
		return
	}
	if w.edit.none() {
		wide, some := w.family()
		if !l.add(&wide, ok && some) {
			return
		}
		l.adopt()
		l.add(&Rule{to: l.to.String()}, true)
		return
	}
	if l.add(&Rule{to: l.to.String()}, true) && ok {
		l.edits(&w)
	}
}

// edits lists further rules that may explain a pair whose paths differ in one part.
func (l *links) edits(w *Rule) {
	if words, some := w.inWords(); some && words.leads(l.from, l.to) {
		if !l.add(&words, true) {
			return
		}
		number, some := words.anyNumber()
		if !l.add(&number, some && number.leads(l.from, l.to)) {
			return
		}
	}
	anything, some := w.anySegments()
	l.add(&anything, some && anything.leads(l.from, l.to))
	l.adopt()
}

// See counts the rules that may lead from one address to another.
func (m *Miner) See(from, to address.Address, reasons []address.Reason) {
	if m.heavy == nil {
		m.heavy, m.wides = map[uint64]*mined{}, map[uint64]*mined{}
	}
	l := links{from: from, to: to, reasons: reasons}
	l.explain()
	for i := range l.list[:l.n] {
		x := &l.list[i]
		switch h := m.heavy[x.id]; {
		case x.rule.wide:
			m.seeWide(x)
		case h != nil:
			h.n++
		default:
			m.seeLight(x)
		}
	}
}

func (m *Miner) seeWide(x *link) {
	w := m.wides[x.id]
	if w == nil {
		if len(m.wides) < maxWide {
			m.wides[x.id] = &mined{rule: x.rule, n: 1}
		}
		return
	}
	w.n++
	w.rule.widen(&x.rule)
}

func (m *Miner) seeLight(x *link) {
	n, _ := m.light.At(x.id)
	*n++
	most := maxHeavy
	if *n < MinMembers {
		most = maxHeavy / 2
	}
	if int(*n) >= x.rule.least() && len(m.heavy) < most {
		m.heavy[x.id] = &mined{rule: x.rule, n: int(*n), parent: x.parent}
		*n = 0
		return
	}
	m.light.Forget(maxLight)
}

// Choose ends the mining: it decides which rules rows are compared with.
func (m *Miner) Choose() {
	family := map[uint64][]int{}
	for _, x := range m.heavy {
		family[x.parent] = append(family[x.parent], x.n)
	}
	split := map[uint64]bool{} // families with many rules, reported as one
	for id, w := range m.wides {
		slices.SortFunc(family[id], func(a, b int) int { return b - a })
		explained := 0
		for _, n := range family[id][:min(fewSpecific, len(family[id]))] {
			explained += n
		}
		split[id] = explained*20 < w.n*19
	}
	type found struct {
		id uint64
		*mined
	}
	var all []found
	for id, x := range m.heavy {
		if !split[x.parent] {
			all = append(all, found{id, x})
		}
	}
	for id, w := range m.wides {
		if w.n >= w.rule.least() {
			all = append(all, found{id, w})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(b.n-a.n, cmp.Compare(a.id, b.id)) })
	m.open = map[uint64]*Rule{}
	for _, x := range all[:min(maxOpen, len(all))] {
		m.open[x.id] = &x.rule
	}
	m.light, m.heavy, m.wides = sketch.Numbers{}, nil, nil
}

// Explain returns the rule that leads from one address to another, and its number, which is the
// same in every run; nil where there is none. Applied to from, the rule gives exactly to.
func (m *Miner) Explain(from, to address.Address, reasons []address.Reason) (*Rule, uint64) {
	l := links{from: from, to: to, reasons: reasons, open: m.open}
	return l.explained()
}

// explained returns the first rule that is open and explains the pair, and its number; nil where
// there is none.
func (l *links) explained() (*Rule, uint64) {
	if len(l.open) == 0 {
		return nil, 0
	}
	l.explain()
	if l.found == nil {
		return nil, 0
	}
	return l.found, l.list[l.n-1].id
}
