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
	label  string
	number uint32
	form   pattern.Form // zero for none, and for that of a build
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
	case r.trait() == ToMissing, // its target is to be corrected
		(label == string(FaultDNS) || label == string(FaultTLS)) && r.Final.Host() != r.Address.Host():
		s.to = r.Final
	}
	return s
}

// add counts a row.
func (x *cause) add(s *sight) {
	x.Count++
	x.files[s.place.Sitemap]++
	for _, reason := range s.pair.Reasons {
		if at, has := slices.BinarySearch(x.Reasons, reason); !has {
			x.Reasons = slices.Insert(x.Reasons, at, reason)
		}
	}
	if !s.pair.From.IsZero() {
		x.From.See(s.pair.From)
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
	if s.hops > 0 && (x.LeastHops == 0 || s.hops < x.LeastHops) {
		x.LeastHops = s.hops
	}
	at, _ := slices.BinarySearchFunc(x.examples, s.example, func(a, b example) int { return a.n - b.n })
	if at < 3 {
		x.examples = slices.Insert(x.examples, at, s.example)
		x.examples = x.examples[:min(3, len(x.examples))]
	}
}

// result returns the cause as it is reported.
func (x *cause) result() Cause {
	out := x.Cause
	out.Key, out.Terms, out.number = x.key(), x.terms(), x.number
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
	text := []string{string(x.Verdict), string(x.Group), string(x.Stop), x.label, x.form.Key()}
	if x.Trait != "" {
		text = append(text, string(x.Trait))
	}
	if x.By != (RuleAt{}) {
		text = append(text, fmt.Sprintf("%s:%d", x.By.File, x.By.Line))
	}
	return strings.Join(text, "|")
}

// terms says what the rows have in common.
func (x *cause) terms() (ts []pattern.Term) {
	if x.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[x.Verdict]
		ts = append(ts, pattern.Term{Name: cmp.Or(name, "status"), From: x.label})
	}
	return append(ts, x.form.Terms(&x.From)...)
}

// pattern is what a cause's entries look like, and where they lead, as text to sort by.
func (c *Cause) pattern() string {
	from, head, tail := c.From.Parts()
	to, toHead, toTail := c.To.Parts()
	return from + head + "*" + tail + " " + to + toHead + "*" + toTail
}
