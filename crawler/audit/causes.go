package audit

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/pattern"
)

const (
	// maxCauses bounds how many causes are told apart while rows are added; findings beyond them
	// count under their verdict.
	maxCauses = 4000
	// maxWaiting bounds the rows that wait for others like them.
	maxWaiting = 1 << 13
	// maxNumbers bounds the numbers that are given to rows. Later rows do not wait.
	maxNumbers = 1 << 18
	// ManyTargets bounds how many addresses are told apart to which the entries of one cause lead
	// (Cause.Targets).
	ManyTargets = 64
)

// Causes adds rows up by what is behind them: the rule that their redirects follow, the way they
// lead where no rule says more, or the place where they are. It sees each row once. Rows wait until
// there are enough of them to see what they have in common; up to maxWaiting their order changes
// nothing. The zero Causes is ready. It is not for several goroutines until List was called.
type Causes struct {
	byKey   map[causeKey]*cause
	known   map[uint64]bool // forms that a cause has
	waiting []waiting
	numbers []*cause // by number, from 1; nil for a row that waits
	rows    int
}

// A causeKind is what is to be said of rows, whatever addresses they have.
type causeKind struct {
	verdict Verdict
	group   Group
	stop    Note
	trait   Trait
	label   string
}

// A causeKey is what the rows of a cause have in common: the form is the number of a rule, a way, a
// place or a rule of a build; 0 for rows that have nothing in common beside their kind.
type causeKey struct {
	causeKind
	form uint64
}

// The levels of a row's forms: the rule of a build comes before those of package pattern.
const (
	levelBuild = iota
	levelFirst
	levels = levelFirst + pattern.Levels
)

// isRule reports whether the forms of a level are rules.
func isRule(level int) bool { return level < levelFirst+pattern.LevelNarrow }

// A waiting is a row that waits for others with a form of its own.
type waiting struct {
	sight
	kind   causeKind
	forms  [levels]uint64
	least  int // how many rows make its rule
	number int
}

// Add counts a final row that may be other than fine. It returns the number of what it counts
// under, from 1, for Row.Cause; 0 for a row without a cause.
func (c *Causes) Add(r *Row) (number int) {
	kind, ok := kindOf(r)
	if !ok {
		return
	}
	if c.byKey == nil {
		c.byKey, c.known = map[causeKey]*cause{}, map[uint64]bool{}
	}
	c.rows++
	s := sightOf(r, c.rows)
	switch {
	case s.by != (RuleAt{}):
		if x := c.byKey[causeKey{kind, s.build()}]; x != nil {
			return x.add(&s)
		}
	case s.nowhere:
		return c.rest(kind).add(&s)
	case !s.pair.To.IsZero():
		rule, id := s.pair.First()
		if x := c.byKey[causeKey{kind, id}]; x != nil {
			x.form.Rule.Widen(&rule)
			return x.add(&s)
		}
	}
	return c.wait(kind, &s)
}

// rest is the cause of rows of a kind that have nothing else in common.
func (c *Causes) rest(kind causeKind) *cause {
	key := causeKey{causeKind: kind}
	if c.byKey[key] == nil && len(c.byKey) >= maxCauses {
		key.causeKind = causeKind{verdict: kind.verdict, group: kind.group}
	}
	if c.byKey[key] == nil {
		c.open(key)
	}
	return c.byKey[key]
}

// open makes a cause.
func (c *Causes) open(k causeKey) *cause {
	x := &cause{
		Cause: Cause{Verdict: k.verdict, Group: k.group, Stop: k.stop, Trait: k.trait,
			Answers: map[int]int{}, from: c},
		id: k, files: map[int]int{},
	}
	c.numbers = append(c.numbers, x)
	x.number = len(c.numbers)
	c.byKey[k] = x
	c.known[k.form] = true
	return x
}

