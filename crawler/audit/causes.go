package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/pattern"
)

const (
	// maxForms bounds the rules and places that are told apart, maxKinds the kinds of rows; what is
	// beyond them counts under its kind, or its verdict.
	maxForms, maxKinds = 100, 4000
	// maxWaiting bounds the rows that wait for others like them.
	maxWaiting = 1 << 13
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
	kinds   map[causeKind]uint32
	all     []*cause // as they were opened
	of      []uint32 // by Entry.N: the place in all, from 1; 0 for none
	waiting []waiting
	forms   int
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

// A causeKey is what the rows of a cause have in common: their kind, by its number, and the number of
// a form; 0 for rows that have nothing in common beside their kind.
type causeKey struct {
	kind uint32
	form uint64
}

// The levels of a row's forms: the rule of a build comes before those of package pattern.
const (
	levelBuild = iota
	levelFirst
	levels = levelFirst + pattern.Levels
)

// wider is, for a level, one with wider forms, of which a form must have its share to be told: else
// that one says more.
var wider = [levels]int{levelFirst + pattern.LevelRule: levelFirst + pattern.LevelAny, levelFirst + pattern.LevelToOne: levelFirst + pattern.LevelFirst,
	levelFirst + pattern.LevelNarrow: levelFirst + pattern.LevelFolders}

// A waiting is a row that waits for others with a form of its own.
type waiting struct {
	sight
	n     int // Entry.N
	kind  causeKind
	key   causeKey // of its kind alone
	forms [levels]uint64
	least int // how many rows make its first rule
}

// at is the key of the row at a level.
func (w *waiting) at(level int) causeKey { return causeKey{w.key.kind, w.forms[level]} }

// Add counts a final row that may be other than fine.
func (c *Causes) Add(r *Row) {
	kind, ok := kindOf(r)
	if !ok {
		return
	}
	if c.byKey == nil {
		c.byKey, c.kinds = map[causeKey]*cause{}, map[causeKind]uint32{}
	}
	if _, known := c.kinds[kind]; !known && len(c.kinds) >= maxKinds {
		kind = causeKind{verdict: kind.verdict, group: kind.group}
	}
	number, known := c.kinds[kind]
	if !known {
		number = uint32(len(c.kinds))
		c.kinds[kind] = number
	}
	c.rows++
	w := waiting{sight: sightOf(r, c.rows), n: r.Entry.N, kind: kind, key: causeKey{kind: number}}
	switch {
	case w.by != (RuleAt{}):
		w.forms[levelBuild] = xxhash.Sum64String(fmt.Sprint(w.by.File, ":", w.by.Line))
	case w.nowhere:
		c.put(c.cause(&w, levels), &w)
		return
	case !w.pair.To.IsZero():
		rule, id := w.pair.First()
		if x := c.byKey[causeKey{number, id}]; x != nil {
			x.form.Rule.Widen(&rule)
			c.put(x, &w)
			return
		}
	}
	var ids pattern.IDs
	ids, w.least = w.pair.IDs()
	copy(w.forms[levelFirst:], ids[:])
	w.pair.Reasons = slices.Clone(w.pair.Reasons)
	if c.waiting = append(c.waiting, w); len(c.waiting) == maxWaiting {
		c.settle()
	}
}

// put counts a row under a cause.
func (c *Causes) put(x *cause, w *waiting) {
	x.add(&w.sight)
	c.of = append(c.of, make([]uint32, max(0, w.n+1-len(c.of)))...)
	c.of[w.n] = x.number
}

// cause is that of a row's form of a level; levels is that of the rows of its kind that have nothing
// else in common.
func (c *Causes) cause(w *waiting, level int) *cause {
	key := w.key
	if level < levels {
		key = w.at(level)
	}
	if x := c.byKey[key]; x != nil {
		return x
	}
	k := w.kind
	x := &cause{Cause: Cause{Verdict: k.verdict, Group: k.group, Stop: k.stop, Trait: k.trait, Answers: map[int]int{}, from: c},
		label: k.label, number: uint32(len(c.all) + 1), files: map[int]int{}}
	switch {
	case level == levelBuild:
		x.By = w.by
	case level < levels:
		x.form = w.pair.Form(level - levelFirst)
	}
	c.byKey[key], c.all = x, append(c.all, x)
	return x
}

// settle finds causes for the rows that wait, by the most specific form that enough of them have.
func (c *Causes) settle() {
	for level := range levels {
		c.settleAt(level)
	}
	for i := range c.waiting {
		c.put(c.cause(&c.waiting[i], levels), &c.waiting[i])
	}
	c.waiting = c.waiting[:0]
}

// settleAt finds causes for the rows that wait and have a form of one level in common: for so many as
// make it worth telling, a quarter of those with its wider form, and a tenth of all that follow no rule.
func (c *Causes) settleAt(level int) {
	own, wide, kinds := map[causeKey]int{}, map[causeKey]int{}, map[uint32]int{}
	for i := range c.waiting {
		w := &c.waiting[i]
		own[w.at(level)]++
		kinds[w.key.kind]++
		if wider[level] > 0 && w.forms[wider[level]] != 0 {
			wide[w.at(wider[level])]++
		}
	}
	left := c.waiting[:0]
	for i := range c.waiting {
		w := &c.waiting[i]
		key, least := w.at(level), pattern.MinMembers
		switch {
		case level == levelFirst+pattern.LevelRule:
			least = w.least
		case level >= levelFirst+pattern.LevelNarrow:
			least = max(least, kinds[key.kind]/10)
		}
		x := c.byKey[key]
		if x == nil && key.form != 0 && c.forms < maxForms && own[key] >= least && 4*own[key] >= wide[w.at(wider[level])] {
			c.forms++
			x = c.cause(w, level)
		}
		if x == nil || key.form == 0 {
			left = append(left, *w)
			continue
		}
		w.pair.Widen(&x.form, level-levelFirst)
		c.put(x, w)
	}
	c.waiting = left
}

// List ends the adding. It returns the causes lane by lane, those of the most entries first.
func (c *Causes) List() []Cause {
	c.settle()
	out := make([]Cause, len(c.all))
	for i, x := range c.all {
		out[i] = x.result()
	}
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count,
			strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	for i := range out {
		c.all[out[i].number-1].index = i
	}
	return out
}

// CauseOf returns the index in t.Causes of the cause of an entry, by its final row; -1 for one without.
func (t *Result) CauseOf(r *Row) int {
	if len(t.Causes) == 0 || t.Causes[0].from == nil {
		return -1
	}
	c := t.Causes[0].from
	if r.Entry.N >= len(c.of) || c.of[r.Entry.N] == 0 {
		return -1
	}
	return c.all[c.of[r.Entry.N]-1].index
}
