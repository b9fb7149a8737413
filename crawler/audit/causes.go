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
	Key      string
	Verdict  Verdict
	Reasons  []address.Reason // those of all rows, sorted
	Group    Group
	Count    int
	Sitemaps int      // files concerned
	Examples []string // up to three, loc as listed
	Finals   []string // where the examples lead, "" where nowhere
	// Places are where the examples are listed, Others the answers to their second spelling,
	// nil for none; both in the order of Examples.
	Places []Place
	Others [][]int
	// Most are the files that have most of the rows, at most MostFiles, those of most rows first.
	Most []FileCount
	// Rule is what all rows follow, in a few words: "http:// -> https://, slash
	// added at the end"; "" for none. Terms are its parts.
	Rule  string
	Terms []pattern.Term
	// Stop is the rule of what may be written that keeps the rows from being
	// edited (gate, collapsed, braked, ...), or what their file keeps them for
	// (elsewhere, cut, bound, ...), as Row.StoppedBy has it; "" for none.
	Stop Note
	// Trait is what sets the rows apart from others of the verdict; "" for nothing.
	Trait Trait
	// By is the rule of a build that answers all rows; zero for none.
	By RuleAt
	// From is what the listed addresses look like, To those that they lead to or that are
	// written; zero for none. Targets is how many of these there are, ManyTargets for as
	// many or more.
	From, To pattern.Shape
	Targets  int
	// Answers counts the rows by the status that says most: of what leads on the redirect's,
	// else the last.
	Answers map[int]int
	// MostHops is how many redirects stand on the way at most.
	MostHops int

	files   map[int]int // rows by sitemap
	targets []uint64    // hashes of where the rows lead, ManyTargets at most
	seen    []sight     // the first mostExamples
	number  int         // of its group in of
	of      *Causes
}

// A Place is where an entry is listed: the sitemap's number (Sitemap.N), and the line.
type Place struct{ Sitemap, Line int }

// A FileCount is how many rows of a cause a sitemap has, by its number (Sitemap.N).
type FileCount struct{ Sitemap, Count int }

const (
	// MostFiles bounds Cause.Most.
	MostFiles = 5
	// ManyTargets bounds how many addresses are told apart to which the entries of one cause lead
	// (Cause.Targets).
	ManyTargets = 64
	// mostExamples bounds Cause.Examples.
	mostExamples = 3
	// maxKinds bounds the kinds of rows that are told apart; what is beyond counts under its verdict.
	maxKinds = 4000
)

// Redirects reports whether the cause is a rule that says how each listed address of its rows differs
// from where it ends.
func (c *Cause) Redirects() bool { return pattern.Redirects(c.Terms) }

// A causeKind is what is to be said of rows, whatever addresses they have.
type causeKind struct {
	verdict Verdict
	group   Group
	stop    Note
	trait   Trait
	label   string
}

type (
	causeMiner = miner[causeKind, Cause, sight]
	causeGroup = mined[causeKind, Cause]
)

// Causes adds rows up by what is behind them: the rule of a build or the one that their redirects
// follow, the way they lead where no rule says more, or the place where they are. It sees each row
// once. The zero Causes is ready. It is not for several goroutines until List was called.
type Causes struct {
	miner causeMiner
	kinds map[causeKind]bool
	of    []uint16 // by Entry.N: the number of its group, from 1; 0 for none
	place []int    // of a group, in List
}

// A sight is what a cause wants to know of a row beside its addresses.
type sight struct {
	n      int // Entry.N
	place  Place
	listed string
	final  string
	others []int           // answers to the second spelling
	from   address.Address // the entry
	to     address.Address // where the cause leads
	by     RuleAt
	status int
	hops   int
}

// Add counts a final row that may be other than fine.
func (c *Causes) Add(r *Row) {
	kind := causeKind{r.Verdict, r.Group(), r.StoppedBy(), r.trait(), r.label()}
	if kind.group == Fine || kind.group == LeftOut {
		return
	}
	if c.kinds == nil {
		c.kinds, c.miner.See = map[causeKind]bool{}, c.see
	}
	pair := pattern.Pair{From: r.Address, To: r.target(), Reasons: r.Reasons}
	s := sight{n: r.Entry.N, place: Place{r.Entry.Sitemap, r.Entry.Line}, listed: r.Entry.Loc, final: r.exampleEnd(), others: r.otherAnswers(),
		from: pair.From, to: pair.To, status: r.decidingStatus(), hops: r.Trail.Redirects()}
	switch fault := Fault(kind.label); {
	case r.Fix.Loc != "" && r.Fix.Loc != s.to.String():
		s.to = address.Wire(r.Fix.Loc)
	case kind.trait == ToMissing, // its target is to be corrected
		(fault == FaultDNS || fault == FaultTLS) && r.Final.Host() != r.Address.Host():
		s.to = r.Final
	}
	given, rules := uint64(0), r.Trail.Rules()
	switch {
	case len(rules) > 0:
		s.by, given = rules[0], xxhash.Sum64String(fmt.Sprint(rules[0]))
	case kind.label == string(FaultAbandoned), r.Verdict == Disallowed && kind.label != "": // the host, or a line of robots.txt says where
		pair.From = address.Address{}
	}
	if !c.kinds[kind] && len(c.kinds) >= maxKinds {
		kind = causeKind{verdict: kind.verdict, group: kind.group}
	}
	c.kinds[kind] = true
	c.miner.Add(kind, given, pair, s)
}

