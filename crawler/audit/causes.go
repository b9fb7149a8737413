package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/sketch"
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
	// Stop is what keeps the rows from being edited, as Fix.Stop has it; "" for nothing.
	Stop Note
	// By is the rule of a build that answers all rows; zero for none.
	By answers.RuleAt
	// From is what the listed addresses look like, To those that they lead to or that are
	// written; zero for none. Targets is how many of these there are, manyTargets for as
	// many or more.
	From, To pattern.Shape
	Targets  int
	// MostHops is how many redirects stand on the way at most.
	MostHops int

	files   map[int]bool // the sitemaps concerned
	targets []uint64     // hashes of where the rows lead, manyTargets at most
	group   *pattern.Group[causeKind]
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
)

// A causeKind is what is to be said of rows, whatever addresses they have.
type causeKind struct {
	verdict Verdict
	group   Group
	stop    Note
	merged  bool
	label   string
}

// causes adds rows up by what is behind them, as pattern.Groups finds it; the rule of a build is known.
// It is not for several goroutines until List was called.
type causes struct {
	groups  *pattern.Groups[causeKind, finding]
	all     []*Cause // by the number of their group
	entries []uint32 // by Entry.N: the number of its group, from 1; 0 for none
	place   []int    // of a group, in List
}

// newCauses returns causes without rows, for so many entries.
func newCauses(entries int) *causes {
	c := &causes{entries: make([]uint32, entries)}
	c.groups = pattern.NewGroups(c.see)
	return c
}

// A finding is a row that is counted once its group is known.
type finding struct {
	Example
	from, to address.Address // where the cause leads
	reasons  []address.Reason
	by       answers.RuleAt
	hops     int
}

// Add counts a final row that may be other than fine.
func (c *causes) Add(r *Row) {
	kind := causeKind{r.Verdict, r.Group(), r.Fix.Stop, r.Fix.Action == Merge, r.label()}
	if kind.group == Fine {
		return
	}
	from, to, given := r.Address, r.target(), ""
	x := finding{from: from, to: to, reasons: r.Reasons, hops: r.Trail.Redirects(),
		Example: Example{r.Entry.Loc, r.exampleEnd(), r.Entry.Sitemap, r.Entry.Line, r.otherAnswers(), r.Entry.N}}
	switch fault := answers.Fault(kind.label); {
	case r.Fix.Loc != "" && r.Fix.Loc != to.String():
		x.to = address.Wire(r.Fix.Loc)
	case (fault == answers.FaultDNS || fault == answers.FaultTLS) && r.Final.Host() != r.Address.Host():
		x.to = r.Final
	}
	switch rules := r.Trail.Rules(); {
	case len(rules) > 0:
		x.by, given = rules[0], fmt.Sprint(rules[0])
	case kind.group == LeftOut, kind.label == string(answers.FaultAbandoned), r.Verdict == Disallowed && kind.label != "": // a filter, the host, or a line of robots.txt says where
		from = address.Address{}
	}
	c.groups.Add(kind, from, to, r.Reasons, given, x)
}

// see counts a row.
func (c *causes) see(group *pattern.Group[causeKind], x finding) {
	if group.N == len(c.all) {
		k := group.Kind
		c.all = append(c.all, &Cause{Verdict: k.verdict, Group: k.group, Stop: k.stop, Merged: k.merged,
			group: group, files: map[int]bool{}})
	}
	cause := c.all[group.N]
	if group.Given {
		cause.By = x.by
	}
	c.entries[x.n] = uint32(group.N + 1)
	cause.Count++
	cause.files[x.Sitemap] = true
	for _, reason := range x.reasons {
		if at, has := slices.BinarySearch(cause.Reasons, reason); !has {
			cause.Reasons = slices.Insert(cause.Reasons, at, reason)
		}
	}
	if !x.from.IsZero() {
		cause.From.See(x.from)
	}
	if !x.to.IsZero() {
		cause.To.See(x.to)
		if hash := sketch.Hash(x.to.String()); len(cause.targets) < manyTargets && !slices.Contains(cause.targets, hash) {
			cause.targets = append(cause.targets, hash)
		}
	}
	cause.MostHops = max(cause.MostHops, x.hops)
	at, _ := slices.BinarySearchFunc(cause.Examples, x.n, func(x Example, n int) int { return x.n - n })
	if at < mostExamples {
		cause.Examples = slices.Insert(cause.Examples, at, x.Example)
		cause.Examples = cause.Examples[:min(mostExamples, len(cause.Examples))]
	}
}

// List ends the adding. It returns the causes lane by lane, those of the most entries first.
func (c *causes) List() []Cause {
	c.groups.Settle()
	c.groups = nil // it has room for many members
	out := make([]Cause, len(c.all))
	for i, cause := range c.all {
		cause.conclude()
		out[i] = *cause
	}
	rank := func(g Group) int { return slices.Index(Lanes(), g.Lane()) }
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(rank(a.Group)-rank(b.Group), b.Count-a.Count,
			strings.Compare(a.pattern(), b.pattern()), strings.Compare(a.Key, b.Key))
	})
	c.place = make([]int, len(out))
	for i := range out {
		c.place[out[i].group.N] = i
	}
	return out
}

// conclude fills in what follows from the rows.
func (c *Cause) conclude() {
	label := c.group.Kind.label
	key := []string{string(c.Verdict), string(c.Group), string(c.Stop), label, c.group.Key()}
	if c.Merged {
		key = append(key, "repeated")
	}
	if c.By != (answers.RuleAt{}) {
		key = append(key, fmt.Sprintf("%s:%d", c.By.File, c.By.Line))
	}
	c.Key = strings.Join(key, "|")
	if label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[c.Verdict]
		c.Terms = append(c.Terms, pattern.Term{Name: cmp.Or(name, "status"), From: label})
	}
	c.Terms = append(c.Terms, c.group.Terms(&c.From)...)
	c.Rule = pattern.Text(c.Terms)
	c.Sitemaps, c.Targets = len(c.files), len(c.targets)
}

// pattern is what a cause's entries look like, and where they lead, as text to sort by.
func (c *Cause) pattern() string {
	from, head, tail := c.From.Parts()
	to, toHead, toTail := c.To.Parts()
	return from + head + "*" + tail + " " + to + toHead + "*" + toTail
}

// Of returns the index in the list of the cause of an entry, by its final row; -1 for one without.
func (c *causes) Of(r *Row) int {
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
