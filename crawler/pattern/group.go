package pattern

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

const (
	maxForms   = 100     // that are told apart
	maxWaiting = 1 << 13 // members that wait for others like them
)

// A Group is members of a kind that have a form in common.
type Group[K comparable] struct {
	N     int // in the order in which they were found, from 0
	Kind  K
	Given bool // what is common is what the caller knew, and nothing else is told of it
	form
}

// Groups puts members together that are of one kind: by what the caller knows of them, or the most
// specific form that enough of them have in common, which is the rule that their redirects follow, the
// way they lead, or the place where they are. It sees each once; members wait until there are enough of
// them, and up to maxWaiting their order changes nothing. It is not for several goroutines.
type Groups[K comparable, M any] struct {
	join    func(*Group[K], M)
	n       int
	byKey   map[groupKey[K]]*Group[K]
	waiting []waiting[K, M]
	forms   int
}

// A groupKey is a kind of members with a form in common; 0 is that of members with none.
type groupKey[K comparable] struct {
	kind K
	form uint64
}

// A waiting is a member that waits for others with a form of its own.
type waiting[K comparable, M any] struct {
	kind   K
	pair   pair
	ids    ids
	least  int // how many members make its first rule
	member M
}

func (w *waiting[K, M]) at(level int) groupKey[K] { return groupKey[K]{w.kind, w.ids[level]} }

// NewGroups returns Groups that call join for each member once its group is known.
func NewGroups[K comparable, M any](join func(*Group[K], M)) *Groups[K, M] {
	return &Groups[K, M]{join: join, byKey: map[groupKey[K]]*Group[K]{}, waiting: make([]waiting[K, M], 0, maxWaiting)}
}

// Add takes a member that leads from one address to another, zero for nowhere, with the reasons that
// address.Compare has. given is what the caller knows of it, "" for nothing. A member without an address
// joins the group of its kind that has nothing else in common.
func (g *Groups[K, M]) Add(kind K, from, to address.Address, reasons []address.Reason, given string, member M) {
	w := waiting[K, M]{kind: kind, pair: pair{from, to, reasons}, member: member}
	switch {
	case given != "":
	case from.IsZero():
		g.join(g.group(&w, levelNone), member)
		return
	case !to.IsZero():
		rule, id := w.pair.first()
		if known := g.byKey[groupKey[K]{kind, id}]; known != nil {
			known.rule.widen(&rule)
			g.join(known, member)
			return
		}
	}
	w.ids, w.least = w.pair.ids()
	if given != "" {
		w.ids[levelGiven] = xxhash.Sum64String(given)
	}
	if g.waiting = append(g.waiting, w); len(g.waiting) == maxWaiting {
		g.Settle()
	}
}

// group is the group of a member's form of a level.
func (g *Groups[K, M]) group(w *waiting[K, M], level int) *Group[K] {
	at := w.at(level)
	if g.byKey[at] == nil {
		made := &Group[K]{N: g.n, Kind: w.kind, Given: level == levelGiven}
		if level != levelNone {
			made.form = w.pair.form(level)
			g.forms++
		}
		g.n++
		g.byKey[at] = made
	}
	return g.byKey[at]
}

// Settle finds groups for the members that wait, by their most specific form that is worth telling: enough
// members have it, a quarter of those with its wider form, and a tenth of the kind if it is no rule.
func (g *Groups[K, M]) Settle() {
	for level := range levelNone {
		own, wide, kinds := map[groupKey[K]]int{}, map[groupKey[K]]int{}, map[K]int{}
		for i := range g.waiting {
			w := &g.waiting[i]
			own[w.at(level)]++
			kinds[w.kind]++
			if wider[level] > 0 && w.ids[wider[level]] != 0 {
				wide[w.at(wider[level])]++
			}
		}
		g.waiting = slices.DeleteFunc(g.waiting, func(w waiting[K, M]) bool {
			at, least := w.at(level), minMembers
			switch {
			case level == levelRule:
				least = w.least
			case level >= levelNarrow:
				least = max(least, kinds[w.kind]/10)
			}
			told := g.byKey[at] != nil || g.forms < maxForms && own[at] >= least && 4*own[at] >= wide[w.at(wider[level])]
			if at.form == 0 || !told {
				return false
			}
			of := g.group(&w, level)
			if r := of.rule; r != nil && r.varies() {
				r.widen(w.pair.form(level).rule)
			}
			g.join(of, w.member)
			return true
		})
	}
	for i := range g.waiting {
		g.join(g.group(&g.waiting[i], levelNone), g.waiting[i].member)
	}
	g.waiting = g.waiting[:0]
}

// wider is, for a level, one with wider forms, of which a form must have its share to be told: else
// that one says more.
var wider = [levels]int{levelRule: levelAny, levelToOne: levelFirst, levelNarrow: levelFolders}
