package audit

import (
	"maps"
	"strings"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// sampleSize is how many addresses of each origin and kind of difference are sampled.
const sampleSize = 20

// A Sampler decides which second spellings of listed addresses are asked: the first 20 of
// each origin and kind of difference, in sitemap order, and all of a kind once one
// of those answers otherwise. A Japanese site with 20,000 lower-case escapes so
// costs 20 requests more, not 20,000.
//
// It is used in rounds (Round): Judge every entry in order with it as Want.Sampler and See each row; what
// is needed is asked; and so on until there is no further round. It is not for several goroutines.
type Sampler struct {
	Rules *Rules // of the audit

	due     bool // a row of this round needs something
	seen    map[sample]int
	flagged map[sample]bool
	next    map[sample]bool
}

// sample is one origin and kind of difference.
type sample struct{ origin, kind string }

// Round begins a round, in which counts what See found in the last one, and reports true. It is false
// where another one would want the same: nothing was needed, and See found nothing new.
func (s *Sampler) Round() bool {
	switch {
	case s.next == nil:
		s.next = map[sample]bool{}
	case !s.due && len(s.next) == len(s.flagged):
		return false
	}
	s.due, s.seen, s.flagged = false, map[sample]int{}, maps.Clone(s.next)
	return true
}

// want reports whether the second spelling of a is to be asked, and counts it.
func (s *Sampler) want(a address.Address, kinds []string) (want bool) {
	for _, k := range kinds {
		key := sample{a.Origin(), k}
		s.seen[key]++
		want = want || s.seen[key] <= sampleSize || s.flagged[key]
	}
	return want
}

// See notes what a row needs, and whether its second spelling answered otherwise. Reported addresses are
// no sample.
func (s *Sampler) See(r *Row) {
	s.due = s.due || len(r.Needs) > 0
	if r.Entry.Reported.Is || r.Verdict != SpellingBounce && r.Verdict != SpellingConflict {
		return
	}
	if _, seen := s.Rules.second(r.Address); seen {
		return // it was no sample
	}
	for _, k := range s.Rules.Spelling.Kinds(r.Address) {
		s.next[sample{r.Address.Origin(), k}] = true
	}
}

// Evidence is in which spelling Googlebot asks for the addresses of an audit, as access logs say. It
// is filled before it is read, by several goroutines then.
type Evidence struct{ by map[uint64]respelled }

// A respelled is the other spelling that Googlebot asks for most; "" where it asks for the listed one
// alone.
type respelled struct {
	target   string
	requests int64
}

const (
	// maxRespelled is for how many addresses it is held; the model counts for others.
	maxRespelled = 1 << 19
	// sureAt is how often Googlebot asked for an address as listed, and in no other spelling, where no
	// second spelling is asked (contract, section 8).
	sureAt = 3
)

// Add adds a finding, in any order.
func (e *Evidence) Add(f *accesslog.Finding) {
	asked := respelled{requests: f.Seen.Requests}
	if f.Class == accesslog.OtherSpelling {
		asked.target = strings.Clone(f.Asked)
	}
	if f.Robot != accesslog.Googlebot || !f.Rawness.Spells() || asked.target == "" && (f.Class != accesslog.AsListed || asked.requests < sureAt) {
		return
	}
	if e.by == nil {
		e.by = map[uint64]respelled{}
	}
	key := sketch.Hash(f.URL)
	had, ok := e.by[key]
	if !ok && len(e.by) < maxRespelled || ok && asked.target != "" && (had.target == "" || had.requests < asked.requests) {
		e.by[key] = asked
	}
}

// second returns the second spelling of an address, a itself where it has none, and whether that is
// what Googlebot was seen to ask for, not what the model says.
func (r *Rules) second(a address.Address) (b address.Address, seen bool) {
	if r.Evidence != nil {
		other, known := r.Evidence.by[sketch.Hash(a.String())]
		if known && other.target == "" {
			return a, true
		}
		// Octets that would be sent otherwise than they were asked are no spelling to ask.
		if b, err := address.Parse(a.Origin() + other.target); known && err == nil && b.Target() == other.target {
			return b, true
		}
	}
	return r.Spelling.Spell(a), false
}

// Second returns the second spelling of an address: the one in which Googlebot was seen to ask for
// it, else what Spelling makes of it; a itself where nothing differs.
func (r *Rules) Second(a address.Address) address.Address {
	b, _ := r.second(a)
	return b
}
