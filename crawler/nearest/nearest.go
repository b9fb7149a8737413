// Package nearest finds, for addresses that have no page any more, the page that most likely
// replaces each: by the last segment of its path or an id in it, else by the similarity of its
// path to that of the page and to its title. It names a page only where that is clearly more similar than all others.
//
// Pages are compared one at a time and are not kept, so memory grows with the number of addresses
// to find a page for, not with the site.
package nearest

import (
	"cmp"
	"slices"

	"sitemend/crawler/address"
)

// Thresholds for naming a page (contract, section 7): its similarity, and the distance to the next
// one.
const (
	Least = 0.6
	Ahead = 0.1
)

// Limits of the words of an address that are looked up: only a few, the rarest, and none that is
// common to too many addresses.
const (
	keysOf  = 4
	sharers = 200
)

// A Match is a page that most likely replaces an address.
type Match struct {
	Address    address.Address
	Similarity float64 // from Least to 1
}

// A Finder holds the addresses to find a page for. Call Ask for all of them first, then Page for
// each page.
type Finder struct {
	most  int
	asked []question
	at    map[int]int        // the index of a question by its number
	words map[string][]int32 // the questions that a word finds; nil before the first page
}

// question is an address with the two pages that are most similar to it.
type question struct {
	features
	best   Match
	second Match
}

// New returns a Finder that takes up to most addresses.
func New(most int) *Finder {
	return &Finder{most: most, at: map[int]int{}}
}

// Ask adds an address to find a page for. n identifies the question. It returns false where the Finder
// is full.
func (f *Finder) Ask(n int, a address.Address) bool {
	if len(f.asked) >= f.most {
		return false
	}
	f.at[n] = len(f.asked)
	f.asked = append(f.asked, question{features: featuresOf(a, "")})
	return true
}

// Len returns the number of addresses added.
func (f *Finder) Len() int { return len(f.asked) }

// Page compares a page with the addresses that it may replace.
func (f *Finder) Page(a address.Address, title string) {
	f.index()
	page, compared := featuresOf(a, title), map[int32]bool{}
	for _, key := range page.keys() {
		for _, n := range f.words[key] {
			q := &f.asked[n]
			if !compared[n] && q.at != a {
				q.take(Match{a, q.like(&page)})
			}
			compared[n] = true
		}
	}
}

// take keeps the two best pages. A page that comes twice counts once.
func (q *question) take(m Match) {
	switch {
	case m.Address == q.best.Address:
	case m.Similarity > q.best.Similarity:
		q.best, q.second = m, q.best
	case m.Similarity > q.second.Similarity:
		q.second = m
	}
}

// Found returns the page that replaces the address of question n; ok is false where none is clearly
// ahead.
func (f *Finder) Found(n int) (m Match, ok bool) {
	at, asked := f.at[n]
	if !asked {
		return Match{}, false
	}
	q := &f.asked[at]
	return q.best, q.best.Similarity >= Least && q.best.Similarity-q.second.Similarity > Ahead-1e-6 // of floating point
}

// index indexes the addresses by their rarest words.
func (f *Finder) index() {
	if f.words != nil {
		return
	}
	f.words = map[string][]int32{}
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
