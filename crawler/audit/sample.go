package audit

import (
	"maps"

	"sitemend/crawler/address"
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
