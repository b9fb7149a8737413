package discover

import (
	"context"
	"iter"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// earlier adds the addresses that the last audit dropped and that no sitemap lists any more, as one
// list for each sitemap that they came from.
func (w *discovery) earlier(ctx context.Context) error {
	if len(w.Dropped) == 0 || w.NoFetch {
		return nil
	}
	left := map[string]Dropped{}
	var order []string
	for _, d := range w.Dropped {
		a, err := address.Parse(d.Loc)
		if _, twice := left[a.String()]; err == nil && !twice {
			left[a.String()] = d
			order = append(order, a.String())
		}
	}
	if err := w.listed(ctx, left); err != nil {
		return err
	}
	var sitemaps []string
	lists := map[string][]audit.Entry{}
	for _, url := range order {
		d, ok := left[url]
		if !ok {
			continue
		}
		if w.skip(d.Loc, ^uint64(0)) == audit.SkipFilter {
			continue
		}
		if lists[d.Sitemap] == nil {
			sitemaps = append(sitemaps, d.Sitemap)
		}
		lists[d.Sitemap] = append(lists[d.Sitemap], audit.Entry{Loc: d.Loc, Line: d.Line, Earlier: true, WithoutSecrets: d.Plain})
	}
	for _, url := range sitemaps {
		sm := audit.Sitemap{URL: url, Parent: -1, Kind: audit.KindEarlier, FetchedAt: w.Now}
		if _, err := w.store.AddSitemap(ctx, sm, all(lists[url])); err != nil {
			return err
		}
	}
	return nil
}

// listed removes from left the addresses that a sitemap still lists.
func (w *discovery) listed(ctx context.Context, left map[string]Dropped) error {
	for e, err := range w.store.Entries(ctx, 0, w.store.EntryCount()) {
		if err != nil {
			return err
		}
		if a, err := e.Parse(); err == nil {
			delete(left, a.String())
		}
	}
	return nil
}

func all(entries []audit.Entry) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// wasDropped reports whether the last audit dropped an address.
func (w *discovery) wasDropped(loc string) bool {
	if len(w.Dropped) == 0 {
		return false
	}
	if w.droppedSet == nil {
		w.droppedSet = map[string]bool{}
		for _, d := range w.Dropped {
			if a, err := address.Parse(d.Loc); err == nil {
				w.droppedSet[a.String()] = true
			}
		}
	}
	a, err := address.Parse(loc)
	return err == nil && w.droppedSet[a.String()]
}
