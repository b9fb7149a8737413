// Package nearest finds, for addresses that lead to no page, the page that each most likely
// became: by the last segment of its path or an id in it, else by how alike paths and titles
// are. A page is named only where it is clearly ahead of all others.
//
// Pages pass by one at a time and are not kept, so that memory grows with the addresses that
// are asked about, not with the site.
package nearest

import (
	"cmp"
	"math"
	"slices"

	"sitemend/crawler/address"
)

// The bounds from which a page is named (contract, section 7): how alike it is, and how much
// more than the next one.
const (
	Least = 0.6
	Ahead = 0.1
)

// Few of the words of an address are looked up, the rarest, and none that more addresses
// have: what all have in common says nothing.
const (
	keysOf  = 4
	sharers = 200
)

// A Match is a page that an address most likely became.
type Match struct {
	Address    address.Address
	Similarity float64 // from Least to 1
}

// A Finder holds the addresses that a page is looked for. Ask for all of them first, then
// show it the pages.
type Finder struct {
	most    int
	asked   []question
	at      map[int]int // the question by its number
	words   map[string][]int32
	indexed bool
	seen    []uint32 // by question: the page that was last compared with it
	pages   uint32
}

// question is an address with the two pages that are most like it.
type question struct {
	features
	best   Match
	second Match
}

// New returns a Finder that takes at most most addresses.
func New(most int) *Finder {
	return &Finder{most: most, at: map[int]int{}, words: map[string][]int32{}}
}

// Ask asks for the page that an address became; title is that of its page when there was one,
// "" where it is not known. n names the question. It returns false where the Finder takes no
// more.
func (f *Finder) Ask(n int, a address.Address, title string) bool {
	if len(f.asked) >= f.most {
		return false
	}
	f.at[n] = len(f.asked)
	f.asked = append(f.asked, question{features: featuresOf(a, title)})
	return true
}

// Len returns how many addresses are asked for.
func (f *Finder) Len() int { return len(f.asked) }

// Page compares a page with the addresses that it may be the new home of.
func (f *Finder) Page(a address.Address, title string) {
	f.index()
	f.pages++
	page := featuresOf(a, title)
	for _, key := range page.keys() {
		for _, n := range f.words[key] {
			q := &f.asked[n]
			if f.seen[n] == f.pages || q.at == a {
				continue
			}
			f.seen[n] = f.pages
			q.take(Match{a, q.like(&page)})
		}
	}
}

// take keeps the two best pages. One that comes twice is one.
func (q *question) take(m Match) {
	switch {
	case m.Address == q.best.Address:
	case m.Similarity > q.best.Similarity:
		q.best, q.second = m, q.best
	case m.Similarity > q.second.Similarity:
		q.second = m
	}
}

// Found returns the page that is named for question n; ok is false where none is clearly
// ahead.
func (f *Finder) Found(n int) (m Match, ok bool) {
	at, asked := f.at[n]
	if !asked {
		return Match{}, false
	}
	q := &f.asked[at]
	return q.best, q.best.Similarity >= Least && rounded(q.best.Similarity-q.second.Similarity) >= Ahead
}

// index makes the table of the addresses by their rarest words.
func (f *Finder) index() {
	if f.indexed {
		return
	}
	f.indexed, f.seen = true, make([]uint32, len(f.asked))
	often := map[string]int{}
	for i := range f.asked {
		for _, key := range f.asked[i].keys() {
			often[key]++
		}
	}
	for i := range f.asked {
		keys := f.asked[i].keys()
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(often[a], often[b]) })
		for _, key := range keys[:min(keysOf, len(keys))] {
			if often[key] <= sharers {
				f.words[key] = append(f.words[key], int32(i))
			}
		}
	}
}

// rounded cuts what floating point adds to a difference of two shares.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
