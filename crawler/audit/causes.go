package audit

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

const (
	// maxCauses bounds how many causes are told apart while rows are added;
	// findings beyond them count under their verdict.
	maxCauses = 4000
	// maxRules bounds the rules that are reported, and the places: the largest.
	maxRules = 50
)

// Causes adds rows up by what is behind them: the rule that their redirects follow, the way they
// lead where no rule says more, or the place where they are. It takes rows twice: See finds the
// rules, Add counts the rows of each. No row is kept, and memory is bounded. What no rule explains
// counts under its verdict. The zero Causes is ready. It is not for several goroutines until List
// was called.
type Causes struct {
	rules  pattern.Miner
	places pattern.Places[finding]
	ways   pattern.Ways
	ruled  ruled
	seen   bool // See is over
	byKey  map[causeKey]*cause
}

type cause struct {
	Cause
	number  int         // from 1, as Add returns it; 0 where it is made of others
	files   map[int]int // rows by sitemap
	lead    pattern.Prefix
	targets map[uint64]bool // hashes of where the rows lead, ManyTargets at most
}

// ManyTargets bounds how many addresses are told apart to which the entries of one cause
// lead (Cause.Targets).
const ManyTargets = 64

// A finding is what rows have in common whose findings lead nowhere: the verdict, and the
// status or fault.
type finding struct {
	verdict Verdict
	label   string
}

// See takes note of a row, with or without a finding, as Judge gives it. All calls
// come before the first of Add.
func (c *Causes) See(r *Row) {
	if r.Address.IsZero() || r.Verdict == Skipped {
		return
	}
	if r.Verdict != OK {
		c.ruled.see(r)
	}
	if to := r.target(); !to.IsZero() {
		c.places.See(r.Address, nil)
		c.rules.See(r.Address, to, r.Reasons)
		c.ways.See(r.Address, to)
		return
	}
	var f *finding
	if r.Verdict != OK {
		f = &finding{r.Verdict, r.label()}
	}
	c.places.See(r.Address, f)
}

// Add counts a final row. It returns the number of what it counts under, from 1; 0 for a row
// without a cause. Result.numbered says what becomes of it.
func (c *Causes) Add(r *Row) (number int) {
	key, rule, to, ok := c.key(r)
	if !ok {
		return 0
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
			x.number = len(c.byKey)
		}
		if k.rule != 0 {
			x.rewrite = rule
			x.lead.See(rule, r.Address)
		}
		x.add(r, to)
		return x.number
	}
	return 0
}

// number returns what Add returned for a row.
func (c *Causes) number(r *Row) int {
	key, _, _, ok := c.key(r)
	if !ok {
		return 0
	}
	for _, k := range []causeKey{key, key.rest(), key.wide()} {
		if x := c.byKey[k]; x != nil {
			return x.number
		}
	}
	return 0
}

// end ends the finding of rules.
func (c *Causes) end() {
	if !c.seen {
		c.rules.Choose()
		c.places.Choose()
		c.ruled.choose()
		c.seen = true
	}
}

func newCause(from *Causes, k causeKey) *cause {
	return &cause{files: map[int]int{}, targets: map[uint64]bool{}, Cause: Cause{Verdict: k.verdict, Group: k.group,
		Stop: k.stop, Trait: k.trait, By: k.by, Who: Who(k.verdict, k.stop), id: k, ids: []causeKey{k}, from: from, Answers: map[int]int{}}}
}

