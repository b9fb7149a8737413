package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// A Cause is what is behind many findings: a rule that their redirects follow, a
// place where they are, or no more than their verdict.
type Cause struct {
	// Key names the cause in this and in every other audit: it is made of what
	// the rows have in common, never of their number.
	Key     string
	Verdict Verdict
	Reasons []address.Reason // those of all rows, sorted
	Group   Group
	// Merged is set where what would be written is listed already, so that the entries are removed.
	Merged   bool
	Count    int
	Sitemaps int       // files concerned
	Examples []Example // the first rows, at most mostExamples
	// Rule is what all rows follow, in a few words: "http:// -> https://, slash
	// added at the end"; "" for none. Terms are its parts.
	Rule  string
	Terms []pattern.Term
	// Stop is what keeps the rows from being edited, as Row.StoppedBy has it; "" for nothing.
	Stop Note
	// By is the rule of a build that answers all rows; zero for none.
	By RuleAt
	// From is what the listed addresses look like, To those that they lead to or that are
	// written; zero for none. Targets is how many of these there are, manyTargets for as
	// many or more.
	From, To pattern.Shape
	Targets  int
	// MostHops is how many redirects stand on the way at most.
	MostHops int

	kind    causeKind
	form    pattern.Form
	files   map[int]bool // the sitemaps concerned
	targets []uint64     // hashes of where the rows lead, manyTargets at most
	number  int          // in of.groups
	of      *Causes
}

// An Example is a row of a cause.
type Example struct {
	Listed        string // its loc
	Final         string // where it leads, or what is written; "" for nowhere
	Sitemap, Line int    // where it is listed: Sitemap.N
	Others        []int  // the answers to its second spelling
	n             int    // Entry.N
}

// Ends returns the addresses of the examples as listed, and where they lead.
func (c *Cause) Ends() (listed, finals []string) {
	for _, x := range c.Examples {
		listed, finals = append(listed, x.Listed), append(finals, x.Final)
	}
	return listed, finals
}

const (
	manyTargets  = 64
	mostExamples = 3
	maxForms     = 100     // rules and places that are told apart
	maxWaiting   = 1 << 13 // rows that wait for others like them
)

// Redirects reports whether the cause is a rule that says how each listed address of its rows differs
// from where it ends.
func (c *Cause) Redirects() bool { return pattern.Redirects(c.Terms) }

// A causeKind is what is to be said of rows, whatever addresses they have.
type causeKind struct {
	verdict Verdict
	group   Group
	stop    Note
	merged  bool
	label   string
}

// A causeKey is a kind of rows with a form in common; 0 is that of rows with none.
type causeKey struct {
	causeKind
	form uint64
}

// Causes adds rows up by what is behind them: the rule of a build, or the most specific form that
// enough rows of one kind have in common: the rule that their redirects follow, the way they lead, or
// the place where they are. It sees each row once; rows wait until there are enough of them, and up to
// maxWaiting their order changes nothing. The zero Causes is ready. It is not for several goroutines
// until List was called.
type Causes struct {
	groups  []*Cause // as they were found
	byKey   map[causeKey]*Cause
	waiting []waiting
	forms   int
	entries []uint32 // by Entry.N: the number of its group, from 1; 0 for none
	place   []int    // of a group, in List
}

// A waiting is a row that waits for others with a form of its own.
type waiting struct {
	Example
	kind  causeKind
	pair  pattern.Pair
	ids   pattern.IDs
	least int             // how many rows make its first rule
	to    address.Address // where the cause leads
	by    RuleAt
	hops  int
}

func (w *waiting) at(level int) causeKey { return causeKey{w.kind, w.ids[level]} }

