package audit

import (
	"cmp"
	"slices"
	"strings"
)

// A CauseChange is how many addresses a cause explains in each of two audits: in Old and New of
// those that could be compared, in NotCompared of the others. The causes are those of the two reports; an address at
// which both audits saw the same counts in both under the cause that the newer report names.
type CauseChange struct {
	// Cause is the cause as the report of the newer audit names it, or that of the older one
	// where it is gone. Its Count is of the entries of that report. Two have the same Key where
	// nothing but that, no rule and no place, makes one of what is gone and what is there now.
	Cause
	Old, New int
	// NotCompared counts the addresses that one report has under the cause and that the other audit
	// says nothing of: their sitemap was not read, say. Old is of the older report.
	NotCompared struct{ Old, New int }
}

// The turns of causes.
const (
	CauseNew     = "new"
	CauseGone    = "gone"
	CauseGrown   = "grown"
	CauseShrunk  = "shrunk"
	CauseChanged = "changed" // not all of its addresses were compared
)

// Named returns how many addresses the older and the newer report have under the cause, compared or
// not.
func (c *CauseChange) Named() (old, new int) {
	return c.Old + c.NotCompared.Old, c.New + c.NotCompared.New
}

// Open returns how many addresses of the cause were not compared.
func (c *CauseChange) Open() int { return c.NotCompared.Old + c.NotCompared.New }

// Turn says in a word how the cause changed: CauseNew, CauseGone, CauseGrown or CauseShrunk, and
// CauseChanged where an address of it was not compared, for none of these may be true then.
func (c *CauseChange) Turn() string {
	switch {
	case c.Open() > 0:
		return CauseChanged
	case c.Old == 0:
		return CauseNew
	case c.New == 0:
		return CauseGone
	case c.Old < c.New:
		return CauseGrown
	}
	return CauseShrunk
}

// causeChanges adds up what is behind the findings of two audits, by the causes of their
// reports.
type causeChanges struct {
	reports [2]*Snapshot // of the older and of the newer audit
	// own counts the addresses of each cause of one audit at which the two did not see the same,
	// both those at which they did, by the causes of the two; noCause where a report has none.
	own  [2]map[int]int
	both map[causePair]int
	// apart counts the addresses of each cause of one audit that could not be compared.
	apart [2]map[int]int
	// shared has the causes that explain an address in either audit, whether or not the two saw
	// the same there.
	shared map[causePair]bool
}

// A causePair is a cause of each of two reports, by their indexes.
type causePair struct{ old, new int }

// noCause is the index of no cause.
const noCause = -1

func newCauseChanges(old, new *Snapshot) *causeChanges {
	return &causeChanges{
		reports: [2]*Snapshot{old, new},
		own:     [2]map[int]int{{}, {}}, both: map[causePair]int{}, apart: [2]map[int]int{{}, {}},
		shared: map[causePair]bool{},
	}
}

// add counts an address.
func (m *causeChanges) add(c *Change, d *Differ) {
	at := [2]int{m.reports[0].causeOf(c.Old), m.reports[1].causeOf(c.New)}
	apart := [2]bool{c.Effect == NotCompared, c.Effect == NotCompared}
	if c.Old != nil && c.New != nil && c.Effect != NotCompared {
		was, is := *c.Old, *c.New
		d.align(&was, &is)
		if c.Effect == Same && was.sameCause(&is) {
			m.both[causePair{at[0], at[1]}]++
			m.shared[causePair{at[0], at[1]}] = true
			return
		}
		// Only one audit asked for it.
		apart = [2]bool{was.Verdict != c.Old.Verdict, is.Verdict != c.New.Verdict}
		share := causePair{at[0], at[1]}
		if apart[0] {
			share.old = noCause
		}
		if apart[1] {
			share.new = noCause
		}
		m.shared[share] = true
	}
	for i, s := range []*Observation{c.Old, c.New} {
		switch {
		case s == nil || !s.seen() || at[i] == noCause:
		case apart[i]:
			m.apart[i][at[i]]++
		default:
			m.own[i][at[i]]++
		}
	}
}

