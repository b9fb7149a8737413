package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

const (
	// maxCauses bounds how many causes are told apart while rows are added;
	// findings beyond them count under their verdict.
	maxCauses = 4000
	// maxRules bounds the rules that are told, and the places: the largest.
	maxRules = 50
)

// Causes adds rows up by what is behind them: the rule that their redirects
// follow, or the place where they are. It takes rows twice: See finds the rules,
// Add counts the rows of each. No row is kept, and memory is bounded. What no rule
// explains counts under its verdict. The zero Causes is ready. It is not for
// several goroutines until List was called.
type Causes struct {
	rules  pattern.Miner
	places pattern.Places[finding]
	seen   bool // See is over
	byKey  map[causeKey]*cause
}

type cause struct {
	Cause
	files map[int]bool
	lead  pattern.Prefix
}

// A finding is what rows have in common whose findings lead nowhere: the verdict, and the
// status or fault.
type finding struct {
	verdict Verdict
	label   string
}

// causeKey is what the rows of a cause have in common.
type causeKey struct {
	verdict Verdict
	group   Group
	stop    Note
	label   string
	rule    uint64
	place   pattern.Place
}

// rest is the key under which findings count that no rule explains.
func (k causeKey) rest() causeKey { k.rule, k.place = 0, ""; return k }

// wide is the key under which findings count that have no place of their own.
func (k causeKey) wide() causeKey { return causeKey{verdict: k.verdict, group: k.group} }

// See takes note of a row, with or without a finding, as Judge gives it. All calls
// come before the first of Add.
func (c *Causes) See(r *Row) {
	if r.Address.IsZero() || r.Verdict == Skipped {
		return
	}
	if to := r.target(); !to.IsZero() {
		c.places.See(r.Address, nil)
		c.rules.See(r.Address, to, r.Reasons)
		return
	}
	var f *finding
	if r.Verdict != OK {
		f = &finding{r.Verdict, r.label()}
	}
	c.places.See(r.Address, f)
}

// target is the address that a row's finding leads to from the listed one; zero
// where it leads nowhere.
func (r *Row) target() (to address.Address) {
	switch r.Verdict {
	case Offsite, Homepage, Temporary, Respelled, Moved, Soft404:
		to = r.Final
	case Noncanonical:
		if to = r.named; to.IsZero() && r.Fix.Loc != "" {
			to = address.Wire(r.Fix.Loc)
		}
	case SpellingBounce, SpellingConflict:
		if r.Other != nil && len(r.Other.Steps) > 0 {
			to = address.Wire(r.Other.Steps[0].Hop.URL)
		}
	case Loop:
		if len(r.Trail.Steps) > 0 {
			return r.Trail.Steps[0].Next
		}
	}
	if to == r.Address {
		return address.Address{}
	}
	return to
}

// Add counts a final row.
func (c *Causes) Add(r *Row) {
	key, rule, ok := c.key(r)
	if !ok {
		return
	}
	if c.byKey == nil {
		c.byKey = map[causeKey]*cause{}
	}
	for _, k := range []causeKey{key, key.rest(), key.wide()} {
		x := c.byKey[k]
		if x == nil && len(c.byKey) >= maxCauses && k != key.wide() {
			continue
		}
		if x == nil {
			x = newCause(c, k)
			c.byKey[k] = x
		}
		if k.rule != 0 {
			x.rewrite = rule
			x.lead.See(rule, r.Address)
		}
		x.add(r)
		return
	}
}

// end ends the finding of rules.
func (c *Causes) end() {
	if !c.seen {
		c.rules.Choose()
		c.places.Choose()
		c.seen = true
	}
}

// key returns the key of a row's cause, with the rule it follows; ok is false for
// rows without one: those that are fine, are to be left as they are, or were not asked.
func (c *Causes) key(r *Row) (k causeKey, rule *pattern.Rule, ok bool) {
	group := r.Group()
	if group == Fine || group == LeftOut || group == Settled {
		return k, nil, false
	}
	c.end()
	k = causeKey{verdict: r.Verdict, group: group, stop: r.StoppedBy(), label: r.label()}
	if to := r.target(); !to.IsZero() {
		rule, k.rule = c.rules.Explain(nil, r.Address, to, r.Reasons)
	} else if r.Verdict != Disallowed || k.label == "" { // a line of robots.txt says where
		k.place = c.places.At(r.Address, finding{r.Verdict, k.label})
	}
	return k, rule, true
}

func newCause(from *Causes, k causeKey) *cause {
	return &cause{files: map[int]bool{}, Cause: Cause{Verdict: k.verdict, Group: k.group, Stop: k.stop,
		Who: Who(k.verdict, k.stop), id: k, from: from}}
}

func (x *cause) add(r *Row) {
	x.Count++
	x.files[r.Entry.Sitemap] = true
	for _, reason := range r.Reasons {
		if at, has := slices.BinarySearch(x.Reasons, reason); !has {
			x.Reasons = slices.Insert(x.Reasons, at, reason)
		}
	}
	if len(x.Examples) < 3 {
		x.Examples = append(x.Examples, r.Entry.Loc)
		x.Finals = append(x.Finals, r.exampleEnd())
	}
}

// exampleEnd is where an example is shown to lead, "" for nowhere.
func (r *Row) exampleEnd() string {
	switch r.Verdict {
	case SpellingBounce, SpellingConflict, Loop:
		return r.target().String()
	}
	if r.Fix.Loc != "" {
		return r.Fix.Loc
	}
	if to := r.target(); !to.IsZero() {
		return to.String()
	}
	return r.Final.String()
}

