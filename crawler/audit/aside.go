package audit

import (
	"context"

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
	exports := &joining{t: t, listings: map[uint64]*listing{}}
	maps := &expecting{t: t, old: map[uint64]bool{}, found: nearest.New(maxSuggestions)}
	for _, s := range t.lists {
		know := exports.know
		switch s.Kind {
		case KindSearchConsole:
			exports.exports = append(exports.exports, s)
		case KindExpect:
			maps.maps, know = append(maps.maps, s), maps.know
		default:
			continue
		}
		for e, err := range t.src.Entries(ctx, s.First, s.First+s.Entries) {
			if err != nil {
				return nil, err
			}
			if a, wrong := e.Parse(); wrong == nil {
				know(&e, a)
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