// add counts a row that leads to an address, zero for nowhere.
func (x *cause) add(r *Row, to address.Address) {
	x.Count++
	x.files[r.Entry.Sitemap]++
	for _, reason := range r.Reasons {
		if at, has := slices.BinarySearch(x.Reasons, reason); !has {
			x.Reasons = slices.Insert(x.Reasons, at, reason)
		}
	}
	if !r.Address.IsZero() {
		x.From.See(r.Address)
	}
	switch {
	case r.Fix.Loc != "" && r.Fix.Loc != to.String():
		to = address.Wire(r.Fix.Loc)
	case x.Trait == ToMissing, x.id.label == string(FaultPrivate), // no rule explains it, but its target is to be corrected
		(x.id.label == string(FaultDNS) || x.id.label == string(FaultTLS)) && r.Final.Host() != r.Address.Host():
		to = r.Final
	}
	if !to.IsZero() {
		x.To.See(to)
		if len(x.targets) < ManyTargets {
			x.targets[xxhash.Sum64String(to.String())] = true
		}
	}
	if status := r.decidingStatus(); status != 0 {
		x.Answers[status]++
	}
	if n := r.Trail.Redirects(); n > 0 {
		x.MostHops = max(x.MostHops, n)
		if x.LeastHops == 0 || n < x.LeastHops {
			x.LeastHops = n
		}
	}
	if len(x.Examples) < 3 {
		x.Examples = append(x.Examples, r.Entry.Loc)
		x.Finals = append(x.Finals, r.exampleEnd())
		x.Places = append(x.Places, Place{r.Entry.Sitemap, r.Entry.Line})
		x.Others = append(x.Others, r.otherAnswers())
	}
}

// otherAnswers are the statuses of the second spelling's trail; nil for none.
func (r *Row) otherAnswers() (out []int) {
	if r.Other == nil {
		return nil
	}
	for i := range r.Other.Steps {
		out = append(out, r.Other.Steps[i].Hop.Status)
	}
	return out
}

// decidingStatus is the status that says most of what is wrong: of what leads on the first that
// does (of a temporary redirect the first that is not permanent), else the last; 0 for
// none.
func (r *Row) decidingStatus() int {
	for i := range r.Trail.Steps {
		s := &r.Trail.Steps[i]
		if s.Kind == ByHTTP && (r.Verdict != Temporary || !s.Permanent) && r.Verdict != NotFound && r.Verdict != Error && r.Verdict != Unverified {
			return s.Hop.Status
		}
	}
	return r.Status
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

// CauseOf returns the index in t.Causes of the cause that a final row belongs
// to; -1 for a row without one.
func (t *Result) CauseOf(r *Row) int {
	if len(t.Causes) == 0 || t.Causes[0].from == nil {
		return -1
	}
	key, _, _, ok := t.Causes[0].from.key(r)
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

// numbered returns the index in t.Causes for each number of Causes.Add, the first number first.
func (t *Result) numbered() []int {
	at := make([]int, len(t.found.byKey))
	for k, x := range t.found.byKey {
		at[x.number-1] = noCause
		if i, has := t.causeAt[k]; has {
			at[x.number-1] = i
		}
	}
	return at
}

// indexCauses prepares CauseOf.
func (t *Result) indexCauses() {
	t.causeAt = map[causeKey]int{}
	for i := range t.Causes {
		for _, id := range t.Causes[i].ids {
			t.causeAt[id] = i
		}
	}
}

// rank is the place of a group's lane.
func rank(g Group) int { return slices.Index(Lanes(), g.Lane()) }

// Who says who can put a finding right at its source ("generator", "server", "cms",
// "nobody"): whoever the advice of its verdict or stop speaks to (package messages).
func Who(v Verdict, stop Note) string {
	switch {
	case stop == Braked || stop == MergeWouldLose || stop == OtherHost || stop == Gate || stop == TargetNotPage || stop == TargetOffsite ||
		stop == HeldElsewhere || stop == HeldCanonical || stop == HeldBound || stop == HeldCharset || stop == HeldFault || stop == HeldChecksum ||
		stop == HeldLong || stop == HeldRelative || stop == HeldEntity || stop == HeldOctets:
		return "generator"
	case stop == HeldSecrets || stop == HeldUnread || stop == HeldOutdated || stop == HeldUnsteady:
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