// see counts a row.
func (c *Causes) see(g *causeGroup, p *pattern.Pair, s sight) {
	c.of = append(c.of, make([]uint16, max(0, s.n+1-len(c.of)))...)
	c.of[s.n] = uint16(g.Number + 1)
	x := &g.Sum
	if x.files == nil {
		x.files, x.Answers = map[int]int{}, map[int]int{}
	}
	if x.Count++; g.Given {
		x.By = s.by
	}
	x.files[s.place.Sitemap]++
	for _, reason := range p.Reasons {
		if at, has := slices.BinarySearch(x.Reasons, reason); !has {
			x.Reasons = slices.Insert(x.Reasons, at, reason)
		}
	}
	if !s.from.IsZero() {
		x.From.See(s.from)
	}
	if !s.to.IsZero() {
		x.To.See(s.to)
		if hash := xxhash.Sum64String(s.to.String()); len(x.targets) < ManyTargets && !slices.Contains(x.targets, hash) {
			x.targets = append(x.targets, hash)
		}
	}
	if s.status != 0 {
		x.Answers[s.status]++
	}
	x.MostHops = max(x.MostHops, s.hops)
	if at, _ := slices.BinarySearchFunc(x.seen, s, func(a, b sight) int { return a.n - b.n }); at < mostExamples {
		x.seen = slices.Insert(x.seen, at, s)
		x.seen = x.seen[:min(mostExamples, len(x.seen))]
	}
}

// List ends the adding. It returns the causes lane by lane, those of the most entries first.
func (c *Causes) List() []Cause {
	c.miner.Settle()
	out := make([]Cause, len(c.miner.Groups))
	for i, g := range c.miner.Groups {
		out[i] = c.cause(g)
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

// cause is a group as it is reported.
func (c *Causes) cause(g *causeGroup) Cause {
	x, k := g.Sum, g.Kind
	x.of, x.number, x.Verdict, x.Group, x.Stop, x.Trait = c, g.Number, k.verdict, k.group, k.stop, k.trait
	key := []string{string(k.verdict), string(k.group), string(k.stop), k.label, g.Form.Key()}
	if k.trait != "" {
		key = append(key, string(k.trait))
	}
	if g.Given {
		key = append(key, fmt.Sprintf("%s:%d", x.By.File, x.By.Line))
	}
	x.Key = strings.Join(key, "|")
	if k.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[k.verdict]
		x.Terms = append(x.Terms, pattern.Term{Name: cmp.Or(name, "status"), From: k.label})
	}
	x.Terms = append(x.Terms, g.Form.Terms(&x.From)...)
	x.Rule = pattern.Text(x.Terms)
	x.Sitemaps, x.Targets = len(x.files), len(x.targets)
	for f, n := range x.files {
		x.Most = append(x.Most, FileCount{f, n})
	}
	slices.SortFunc(x.Most, func(a, b FileCount) int { return cmp.Or(b.Count-a.Count, a.Sitemap-b.Sitemap) })
	x.Most = slices.Clone(x.Most[:min(MostFiles, len(x.Most))])
	for _, s := range x.seen {
		x.Examples, x.Finals = append(x.Examples, s.listed), append(x.Finals, s.final)
		x.Places, x.Others = append(x.Places, s.place), append(x.Others, s.others)
	}
	return x
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
	if r.Entry.N >= len(c.of) || c.of[r.Entry.N] == 0 {
		return -1
	}
	return c.place[c.of[r.Entry.N]-1]
}

// A Trait is what sets rows of one verdict apart, whatever rule they follow.
type Trait string

// The traits, the strongest first.
const (
	// Repeated: what would be written is listed already, so the entry is removed.
	Repeated Trait = "repeated"
	// Chained: longChain redirects or more stand on the way to a page.
	Chained Trait = "chained"
	// ToMissing: the entry redirects to a page that is not found, so the target may be mistyped.
	ToMissing Trait = "to-missing"
)

// longChain is how many redirects on the way to a page make a cause of their own.
const longChain = 3

// trait returns the trait of a row.
func (r *Row) trait() Trait {
	stop := r.StoppedBy()
	switch {
	case r.Fix.Action == Merge:
		return Repeated
	case r.Verdict == NotFound && r.Trail.Redirects() > 0 && (stop == "" || stop == Braked): // else that is what is to be said of it
		return ToMissing
	case r.Verdict.Facts().Leads == LeadAway && r.Trail.Redirects() >= longChain:
		return Chained
	}
	return ""
}

// target is the address that a row's finding leads to from the listed one; zero
// where it leads nowhere.
func (r *Row) target() (to address.Address) {
	if r.Verdict.Facts().Leads == LeadAway {
		to = r.Final
	}
	switch r.Verdict {
	case Soft404:
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

// label is what a finding's verdict leaves open: the status of an answer that is no
// page, why nothing was seen, the line of robots.txt that forbids. 404 and 410 say the
// same of a page.
func (r *Row) label() string {
	switch r.Verdict {
	case Error:
		if r.Status != 0 {
			return strconv.Itoa(r.Status)
		}
	case Unverified:
		return r.unseenBy()
	case Disallowed:
		return r.Trail.Last().Hop.Forbidden
	}
	return ""
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
