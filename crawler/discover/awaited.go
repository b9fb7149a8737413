package discover

import (
	"context"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Awaited returns the sitemaps that the indexes of an audit list and that had not been read when
// the audit was stopped, in the order of the indexes, each with a warning that says so: nothing is
// wrong with the file. There are none once the discovery was complete. It reads only what is
// stored, so it works for an audit that was killed, too. Their numbers follow those of the sitemaps
// in the store. What an index that was not read would list is unknown. The error is that of the
// store, or ctx's.
func Awaited(ctx context.Context, store Store) ([]audit.Sitemap, error) {
	if _, done, err := store.Get(discovered); err != nil || done {
		return nil, err
	}
	known, err := store.Sitemaps()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range known {
		seen[known[i].URL], seen[known[i].AnsweredAt] = true, true
	}
	var awaited []audit.Sitemap
	for i := range known {
		index := &known[i]
		if index.Kind != string(sitemap.Index) || slices.ContainsFunc(index.Faults, unfollowed) {
			continue
		}
		w := discovery{store: store}
		_, err := w.scan(ctx, index, func(e sitemap.Entry) error {
			at, err := childOf(index, e)
			if err != nil || e.TooLong || seen[at.String()] {
				return nil
			}
			seen[at.String()] = true
			sm := audit.Sitemap{N: len(known) + len(awaited), Parent: index.N, URL: at.String(), Line: e.Line}
			from := source{parent: index.N, index: index.URL, at: e.Line}
			sm.Faults = []audit.SitemapFault{say("awaited").fault(&sm, from, "Not read", "warning")}
			awaited = append(awaited, sm)
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return awaited, nil
}

// unfollowed reports whether a fault of an index says that the sitemaps it lists are not read.
func unfollowed(f audit.SitemapFault) bool { return f.Key == "index-deep" || f.Key == "index-bound" }

// childOf returns the address of a sitemap that an index lists, also where it is written without
// its host.
func childOf(index *audit.Sitemap, e sitemap.Entry) (address.Address, error) {
	a, err := address.Parse(e.Loc)
	if err != nil && index.AnsweredAt != "" {
		return address.Resolve(address.Wire(index.AnsweredAt), e.Loc)
	}
	return a, err
}
