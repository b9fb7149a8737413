package audit

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// A CauseChange is how many addresses a cause explains in each of two audits, of
// those that could be compared. The causes are those that either audit tells by
// itself; an address of both is held against all of them. What is made of a
// finding (--fix, the brake) does not tell causes apart here.
type CauseChange struct {
	// Cause is the cause as the report of the newer audit names it, or that of the older one
	// where it is gone: the one of most entries where what is made of them tells several
	// apart. Its Count is of the entries of that report. Where no report names it there are
	// only its Verdict, Trait, Group, Rule and Terms, and Count is of addresses. Key names
	// the cause in this and every other comparison.
	Cause
	Old, New int
}

// The turns of causes.
const (
	CauseNew    = "new"
	CauseGone   = "gone"
	CauseGrown  = "grown"
	CauseShrunk = "shrunk"
)

// Turn says in a word how the cause changed: CauseNew, CauseGone, CauseGrown or
// CauseShrunk.
func (c *CauseChange) Turn() string {
	switch {
	case c.Old == 0:
		return CauseNew
	case c.New == 0:
		return CauseGone
	case c.Old < c.New:
		return CauseGrown
	}
	return CauseShrunk
}

// causeChanges adds up what is behind the findings of two audits.
type causeChanges struct {
	found [2]*Causes // of the older and of the newer audit; nil for none
	names [2]map[causeKey]*Cause
	byKey map[causeKey]*changedCause
}

type changedCause struct {
	n       [2]int
	rewrite *pattern.Rule
	lead    [2]pattern.Prefix
	from    pattern.Shape
}

func newCauseChanges(old, new *Snapshot) *causeChanges {
	m := &causeChanges{found: [2]*Causes{old.Causes, new.Causes}, names: [2]map[causeKey]*Cause{namesOf(old.result), namesOf(new.result)}, byKey: map[causeKey]*changedCause{}}
	for _, c := range m.found {
		if c != nil {
			c.end()
		}
	}
	return m
}

// namesOf returns the causes of a report by what tells them apart here; of several the one
// of most entries. Entries that are removed as listed already are Repeated in a report, and
// those of them that many redirects lead to are Chained in what was seen: such a cause may have
// both keys.
func namesOf(result []Cause) map[causeKey]*Cause {
	names := map[causeKey]*Cause{}
	for i := range result {
		c := &result[i]
		plain := c.id.found()
		keys := []causeKey{plain}
		if c.Trait == Repeated && c.MostHops >= LongChain && chains(c.Verdict) {
			chained := plain
			if chained.trait = Chained; c.LeastHops >= LongChain {
				keys = nil
			}
			keys = append(keys, chained)
		}
		for _, k := range keys {
			if last := names[k]; last == nil || last.Count < c.Count {
				names[k] = c
			}
		}
	}
	return names
}

// name is the cause of a key as the newer report names it, else the older one; nil for neither.
func (m *causeChanges) name(k causeKey) *Cause { return cmp.Or(m.names[1][k], m.names[0][k]) }

// repeated counts with the entries of a cause that are removed as listed already those of it
// that many redirects lead to: the report names them as one.
func (m *causeChanges) repeated(result changedCauses) {
	for k, x := range result {
		plain := k
		plain.trait = ""
		if named := m.name(k); k.trait == Chained && named != nil && named.Trait == Repeated && result[plain] != nil && m.name(plain) == named {
			result.join(plain, x)
			delete(result, k)
		}
	}
}

// add counts an address that could be compared.
func (m *causeChanges) add(c *Change, d *Differ) {
	if c.Effect == NotCompared {
		return
	}
	sides := [2]*Observation{c.Old, c.New}
	if c.Old != nil && c.New != nil {
		was, is := *c.Old, *c.New
		d.align(&was, &is)
		sides = [2]*Observation{&was, &is}
		if c.Effect == Same && was.sameCause(&is) {
			m.count(&is, true, true)
			return
		}
	}
	for i, s := range sides {
		if s != nil {
			m.count(s, i == 0, i == 1)
		}
	}
}

func (s *Observation) sameCause(o *Observation) bool {
	return s.Verdict == o.Verdict && s.Label == o.Label && s.Leads == o.Leads && s.text == o.text && s.Trait == o.Trait
}

// count adds a sight to the counts of its cause.
func (m *causeChanges) count(s *Observation, old, new bool) {
	if s.Verdict == OK || !s.seen() {
		return
	}
	key, rule, from := m.key(s)
	x := m.at(key, rule)
	if !from.IsZero() {
		x.from.See(from)
	}
	for i, is := range [2]bool{old, new} {
		if !is {
			continue
		}
		x.n[i]++
		if rule != nil && x.rewrite != nil {
			x.lead[i].See(rule, from)
		}
	}
}