// Add counts a final row that may be other than fine.
func (c *Causes) Add(r *Row) {
	kind := causeKind{r.Verdict, r.Group(), r.StoppedBy(), r.Fix.Action == Merge, r.label()}
	if kind.group == Fine {
		return
	}
	pair := pattern.Pair{From: r.Address, To: r.target(), Reasons: r.Reasons}
	w := waiting{kind: kind, pair: pair, to: pair.To, hops: r.Trail.Redirects(),
		Example: Example{r.Entry.Loc, r.exampleEnd(), r.Entry.Sitemap, r.Entry.Line, r.otherAnswers(), r.Entry.N}}
	switch fault := Fault(kind.label); {
	case r.Fix.Loc != "" && r.Fix.Loc != w.to.String():
		w.to = address.Wire(r.Fix.Loc)
	case (fault == FaultDNS || fault == FaultTLS) && r.Final.Host() != r.Address.Host():
		w.to = r.Final
	}
	rules := r.Trail.Rules()
	switch {
	case len(rules) > 0:
		w.by, w.ids[pattern.LevelGiven] = rules[0], xxhash.Sum64String(fmt.Sprint(rules[0]))
	case kind.group == LeftOut, kind.label == string(FaultAbandoned), r.Verdict == Disallowed && kind.label != "": // a filter, the host, or a line of robots.txt says where
		c.group(&w, pattern.Levels).see(&w)
		return
	case !pair.To.IsZero():
		rule, id := pair.First()
		if g := c.byKey[causeKey{kind, id}]; g != nil {
			g.form.Rule.Widen(&rule)
			g.see(&w)
			return
		}
	case pair.From.IsZero():
		c.group(&w, pattern.Levels).see(&w)
		return
	}
	given := w.ids[pattern.LevelGiven]
	w.pair.Reasons = slices.Clone(pair.Reasons)
	w.ids, w.least = pair.IDs()
	w.ids[pattern.LevelGiven] = given
	if c.waiting = append(c.waiting, w); len(c.waiting) == maxWaiting {
		c.settle()
	}
}

// group is the cause of a row's form of a level; pattern.Levels is that of the rows of its kind that
// have nothing else in common.
func (c *Causes) group(w *waiting, level int) *Cause {
	at := causeKey{causeKind: w.kind}
	if level < pattern.Levels {
		at = w.at(level)
	}
	if g := c.byKey[at]; g != nil {
		return g
	}
	g := &Cause{kind: w.kind, number: len(c.groups), of: c, files: map[int]bool{}}
	switch {
	case level == pattern.LevelGiven:
		g.By = w.by
	case level < pattern.Levels:
		g.form = w.pair.Form(level)
	}
	if level < pattern.Levels {
		c.forms++
	}
	if c.byKey == nil {
		c.byKey = map[causeKey]*Cause{}
	}
	c.byKey[at], c.groups = g, append(c.groups, g)
	return g
}

// settle finds groups for the rows that wait: by the forms that so many have as make it worth
// telling, a quarter of those with its wider form, and a tenth of all that follow no rule.
func (c *Causes) settle() {
	for level := range pattern.Levels {
		own, wide, kinds := map[causeKey]int{}, map[causeKey]int{}, map[causeKind]int{}
		for i := range c.waiting {
			w := &c.waiting[i]
			own[w.at(level)]++
			kinds[w.kind]++
			if wider[level] > 0 && w.ids[wider[level]] != 0 {
				wide[w.at(wider[level])]++
			}
		}
		c.waiting = slices.DeleteFunc(c.waiting, func(w waiting) bool {
			at, least := w.at(level), pattern.MinMembers
			switch {
			case level == pattern.LevelRule:
				least = w.least
			case level >= pattern.LevelNarrow:
				least = max(least, kinds[w.kind]/10)
			}
			told := c.byKey[at] != nil || c.forms < maxForms && own[at] >= least && 4*own[at] >= wide[w.at(wider[level])]
			if at.form == 0 || !told {
				return false
			}
			g := c.group(&w, level)
			w.pair.Widen(&g.form, level)
			g.see(&w)
			return true
		})
	}
	for i := range c.waiting {
		c.group(&c.waiting[i], pattern.Levels).see(&c.waiting[i])
	}
	c.waiting = c.waiting[:0]
}

// wider is, for a level, one with wider forms, of which a form must have its share to be told: else
// that one says more.
var wider = [pattern.Levels]int{pattern.LevelRule: pattern.LevelAny, pattern.LevelToOne: pattern.LevelFirst, pattern.LevelNarrow: pattern.LevelFolders}

