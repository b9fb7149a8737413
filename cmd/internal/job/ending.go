package job

import (
	"context"
	"io"
	"iter"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/storage"
)

// An ending audit yields entries until its context ends.
type ending struct {
	*storage.Audit
	ctx context.Context
}

// Entries yields the entries from <= N < to in order, or why it stops.
func (e ending) Entries(from, to int) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for entry, err := range e.Audit.Entries(from, to) {
			if err == nil {
				err = e.ctx.Err()
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// OpenSpool opens a sitemap as it was fetched; reading it ends when ctx does.
func (e ending) OpenSpool(name string) (io.ReadCloser, error) {
	r, err := e.Audit.OpenSpool(name)
	if err != nil {
		return nil, err
	}
	return sitemap.Stoppable(e.ctx, r), nil
}
