package discover

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
)

// StandingStore is a Store that also stores what is present where a corrected sitemap would be
// placed.
type StandingStore interface {
	Store
	PutStanding(url string, s *audit.Standing) error
}

// Limits for reading a sitemap that is not audited.
const (
	standingSize  = 50 << 20 // bytes of a file as served
	standingFiles = 100      // files of an index
)

// standingSpool is the name of the spooled file.
const standingSpool = "standing"

// Stand requests the addresses where corrected sitemaps would be placed after a move of the whole
// site, and stores what they answer. For an index it reads the sitemaps that this lists, too. It
// returns ctx's error when it was stopped, or that of the store.
func Stand(ctx context.Context, web Web, store StandingStore, urls []string) error {
	sitemaps, err := store.Sitemaps()
	if err != nil {
		return err
	}
	for _, url := range urls {
		l := looking{web: web, store: store, left: standingFiles}
		a := address.Wire(url)
		// The path of a file from a host that is not audited was chosen by that host.
		chosen := func(s audit.Sitemap) bool {
			return s.Strange && s.AnsweredAt != "" && address.Wire(s.AnsweredAt).Target() == a.Target()
		}
		if _, err := l.read(ctx, a, source{plain: slices.ContainsFunc(sitemaps, chosen)}, true); err != nil {
			return err
		}
		if err := store.PutStanding(url, &l.found); err != nil {
			return err
		}
	}
	return nil
}

// looking is the state of reading what is present at one address.
type looking struct {
	web   Web
	store Store
	found audit.Standing
	left  int // files that may still be read
	// charset is sitemap.Options.Charset of the spooled file.
	charset string
}

// read fetches a file, which from names, and adds what it lists; first is set for the file at the
// address itself. more reports whether there is room for the entries of other files.
func (l *looking) read(ctx context.Context, a address.Address, from source, first bool) (more bool, err error) {
	if l.left--; l.left < 0 {
		l.found.Seen = false
		return false, nil
	}
	spool := func() (io.WriteCloser, error) { return l.store.SpoolWriter(standingSpool) }
	got, err := l.web.File(ctx, fetch.File{URL: a, Redirects: sitemapRedirects, Limit: standingSize, Purpose: from.as(audit.AsRobot)}, spool)
	if err != nil {
		return false, err
	}
	seen, err := l.seen(ctx, &got)
	if l.found.Seen = seen && (first || l.found.Seen); err != nil {
		return false, err
	}
	if got.Status < 200 || got.Status > 299 || got.Bytes == 0 {
		return true, nil
	}
	if l.charset, err = servedCharset(ctx, l.store, standingSpool, &got); err != nil {
		return false, err
	}
	kind, err := l.kind(ctx, got.Final.String())
	if kind == "" || err != nil {
		return err == nil, err
	}
	if first {
		l.found.Sitemap = true
	}
	if kind != sitemap.Index {
		return l.list(ctx, got.Final.String())
	}
	if !first {
		return true, nil // Google does not read it either
	}
	index, err := l.children(ctx, got.Final.String())
	if err != nil {
		return false, err
	}
	for _, loc := range index {
		child, err := address.Resolve(got.Final, loc)
		if err != nil {
			continue
		}
		if more, err := l.read(ctx, child, source{plain: got.Strange}, false); err != nil || !more {
			return false, err
		}
	}
	l.found.Order = 0 // it does not have this order
	return true, nil
}

// seen reports whether an answer shows what is present there, completely: not one that asks to come
// back later, nor a page of a bot protection.
func (l *looking) seen(ctx context.Context, got *File) (bool, error) {
	switch {
	case got.Fault != "", got.Challenge != "", got.Truncated:
		return false, nil
	case got.Status == 404, got.Status == 410:
		return true, nil
	case got.Status != 200 && got.Status != 203:
		return false, nil
	case got.Bytes == 0:
		return true, nil
	}
	f, err := l.store.OpenSpool(ctx, standingSpool)
	if err != nil {
		return false, err
	}
	defer f.Close()
	name, err := fetch.ChallengeIn(got.Final, got.Status, got.ContentType, f)
	return name == "", err
}

// scan reads the spooled file.
func (l *looking) scan(ctx context.Context, at string, visit func(sitemap.Entry) error) (sitemap.Info, error) {
	f, err := l.store.OpenSpool(ctx, standingSpool)
	if err != nil {
		return sitemap.Info{}, err
	}
	defer f.Close()
	return readSitemap(f, sitemap.Options{URL: at, Charset: l.charset, Now: time.Now()}, visit)
}

// kind returns the kind of the spooled file; "" for what is no sitemap.
func (l *looking) kind(ctx context.Context, at string) (sitemap.Kind, error) {
	info, err := l.scan(ctx, at, func(sitemap.Entry) error { return errEnough })
	var none *sitemap.FormatError
	switch {
	case errors.As(err, &none):
		return "", nil
	case err != nil && !errors.Is(err, errEnough):
		return "", err
	}
	return info.Kind, nil
}

// list adds what the spooled file lists.
func (l *looking) list(ctx context.Context, at string) (more bool, err error) {
	_, err = l.scan(ctx, at, func(e sitemap.Entry) error {
		entry := audit.Entry{Loc: e.Loc, TooLong: e.TooLong}
		a, _ := entry.Parse() // an invalid address counts in the order, too
		if !l.found.Add(a, e.Ext) {
			l.found.Seen = false // there may be more entries
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return true, err
}

// children returns the first addresses of the spooled index.
func (l *looking) children(ctx context.Context, at string) (urls []string, err error) {
	_, err = l.scan(ctx, at, func(e sitemap.Entry) error {
		if urls = append(urls, e.Loc); len(urls) == standingFiles { // the last one is not read
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return urls, err
}