// List returns the causes lane by lane, those of the most entries first. Rules of too
// few rows and those beyond the largest are told as left over.
func (c *Causes) List() []Cause {
	c.end()
	kept := map[causeKey]*cause{}
	for k, x := range c.byKey {
		if k.rule == 0 && k.place == "" {
			copied := *x
			kept[k] = &copied
		}
	}
	rules, places := 0, 0
	for _, x := range c.largest() {
		n := &rules
		if x.id.place != "" {
			n = &places
		}
		if x.Count >= pattern.MinMembers && *n < maxRules {
			*n++
			kept[x.id] = x
			continue
		}
		left := kept[x.id.rest()]
		if left == nil {
			left = newCause(c, x.id.rest())
			kept[x.id.rest()] = left
		}
		left.join(x)
	}
	all, groups := make([]Cause, 0, len(kept)), Groups()
	for _, x := range kept {
		all = append(all, x.told())
	}
	slices.SortFunc(all, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count, slices.Index(groups, a.Group)-slices.Index(groups, b.Group), min(1, len(b.Rule))-min(1, len(a.Rule)), strings.Compare(a.Key, b.Key))
	})
	return all
}

// largest returns the causes with a rule or place, the largest first.
func (c *Causes) largest() []*cause {
	var all []*cause
	for k, x := range c.byKey {
		if k.rule != 0 || k.place != "" {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b *cause) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.key(), b.key()))
	})
	return all
}

// join adds the rows of o to x.
func (x *cause) join(o *cause) {
	x.Count += o.Count
	files := make(map[int]bool, len(x.files)+len(o.files))
	for _, from := range []*cause{x, o} {
		for f := range from.files {
			files[f] = true
		}
	}
	x.files = files
	x.Reasons = slices.Concat(x.Reasons, o.Reasons)
	slices.Sort(x.Reasons)
	x.Reasons = slices.Compact(x.Reasons)
	x.Examples, x.Finals = slices.Concat(x.Examples, o.Examples), slices.Concat(x.Finals, o.Finals)
	x.Examples, x.Finals = x.Examples[:min(3, len(x.Examples))], x.Finals[:min(3, len(x.Finals))]
}

// told returns the cause as it is told.
func (x *cause) told() Cause {
	out := x.Cause
	out.Key, out.Sitemaps = x.key(), len(x.files)
	for f := range x.files {
		out.files = append(out.files, f)
	}
	slices.Sort(out.files)
	out.Terms = termsOf(x.id, x.rewrite, &x.lead)
	if x.id.place != "" {
		out.Of = x.from.places.Entries(x.id.place)
	}
	out.Rule = pattern.Text(out.Terms)
	return out
}

// termsOf says what the rows of a cause have in common.
func termsOf(k causeKey, w *pattern.Rule, lead *pattern.Prefix) (ts []pattern.Term) {
	if k.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[k.verdict]
		ts = append(ts, pattern.Term{Name: cmp.Or(name, "status"), From: k.label})
	}
	if k.place != "" {
		ts = append(ts, pattern.Term{Name: "place", From: string(k.place)})
	}
	if w != nil {
		ts = append(ts, w.Terms(lead)...)
	}
	return ts
}

// key writes what Cause.Key is.
func (x *cause) key() string { return keyOf(x.id, x.rewrite) }

func keyOf(k causeKey, w *pattern.Rule) string {
	rule := string(k.place)
	if w != nil {
		rule = w.Key()
	}
	return strings.Join([]string{string(k.verdict), string(k.group), string(k.stop), k.label, rule}, "|")
}

// CauseOf returns the index in t.Causes of the cause that a final row belongs
// to; -1 for a row without one.
func (t *Result) CauseOf(r *Row) int {
	if len(t.Causes) == 0 || t.Causes[0].from == nil {
		return -1
	}
	key, _, ok := t.Causes[0].from.key(r)
	if !ok {
		return -1
	}
	for _, k := range []causeKey{key, key.rest(), key.wide()} {
		if i, ok := t.causeAt[k]; ok {
			return i
		}
	}
	return -1
}

// indexCauses prepares CauseOf.
func (t *Result) indexCauses() {
	t.causeAt = map[causeKey]int{}
	for i, c := range t.Causes {
		t.causeAt[c.id] = i
	}
}

// rank is the place of a group's lane.
func rank(g Group) int { return slices.Index(Lanes(), g.Lane()) }

// Who says who can put a finding right at its source ("generator", "server", "cms",
// "nobody"): whoever the advice of its verdict or stop speaks to (package messages).
func Who(v Verdict, stop Note) string {
	switch {
	case stop == Braked || stop == MergeWouldLose || stop == OtherHost || stop == Gate || stop == TargetNotPage || stop == TargetOffsite ||
		stop == HeldElsewhere || stop == HeldCanonical || stop == HeldBound || stop == HeldCharset || stop == HeldFault:
		return "generator"
	case stop == HeldSecrets:
		return "nobody"
	case stop != "":
		return "server"
	}
	return v.Facts().Who
}

// StoppedBy is what kept an entry from being edited: the note of a rule or of the brake,
// or what else keeps it as it is (Fix.Stop); "" where nothing did. Of several it is the
// strongest, as Stops orders them.
// Stops lists all.
func (r *Row) StoppedBy() Note {
	if r.Fix.Action != Keep {
		return ""
	}
	if r.Fix.Stop != "" {
		return r.Fix.Stop
	}
	for _, n := range strength {
		if r.Has(n) {
			return n
		}
	}
	return ""
}

// label is what a finding's verdict leaves open: the status of an answer that is no
// page, why nothing was seen, the line of robots.txt that forbids.
func (r *Row) label() string {
	switch r.Verdict {
	case NotFound, Error:
		if r.Status != 0 {
			return fmt.Sprint(r.Status)
		}
	case Unverified:
		return r.unseenBy()
	case Disallowed:
		return r.Trail.Last().Hop.Forbidden
	}
	return ""
}
