package hreflang

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Written implements audit.Sets: it makes the corrected copy of a file with all its entries, and
// reads that.
func (x sets) Written(ctx context.Context, result *audit.Result, file int) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		s := &result.Files[file].Sitemap
		f, err := x.open(ctx, s.Spool)
		if err != nil {
			yield(0, err)
			return
		}
		from := sitemap.Stoppable(ctx, f)
		defer from.Close()
		r, w := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.CloseWithError(correct(ctx, result, file, from, w))
		}()
		_, err = sitemap.Read(r, sitemap.Options{URL: s.AnsweredAt, Charset: s.Charset}, func(e sitemap.Entry) error {
			if !yield(e.Ext, nil) {
				return errEnough
			}
			return nil
		})
		_ = r.Close() // never fails
		<-done
		if err != nil && !errors.Is(err, errEnough) {
			yield(0, err)
		}
	}
}

// correct copies a file with those edits of a result that keep all entries in it.
func correct(ctx context.Context, result *audit.Result, file int, from io.Reader, w io.Writer) error {
	next, stop := iter.Pull2(result.Edits(ctx, file))
	defer stop()
	var own []audit.Own
	edits := sitemap.Edits{Charset: result.Files[file].Sitemap.Charset, Assets: result.EditsAssets(), Element: func() { own = own[:0] }}
	edits.Entry = func(n int, _ []byte) (sitemap.Edit, error) {
		row, err, ok := next()
		if err == nil && !ok {
			err = fmt.Errorf("the file has more entries than the %d that were audited", n)
		}
		if err != nil {
			return sitemap.Edit{}, err
		}
		own = append(own, row.Entry.Own())
		if row.Fix.Action == audit.Replace {
			return sitemap.Edit{Action: sitemap.Replace, Loc: row.Fix.Loc}, nil
		}
		return sitemap.Edit{Action: sitemap.Keep}, nil
	}
	edits.Links = func(links []sitemap.Link) ([]sitemap.Edit, error) {
		fixes, _, err := sitemap.Fixes(ctx, result, own, links)
		all := make([]sitemap.Edit, len(fixes))
		for i := range fixes {
			all[i] = sitemap.EditOf(&links[i], &fixes[i])
		}
		return all, err
	}
	_, err := sitemap.Rewrite(from, w, edits)
	return err
}
