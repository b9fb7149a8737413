package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// A cause is one that is being added up.
type cause struct {
	Cause
	number int
	id     causeKey
	level  int          // of its form
	form   pattern.Form // zero for none, and for that of a build
	pair   pattern.Pair // of a row
	outer  uint64       // the number of a wider rule
	folder string       // of several that differ in nothing but where they lead: their source
	into   *cause       // it is part of that one
	index  int          // in the list

	files    map[int]int // rows by sitemap
	targets  []uint64    // hashes of where the rows lead, ManyTargets at most
	examples []example   // the first three
}

// An example is one of the first rows of a cause. n orders them.
type example struct {
	n          int
	loc, final string
	place      Place
	others     []int
}

// A sight is what a cause wants to know of a row.
type sight struct {
	example
	pair    pattern.Pair    // the entry, and where its finding leads; To is zero for nowhere
	to      address.Address // where the cause leads
	by      RuleAt
	nowhere bool // the address says nothing of the finding
	status  int
	hops    int
}

// sightOf returns what is to be known of row n.
func sightOf(r *Row, n int) sight {
	s := sight{
		example: example{n: n, loc: r.Entry.Loc, final: r.exampleEnd(), others: r.otherAnswers(),
			place: Place{r.Entry.Sitemap, r.Entry.Line}},
		pair: pattern.Pair{From: r.Address, To: r.target(), Reasons: r.Reasons},
		by:   r.Trail.firstRule(), status: r.decidingStatus(), hops: r.Trail.Redirects(),
	}
	label := r.label()
	s.nowhere = r.Address.IsZero() || label == string(FaultAbandoned) || // all of the host was not tried
		r.Verdict == Disallowed && label != "" // a line of robots.txt says where
	switch s.to = s.pair.To; {
	case r.Fix.Loc != "" && r.Fix.Loc != s.to.String():
		s.to = address.Wire(r.Fix.Loc)
	case r.trait() == ToMissing, label == string(FaultPrivate), // its target is to be corrected
		(label == string(FaultDNS) || label == string(FaultTLS)) && r.Final.Host() != r.Address.Host():
		s.to = r.Final
	}
	return s
}

// isRule reports whether a rule leads to the rows' ends, or that of a build answered them.
func (x *cause) isRule() bool { return x.form.Rule != nil || x.By != (RuleAt{}) }

// add counts a row. It returns the cause's number.
func (x *cause) add(s *sight) (number int) {
	x.Count++
	x.files[s.place.Sitemap]++
	for _, reason := range s.pair.Reasons {
		x.addReason(reason)
	}
	if !s.pair.From.IsZero() {
		x.From.See(s.pair.From)
	}
	if !s.to.IsZero() {
		x.To.See(s.to)
		x.addTarget(xxhash.Sum64String(s.to.String()))
	}
	if s.status != 0 {
		x.Answers[s.status]++
	}
	x.addHops(s.hops, s.hops)
	x.addExample(s.example)
	return x.number
}

func (x *cause) addReason(reason address.Reason) {
	if at, has := slices.BinarySearch(x.Reasons, reason); !has {
		x.Reasons = slices.Insert(x.Reasons, at, reason)
	}
}

func (x *cause) addTarget(hash uint64) {
	if len(x.targets) < ManyTargets && !slices.Contains(x.targets, hash) {
		x.targets = append(x.targets, hash)
	}
}

func (x *cause) addHops(least, most int) {
	x.MostHops = max(x.MostHops, most)
	if least > 0 && (x.LeastHops == 0 || least < x.LeastHops) {
		x.LeastHops = least
	}
}

func (x *cause) addExample(e example) {
	at, _ := slices.BinarySearchFunc(x.examples, e, func(a, b example) int { return a.n - b.n })
	if at < 3 {
		x.examples = slices.Insert(x.examples, at, e)
		x.examples = x.examples[:min(3, len(x.examples))]
	}
}

// join adds the rows of o.
func (x *cause) join(o *cause) {
	o.into = x
	x.Count += o.Count
	for f, n := range o.files {
		x.files[f] += n
	}
	for status, n := range o.Answers {
		x.Answers[status] += n
	}
	for _, hash := range o.targets {
		x.addTarget(hash)
	}
	for _, reason := range o.Reasons {
		x.addReason(reason)
	}
	for _, e := range o.examples {
		x.addExample(e)
	}
	x.From.Join(&o.From)
	x.To.Join(&o.To)
	x.addHops(o.LeastHops, o.MostHops)
}

// result returns the cause as it is reported.
func (x *cause) result() Cause {
	out := x.Cause
	out.Key, out.Terms = x.key(), x.terms()
	out.Rule = pattern.Text(out.Terms)
	out.Sitemaps, out.Targets = len(x.files), len(x.targets)
	for f, n := range x.files {
		out.Most = append(out.Most, FileCount{f, n})
	}
	out.files = slices.Sorted(maps.Keys(x.files))
	slices.SortFunc(out.Most, func(a, b FileCount) int {
		return cmp.Or(b.Count-a.Count, a.Sitemap-b.Sitemap)
	})
	out.Most = slices.Clone(out.Most[:min(MostFiles, len(out.Most))])
	for _, e := range x.examples {
		out.Examples = append(out.Examples, e.loc)
		out.Finals = append(out.Finals, e.final)
		out.Places = append(out.Places, e.place)
		out.Others = append(out.Others, e.others)
	}
	return out
}

// key writes what Cause.Key is.
func (x *cause) key() string {
	form := x.form.Key()
	if x.folder != "" {
		form = "many " + x.folder
	}
	k := &x.id
	text := []string{string(k.verdict), string(k.group), string(k.stop), k.label, form}
	if k.trait != "" {
		text = append(text, string(k.trait))
	}
	if x.By != (RuleAt{}) {
		text = append(text, fmt.Sprintf("%s:%d", x.By.File, x.By.Line))
	}
	return strings.Join(text, "|")
}

// terms says what the rows have in common.
func (x *cause) terms() (ts []pattern.Term) {
	if x.id.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[x.Verdict]
		ts = append(ts, pattern.Term{Name: cmp.Or(name, "status"), From: x.id.label})
	}
	form := x.form
	if x.folder != "" {
		form = pattern.Form{Place: x.folder}
	}
	return append(ts, form.Terms(&x.From)...)
}

// pattern is what a cause's entries look like, and where they lead, as text to sort by.
func (c *Cause) pattern() string {
	from, head, tail := c.From.Parts()
	to, toHead, toTail := c.To.Parts()
	return from + head + "*" + tail + " " + to + toHead + "*" + toTail
}