// see counts a row.
func (c *Cause) see(w *waiting) {
	c.of.entries = append(c.of.entries, make([]uint32, max(0, w.n+1-len(c.of.entries)))...)
	c.of.entries[w.n] = uint32(c.number + 1)
	c.Count++
	c.files[w.Sitemap] = true
	for _, reason := range w.pair.Reasons {
		if at, has := slices.BinarySearch(c.Reasons, reason); !has {
			c.Reasons = slices.Insert(c.Reasons, at, reason)
		}
	}
	if !w.pair.From.IsZero() {
		c.From.See(w.pair.From)
	}
	if !w.to.IsZero() {
		c.To.See(w.to)
		if hash := xxhash.Sum64String(w.to.String()); len(c.targets) < manyTargets && !slices.Contains(c.targets, hash) {
			c.targets = append(c.targets, hash)
		}
	}
	c.MostHops = max(c.MostHops, w.hops)
	at, _ := slices.BinarySearchFunc(c.Examples, w.n, func(x Example, n int) int { return x.n - n })
	if at < mostExamples {
		c.Examples = slices.Insert(c.Examples, at, w.Example)
		c.Examples = c.Examples[:min(mostExamples, len(c.Examples))]
	}
}

// List ends the adding. It returns the causes lane by lane, those of the most entries first.
func (c *Causes) List() []Cause {
	c.settle()
	out := make([]Cause, len(c.groups))
	for i, g := range c.groups {
		g.conclude()
		out[i] = *g
	}
	rank := func(g Group) int { return slices.Index(Lanes(), g.Lane()) }
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count,
			strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	c.place = make([]int, len(out))
	for i := range out {
		c.place[out[i].number] = i
	}
	return out
}

// conclude fills in what follows from the rows.
func (c *Cause) conclude() {
	k := c.kind
	c.Verdict, c.Group, c.Stop, c.Merged = k.verdict, k.group, k.stop, k.merged
	key := []string{string(k.verdict), string(k.group), string(k.stop), k.label, c.form.Key()}
	if k.merged {
		key = append(key, "repeated")
	}
	if c.By != (RuleAt{}) {
		key = append(key, fmt.Sprintf("%s:%d", c.By.File, c.By.Line))
	}
	c.Key = strings.Join(key, "|")
	if k.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[k.verdict]
		c.Terms = append(c.Terms, pattern.Term{Name: cmp.Or(name, "status"), From: k.label})
	}
	c.Terms = append(c.Terms, c.form.Terms(&c.From)...)
	c.Rule = pattern.Text(c.Terms)
	c.Sitemaps, c.Targets = len(c.files), len(c.targets)
}

// pattern is what a cause's entries look like, and where they lead, as text to sort by.
func (c *Cause) pattern() string {
	from, head, tail := c.From.Parts()
	to, toHead, toTail := c.To.Parts()
	return from + head + "*" + tail + " " + to + toHead + "*" + toTail
}

// CauseOf returns the index in t.Causes of the cause of an entry, by its final row; -1 for one without.
func (t *Result) CauseOf(r *Row) int {
	if len(t.Causes) == 0 || t.Causes[0].of == nil {
		return -1
	}
	c := t.Causes[0].of
	if r.Entry.N >= len(c.entries) || c.entries[r.Entry.N] == 0 {
		return -1
	}
	return c.place[c.entries[r.Entry.N]-1]
}

// target is the address that a row's finding leads to from the listed one; zero
// where it leads nowhere.
func (r *Row) target() (to address.Address) {
	switch {
	case r.Verdict.Facts().Leads == LeadAway, r.Verdict == Soft404:
		to = r.Final
	case r.Verdict == Noncanonical:
		to = cmp.Or(r.named, address.Wire(r.Fix.Loc))
	case (r.Verdict == SpellingBounce || r.Verdict == SpellingConflict) && r.Other != nil && len(r.Other.Steps) > 0:
		to = address.Wire(r.Other.Steps[0].Hop.URL)
	case r.Verdict == Loop && len(r.Trail.Steps) > 0:
		return r.Trail.Steps[0].Next
	}
	if to == r.Address {
		return address.Address{}
	}
	return to
}

// label is what a finding's verdict leaves open: the status of an answer that is no
// page, why nothing was seen, the line of robots.txt that forbids. 404 and 410 say the
// same of a page.
func (r *Row) label() string {
	switch {
	case r.Verdict == Error && r.Status != 0:
		return strconv.Itoa(r.Status)
	case r.Verdict == Disallowed:
		return r.Trail.Last().Hop.Forbidden
	}
	return r.UnseenBy()
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

// exampleEnd is where an example is shown to lead, "" for nowhere.
func (r *Row) exampleEnd() string {
	to := r.target().String()
	switch r.Verdict {
	case SpellingBounce, SpellingConflict, Loop:
		return to
	}
	return cmp.Or(r.Fix.Loc, to, r.Final.String())
}