// key returns the key of a sight's cause, with the rule it follows and the
// address, where it follows one.
func (m *causeChanges) key(s *Observation) (k causeKey, rule *pattern.Rule, from address.Address) {
	k = causeKey{verdict: s.Verdict, label: s.Label, trait: s.Trait}
	from = address.Wire(s.Address)
	switch {
	case s.Leads != "":
		old, new := m.rules()
		to := address.Wire(s.Leads)
		if rule, k.rule = old.Explain(new, from, to, s.text.reasons()); rule == nil {
			k.place = m.way(from, to)
		}
	case s.Verdict != Invalid && (s.Verdict != Disallowed || k.label == ""):
		// The newer audit's places come first: they are those of the last report.
		for i := 1; i >= 0 && k.place == ""; i-- {
			if m.found[i] != nil {
				k.place = m.found[i].places.At(from, finding{s.Verdict, k.label})
			}
		}
	}
	return k, rule, from
}

// way is the way of the newer audit, else of the older one, from one address to another.
func (m *causeChanges) way(from, to address.Address) (at pattern.Place) {
	for i := 1; i >= 0 && at == ""; i-- {
		if m.found[i] != nil {
			at = m.found[i].ways.At(from, to)
		}
	}
	return at
}

// rules returns the rules that each of the two audits found; nil for none.
func (m *causeChanges) rules() (old, new *pattern.Miner) {
	if m.found[0] != nil {
		old = &m.found[0].rules
	}
	if m.found[1] != nil {
		new = &m.found[1].rules
	}
	return old, new
}

// at returns the cause of a key and its rule. Causes beyond maxCauses count under
// their verdict.
func (m *causeChanges) at(key causeKey, rule *pattern.Rule) *changedCause {
	k := key
	if m.byKey[k] == nil && len(m.byKey) >= maxCauses {
		if k = key.rest(); m.byKey[k] == nil {
			k = key.wide()
		}
	}
	x := m.byKey[k]
	if x == nil {
		x = &changedCause{}
		if k.rule != 0 {
			old, new := m.rules()
			x.rewrite = old.Merged(new, rule, k.rule)
		}
		m.byKey[k] = x
	}
	return x
}

// list returns the causes that changed, in the order of the report: lane by lane, those of
// the most addresses now first, and then those that are gone. What is in no lane comes last.
func (m *causeChanges) list() []CauseChange {
	all := []CauseChange{}
	for k, x := range m.result() {
		if x.n[0] != x.n[1] {
			all = append(all, m.change(k, x))
		}
	}
	slices.SortFunc(all, func(a, b CauseChange) int {
		return cmp.Or(laneOf(a.Group)-laneOf(b.Group), b.New-a.New, b.Old-a.Old, strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	return all
}

// laneOf is the place of a group's lane, after all others where it has none.
func laneOf(g Group) int {
	if at := rank(g); at >= 0 {
		return at
	}
	return len(Lanes())
}

// told returns the causes that one of the audits would name; the addresses of all
// others count under their verdict.
func (m *causeChanges) result() changedCauses {
	named := map[causeKey]bool{}
	for side := range 2 {
		var rules, places []causeKey
		for k, x := range m.byKey {
			switch {
			case x.n[side] == 0 || m.names[side][k] == nil && x.n[side] < pattern.MinMembers: // its report does not name it
			case k.place != "":
				places = append(places, k)
			case k.rule != 0:
				rules = append(rules, k)
			}
		}
		for _, list := range [][]causeKey{rules, places} {
			slices.SortFunc(list, func(a, b causeKey) int {
				x, y := m.byKey[a], m.byKey[b]
				return cmp.Or(y.n[side]-x.n[side], strings.Compare(x.key(a), y.key(b)))
			})
			for _, k := range list[:min(maxRules, len(list))] {
				named[k] = true
			}
		}
	}
	result := changedCauses{}
	for k, x := range m.byKey {
		if named[k] {
			result[k] = x
			continue
		}
		result.join(k.rest(), x)
	}
	one := siblings(result, func(x *changedCause) (bool, string) { return x.rewrite != nil && x.rewrite.ToOne(), x.from.Source() })
	for _, k := range one.order {
		result.join(one.of[k], result[k])
		delete(result, k)
	}
	m.repeated(result)
	return result
}

// changedCauses are causes by key.
type changedCauses map[causeKey]*changedCause

// join adds what x counts to the cause of k.
func (m changedCauses) join(k causeKey, x *changedCause) {
	if m[k] == nil {
		m[k] = &changedCause{}
	}
	for i := range x.n {
		m[k].n[i] += x.n[i]
	}
	m[k].from.Join(&x.from)
}

func (x *changedCause) key(k causeKey) string { return keyText(k, x.rewrite) }

// change returns the cause as it is reported: in the words of the newer audit, where
// it is still there.
func (m *causeChanges) change(k causeKey, x *changedCause) CauseChange {
	side := 1
	if x.n[1] == 0 {
		side = 0
	}
	c := CauseChange{Old: x.n[0], New: x.n[1]}
	if named := cmp.Or(m.names[side][k], m.names[1-side][k]); named != nil {
		c.Cause = *named
	} else {
		c.Cause = Cause{Verdict: k.verdict, Trait: k.trait, Group: k.verdict.Facts().Group, Count: x.n[side], Terms: termsOf(k, x.rewrite, &x.lead[side])}
		c.Rule = pattern.Text(c.Terms)
	}
	c.Key = x.key(k)
	return c
}