// causeOf returns the index of the cause that a sight of the audit counts under; noCause for
// none. A list of addresses beside the entries has no causes.
func (s *Snapshot) causeOf(o *Observation) int {
	if o == nil || o.Cause == 0 || len(s.Causes) == 0 {
		return noCause
	}
	if s.numbered == nil {
		return o.Cause - 1
	}
	return s.numbered[o.Cause-1]
}

func (s *Observation) sameCause(o *Observation) bool {
	return s.Verdict == o.Verdict && s.Label == o.Label && s.Leads == o.Leads && s.Trait == o.Trait
}

// list returns the causes that changed as far as the audits compare, in the order of the report: lane by lane, those of
// the most addresses now first, and then those that are gone. What is in no lane comes last.
func (m *causeChanges) list() []CauseChange {
	all := slices.DeleteFunc(m.counted(), func(c CauseChange) bool { return c.Old == c.New })
	slices.SortFunc(all, func(a, b CauseChange) int {
		wasA, isA := a.Named()
		wasB, isB := b.Named()
		return cmp.Or(laneOf(a.Group)-laneOf(b.Group), isB-isA, wasB-wasA, strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	return all
}

// counted returns the causes of both reports with their counts: those of the newer one in its
// order, then those that the older one alone has.
func (m *causeChanges) counted() []CauseChange {
	old, new := m.reports[0].Causes, m.reports[1].Causes
	all := make([]CauseChange, len(new), len(new)+len(old))
	for j := range new {
		all[j].Cause = new[j]
	}
	at := make([]int, len(old)) // where a cause of the older report counts
	for i, j := range m.matches() {
		if at[i] = j; j == noCause {
			at[i] = len(all)
			all = append(all, CauseChange{Cause: old[i]})
		}
	}
	for i, n := range m.own[0] {
		all[at[i]].Old += n
	}
	for j, n := range m.own[1] {
		all[j].New += n
	}
	for i, n := range m.apart[0] {
		all[at[i]].NotCompared.Old += n
	}
	for j, n := range m.apart[1] {
		all[j].NotCompared.New += n
	}
	for p, n := range m.both {
		to := p.new
		if to == noCause && p.old != noCause {
			to = at[p.old]
		}
		if to != noCause {
			all[to].Old += n
			all[to].New += n
		}
	}
	for i, j := range at {
		if _, is := all[j].Named(); is == 0 {
			all[j].Cause = old[i]
		}
	}
	return all
}

// matches returns for each cause of the older report that of the newer one which is the same:
// that of the same key, of leftovers only where they share an address, else the one that most
// addresses went over to where the two saw the same and no key says more, as a rule of which there
// were too few; noCause for none.
func (m *causeChanges) matches() []int {
	old, new := m.reports[0].Causes, m.reports[1].Causes
	byKey, taken := map[string]int{}, make([]bool, len(new))
	for j := range new {
		byKey[new[j].Key] = j
	}
	of := make([]int, len(old))
	for i := range old {
		j, same := byKey[old[i].Key]
		same = same && (!old[i].id.leftover() || m.shared[causePair{i, j}])
		if of[i] = noCause; same {
			of[i], taken[j] = j, true
		}
	}
	var pairs []causePair
	for p := range m.both {
		if p.old != noCause && p.new != noCause {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b causePair) int {
		return cmp.Or(m.both[b]-m.both[a], a.old-b.old, a.new-b.new)
	})
	for _, p := range pairs {
		if of[p.old] == noCause && !taken[p.new] {
			of[p.old], taken[p.new] = p.new, true
		}
	}
	return of
}

// laneOf is the place of a group's lane, after all others where it has none.
func laneOf(g Group) int {
	if at := rank(g); at >= 0 {
		return at
	}
	return len(Lanes())
}
