package audit

import "sitemend/crawler/address"

// sampleSize is how many addresses of each host and kind of difference are sampled.
const sampleSize = 20

// A Sampler decides which second spellings of listed addresses are asked: the first 20 of
// each host and kind of difference, in sitemap order, and all of a kind once one
// of those answers otherwise. A Japanese site with 20,000 lower-case escapes so
// costs 20 requests more, not 20,000.
//
// It is used in rounds: Restart, then Judge every entry in order with it as
// Want.Sampler and See each row; what is needed is asked; and so on until a round
// needs nothing and the sampler is Settled. It is not for several goroutines.
type Sampler struct {
	seen    map[sample]int
	flagged map[sample]bool
	next    map[sample]bool
	rules   *Rules
}

// sample is one host and kind of difference.
type sample struct{ host, kind string }

// NewSampler returns a sampler for rules.
func NewSampler(rules *Rules) *Sampler {
	return &Sampler{rules: rules, flagged: map[sample]bool{}, next: map[sample]bool{}}
}

// Restart begins a round. What See found in the last one counts from now on.
func (s *Sampler) Restart() {
	s.seen = map[sample]int{}
	for k := range s.next {
		s.flagged[k] = true
	}
}

// Settled reports whether See found nothing in this round that was not known when
// it began: another round would want the same.
func (s *Sampler) Settled() bool { return len(s.next) == len(s.flagged) }

// want reports whether the second spelling of a is to be asked, and counts it.
func (s *Sampler) want(a address.Address, kinds []string) bool {
	want := false
	for _, k := range kinds {
		key := sample{a.Origin(), k}
		s.seen[key]++
		if s.seen[key] <= sampleSize || s.flagged[key] {
			want = true
		}
	}
	return want
}

// See notes whether the second spelling of a row answered otherwise.
func (s *Sampler) See(r *Row) {
	if r.Verdict != SpellingBounce && r.Verdict != SpellingConflict {
		return
	}
	if _, seen := s.rules.second(r.Address); seen {
		return // it was no sample
	}
	for _, k := range s.rules.Spelling.Kinds(r.Address) {
		s.next[sample{r.Address.Origin(), k}] = true
	}
}
