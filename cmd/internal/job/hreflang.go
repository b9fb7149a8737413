package job

import (
	"context"
	"errors"
	"io"

	"sitemend/crawler/audit"
	"sitemend/crawler/hreflang"
	"sitemend/storage"
)

// addHreflang adds to the files of an audit what is wrong with their alternates. What is said of
// links that stay is added where the corrected sitemaps are written.
func addHreflang(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	return addAlternates(ctx, a, t, hreflang.Faults)
}

// findAlternates is what finds the faults of alternates: hreflang.Faults or AllFaults.
type findAlternates func(context.Context, *audit.Result, hreflang.Open, audit.Shelf) ([][]audit.SitemapFault, error)

func addAlternates(ctx context.Context, a *storage.Audit, t *audit.Result, find findAlternates) error {
	sorter := storage.NewSorter("")
	open := func(ctx context.Context, file int) (io.ReadCloser, error) {
		return a.OpenSpool(ctx, t.Files[file].Sitemap.Spool)
	}
	faults, err := find(ctx, t, open, shelf{sorter})
	if err := errors.Join(err, sorter.Close()); err != nil {
		return err
	}
	t.AddFaults(faults)
	return nil
}
