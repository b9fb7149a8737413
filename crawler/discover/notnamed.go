package discover

import (
	"context"
	"maps"
	"slices"

	"sitemend/crawler/audit"
)

// notNamed records as not read the sitemaps of the last audit that no robots.txt names any more where
// one was found in a usual place that the last audit did not read: a robots.txt that is gone
// for a night must not exchange the sitemaps of a site for a forgotten one. The next audit knows that
// one.
func (w *discovery) notNamed(ctx context.Context) error {
	read, err := w.store.Sitemaps()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range read {
		known[read[i].URL] = true
		if read[i].Kind != "" { // "/sitemap.xml" often redirects to what robots.txt named
			known[read[i].AnsweredAt] = true
		}
	}
	for _, url := range slices.Sorted(maps.Keys(w.Named)) {
		if robots := w.Named[url]; w.unnamed[robots] && !known[url] {
			if _, err := w.failed(ctx, &audit.Sitemap{URL: url, Parent: -1, FetchedAt: w.Now}, source{parent: -1},
				audit.SitemapNotNamed, say("not-named", robots), ""); err != nil {
				return err
			}
		}
	}
	return nil
}
