package audit

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

const (
	sectionAt   = 5       // entries that share a first path segment, from which it is one
	maxSections = 8       // of an origin, those with the most entries
	maxCounted  = 100_000 // sections that are counted
)

// Sections returns, for each scheme, host and port, the first path segments under which a URL that
// cannot exist is requested: those that five or more of the entries share, the eight with most;
// sorted. What a server says to a URL that does not exist often depends on the rule, and so on the
// path. Where apart is set the entries with Entry.WithoutSecrets do not count: no stranger makes a
// section that is requested with secrets. It returns an error only where entries does.
func Sections(entries iter.Seq2[Entry, error], apart bool) (map[string][]string, error) {
	counts, all := map[string]map[string]int{}, 0
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		a, err := e.Parse()
		if err != nil || e.Skip != SkipNone || e.Also.File() || apart && e.WithoutSecrets {
			continue
		}
		under, path := counts[a.Origin()], firstSegment(a.Path())
		if under == nil {
			under = map[string]int{}
			counts[strings.Clone(a.Origin())] = under
		}
		if _, known := under[path]; !known && all < maxCounted {
			path = strings.Clone(path)
			under[path], all = 0, all+1
		} else if !known {
			continue
		}
		under[path]++
	}
	found := map[string][]string{}
	for origin, under := range counts {
		delete(under, "")
		maps.DeleteFunc(under, func(_ string, n int) bool { return n < sectionAt })
		most := slices.SortedFunc(maps.Keys(under), func(a, b string) int { return cmp.Or(under[b]-under[a], strings.Compare(a, b)) })
		if len(most) > 0 {
			found[origin] = slices.Sorted(slices.Values(most[:min(len(most), maxSections)]))
		}
	}
	return found, nil
}
