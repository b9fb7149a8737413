package audit

import (
	"context"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/nearest"
)

// An aside sets what a list that is no file of the site says beside what was seen: it knows the list
// before the last walk over the final rows, and sees each of these.
type aside interface {
	know(e *Entry, a address.Address)
	see(r *Row)
	join(ctx context.Context, result *Result) error // ends it
}

// newAsides reads the lists of an audit once, and returns what knows them.
func (t *Plan) newAsides(ctx context.Context) (known []aside, err error) {
	exports, maps := t.asideOf(KindSearchConsole), t.asideOf(KindExpect)
	for _, x := range []struct {
		lists []Sitemap
		aside
	}{
		{exports, &joining{t: t, exports: exports, listings: map[uint64]*listing{}}},
		{maps, &expecting{t: t, maps: maps, old: map[uint64]bool{}, found: nearest.New(maxSuggestions)}},
	} {
		for _, s := range x.lists {
			for e, err := range t.src.Entries(ctx, s.First, s.First+s.Entries) {
				if err != nil {
					return nil, err
				}
				if a, err := e.Parse(); err == nil {
					x.know(&e, a)
				}
			}
		}
		if len(x.lists) > 0 {
			known = append(known, x.aside)
		}
	}
	return known, nil
}

// asideOf returns the lists of a kind.
func (t *Plan) asideOf(kind string) []Sitemap {
	return slices.DeleteFunc(slices.Clone(t.aside), func(s Sitemap) bool { return s.Kind != kind })
}
