package audit

import (
	"context"
	"slices"

	"sitemend/crawler/nearest"
)

// An aside sets what a list that is no file of the site says beside what was seen: it knows the list
// before the last walk over the final rows, and sees each of these.
type aside interface {
	see(r *Row)
	join(ctx context.Context, result *Result) error // ends it
}

// newAsides reads the lists of an audit once, and returns what knows them.
func (t *Plan) newAsides(ctx context.Context) (known []aside, err error) {
	of := func(kind string) []Sitemap {
		return slices.DeleteFunc(slices.Clone(t.lists), func(s Sitemap) bool { return s.Kind != kind })
	}
	exports := &joining{t: t, exports: of(KindSearchConsole), listings: map[uint64]*listing{}}
	maps := &expecting{t: t, maps: of(KindExpect), old: map[uint64]bool{}, found: nearest.New(maxSuggestions)}
	for _, s := range slices.Concat(exports.exports, maps.maps) {
		for e, err := range t.src.Entries(ctx, s.First, s.First+s.Entries) {
			if err != nil {
				return nil, err
			}
			switch a, err := e.Parse(); {
			case err != nil:
			case s.Kind == KindExpect:
				maps.know(&e, a)
			default:
				exports.know(a)
			}
		}
	}
	if len(exports.exports) > 0 {
		known = append(known, exports)
	}
	if len(maps.maps) > 0 {
		known = append(known, maps)
	}
	return known, nil
}
