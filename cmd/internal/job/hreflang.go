package job

import (
	"context"
	"errors"
	"io"

	"sitemend/crawler/audit"
	"sitemend/crawler/hreflang"
	"sitemend/storage"
)

// addHreflang adds to the files of an audit what is wrong with their alternates.
func addHreflang(ctx context.Context, a *storage.Audit, t *audit.Result) error {
	sorter := storage.NewSorter("")
	open := func(ctx context.Context, file int) (io.ReadCloser, error) {
		return a.OpenSpool(ctx, t.Files[file].Sitemap.Spool)
	}
	faults, err := hreflang.Faults(ctx, t, open, shelf{sorter})
	if err := errors.Join(err, sorter.Close()); err != nil {
		return err
	}
	t.AddFaults(faults)
	return nil
}