// wait keeps a row until it is known whether there are others like it.
func (c *Causes) wait(kind causeKind, s *sight) (number int) {
	w := waiting{sight: *s, kind: kind}
	var ids pattern.IDs
	ids, w.least = s.pair.IDs()
	copy(w.forms[levelFirst:], ids[:])
	if s.by != (RuleAt{}) {
		w.forms[levelBuild] = s.build()
	}
	if len(c.numbers) >= maxNumbers {
		for level, id := range w.forms {
			if x := c.byKey[causeKey{kind, id}]; id != 0 && x != nil {
				w.pair.Widen(&x.form, level-levelFirst)
				return x.add(s)
			}
		}
		return c.rest(kind).add(s)
	}
	c.numbers = append(c.numbers, nil)
	w.number = len(c.numbers)
	w.pair.Reasons = slices.Clone(w.pair.Reasons)
	c.waiting = append(c.waiting, w)
	if len(c.waiting) >= maxWaiting {
		c.settle(false)
	}
	return w.number
}

func (s *sight) build() uint64 {
	return xxhash.Sum64String(fmt.Sprint(s.by.File, ":", s.by.Line))
}

// settle finds causes for the rows that wait, by the most specific form that enough of them have.
// At the end it finds one for each.
func (c *Causes) settle(end bool) {
	for level := range levels {
		c.settleAt(level, nil)
	}
	if end { // the way few rows lead may be all there is to say
		all := c.unruled()
		for i := range c.waiting {
			all[c.waiting[i].kind]++
		}
		for level := levelFirst + pattern.LevelNarrow; level < levels; level++ {
			c.settleAt(level, all)
		}
	}
	if !end && len(c.waiting) <= maxWaiting/2 {
		return
	}
	for i := range c.waiting {
		w := &c.waiting[i]
		x := c.rest(w.kind)
		x.add(&w.sight)
		c.numbers[w.number-1] = x
	}
	c.waiting = c.waiting[:0]
}

// unruled counts the rows of each kind that follow no rule.
func (c *Causes) unruled() map[causeKind]int {
	all := map[causeKind]int{}
	for _, x := range c.byKey {
		if !x.isRule() {
			all[x.id.causeKind] += x.Count
		}
	}
	return all
}

// settleAt makes causes of the rows that wait and have a form of one level in common. With unruled
// fewer rows of a kind are enough where they are a tenth of these.
func (c *Causes) settleAt(level int, unruled map[causeKind]int) {
	total, own := make(map[uint64]int, len(c.waiting)), map[causeKey]int{}
	for i := range c.waiting {
		total[c.waiting[i].forms[level]]++
	}
	for i := range c.waiting {
		if w := &c.waiting[i]; total[w.forms[level]] > 1 {
			own[causeKey{w.kind, w.forms[level]}]++
		}
	}
	left := c.waiting[:0]
	for i := range c.waiting {
		w := &c.waiting[i]
		key := causeKey{w.kind, w.forms[level]}
		x := c.byKey[key]
		enough := own[key] >= pattern.MinMembers || unruled != nil && isEnough(w.kind, own[key], unruled[w.kind])
		if isRule(level) {
			least := pattern.MinMembers
			if level == levelFirst {
				least = w.least
			}
			enough = own[key] >= pattern.FewMembers && (c.known[key.form] || total[key.form] >= least)
		}
		if x == nil && key.form != 0 && enough && len(c.byKey) < maxCauses {
			x = c.open(key)
			x.level = level
			if level == levelBuild {
				x.By = w.by
			} else {
				x.form = w.pair.Form(level - levelFirst)
				x.outer = w.forms[levelFirst+pattern.LevelAny]
				x.pair = w.pair
			}
		}
		if x == nil || key.form == 0 {
			left = append(left, *w)
			continue
		}
		w.pair.Widen(&x.form, level-levelFirst)
		x.add(&w.sight)
		c.numbers[w.number-1] = x
	}
	c.waiting = left
}

// isEnough reports whether n rows of one way or place make a cause, of all that follow no rule: few
// do that the upload corrects, where they are a tenth of these.
func isEnough(kind causeKind, n, all int) bool {
	return n >= pattern.MinMembers || n >= pattern.FewMembers && kind.group == Corrected && n*10 >= all
}
