package pattern

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

const (
	sectionAt   = 5       // addresses that share a first path segment, from which it is one
	maxSections = 8       // of an origin, those with the most addresses
	maxCounted  = 100_000 // sections that are counted
)

// Sections counts the addresses of each first path segment, by scheme, host and port. The zero Sections
// has none.
type Sections struct {
	counts map[string]map[string]int // by origin and segment
	all    int
}

// See adds an address.
func (s *Sections) See(a address.Address) {
	if s.counts == nil {
		s.counts = map[string]map[string]int{}
	}
	under, section := s.counts[a.Origin()], a.Section()
	if under == nil {
		under = map[string]int{}
		s.counts[strings.Clone(a.Origin())] = under
	}
	if _, known := under[section]; !known {
		if s.all == maxCounted {
			return
		}
		section, s.all = strings.Clone(section), s.all+1
	}
	under[section]++
}

// Most returns for each origin the segments that five addresses or more share, the eight with most;
// sorted.
func (s *Sections) Most() map[string][]string {
	found := map[string][]string{}
	for origin, under := range s.counts {
		delete(under, "")
		maps.DeleteFunc(under, func(_ string, n int) bool { return n < sectionAt })
		most := slices.SortedFunc(maps.Keys(under), func(a, b string) int { return cmp.Or(under[b]-under[a], strings.Compare(a, b)) })
		if len(most) > 0 {
			found[origin] = slices.Sorted(slices.Values(most[:min(len(most), maxSections)]))
		}
	}
	return found
}
