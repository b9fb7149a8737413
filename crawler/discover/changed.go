package discover

import (
	"context"
	"errors"
	"io"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// againSpool is the name of the spooled file that is requested once more.
const againSpool = "again"

// again requests a sitemap of all once more, and spools the answer as againSpool.
func again(ctx context.Context, web Web, store Store, all []audit.Sitemap, s *audit.Sitemap, as answers.Purpose) (File, error) {
	from := source{at: address.Wire(s.URL), plain: s.Strange || s.Parent >= 0 && all[s.Parent].Strange}
	return web.File(ctx, from.file(as), func() (io.WriteCloser, error) { return store.SpoolWriter(againSpool) })
}

// Missing requests the files once more, as an ordinary browser, that indexes name and that were not
// there, and notes in the store which of them are not there for it, either (audit.Sitemap.GoneTwice).
func Missing(ctx context.Context, web Web, store Store) error {
	all, err := store.Sitemaps()
	for i := range all {
		s := &all[i]
		if err != nil || s.Parent < 0 || s.GoneTwice || !answers.Gone(s.Status) {
			continue
		}
		var got File
		if got, err = again(ctx, web, store, all, s, answers.AsBrowser); err == nil {
			s.Requests, s.GoneTwice = s.Requests+got.Requests, answers.Gone(got.Status)
			err = store.PutSitemap(*s)
		}
	}
	return err
}

// Changed requests sitemaps of an audit once more, and returns the numbers of those that list
// something else than when the audit read them: a corrected copy of what was read would take out
// what was added since. In which order a sitemap lists its addresses, and with which dates, does not
// count: many are written anew for each request. One that does not answer has not changed as far as
// is known. It returns ctx's error when it was stopped, or that of the store.
func Changed(ctx context.Context, web Web, store Store, sitemaps []audit.Sitemap) (changed []int, err error) {
	all, err := store.Sitemaps()
	for i := range sitemaps {
		s, same := &sitemaps[i], false
		if err == nil {
			same, err = lists(ctx, web, store, all, s)
		}
		if !same {
			changed = append(changed, s.N)
		}
	}
	return changed, err
}

// lists reports whether a sitemap lists what it listed, as far as its answer shows.
func lists(ctx context.Context, web Web, store Store, all []audit.Sitemap, s *audit.Sitemap) (bool, error) {
	got, err := again(ctx, web, store, all, s, answers.AsRobot)
	switch {
	case err != nil || answers.Gone(got.Status):
		return false, err
	case got.Fault != "" || got.Challenge != "" || got.Truncated || got.Status < 200 || got.Status > 299:
		return true, nil
	}
	was, err1 := listingOf(ctx, store, s.Spool)
	is, err2 := listingOf(ctx, store, againSpool)
	return is == was, errors.Join(err1, err2)
}

// A listing is what a sitemap lists, in whatever order: how many addresses, and the sum of their
// hashes.
type listing struct {
	kind    sitemap.Kind // "" for no sitemap
	entries int
	sum     uint64
}

// listingOf returns what a spooled file lists.
func listingOf(ctx context.Context, store Store, spool string) (l listing, err error) {
	info, err := scan(ctx, store, spool, sitemap.Options{}, func(e sitemap.Entry) error {
		l.entries++
		h := xxhash.NewWithSeed(uint64(e.Ext))
		_, err := h.WriteString(e.Loc)
		l.sum += h.Sum64()
		return err
	})
	var none *sitemap.FormatError
	if errors.As(err, &none) {
		return listing{}, nil
	}
	l.kind = info.Kind
	return l, err
}
