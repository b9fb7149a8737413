package audit

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
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
	counted := sections{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if e.Skip == SkipNone && !e.Also.File() && !(apart && e.WithoutSecrets) {
			counted.count(e.Loc)
		}
	}
	return counted.most(), nil
}

// A section is a first path segment of an origin; sections counts the entries below each.
type (
	section  struct{ origin, path string }
	sections map[section]int
)

func (n sections) count(loc string) {
	a, err := address.Parse(loc)
	if err != nil {
		return
	}
	s := section{a.Origin(), firstSegment(a.Path())}
	if _, known := n[s]; s.path != "" && (known || len(n) < maxCounted) {
		n[s]++
	}
}

// most returns the sections of each origin that count.
func (n sections) most() map[string][]string {
	found := map[string][]string{}
	for s, entries := range n {
		if entries >= sectionAt {
			found[s.origin] = append(found[s.origin], strings.Clone(s.path))
		}
	}
	for origin, paths := range found {
		slices.SortFunc(paths, func(a, b string) int {
			return cmp.Or(n[section{origin, b}]-n[section{origin, a}], strings.Compare(a, b))
		})
		paths = paths[:min(len(paths), maxSections)]
		slices.Sort(paths)
		found[origin] = paths
	}
	return found
}
