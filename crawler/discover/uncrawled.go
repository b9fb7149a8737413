package discover

import (
	"context"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// uncrawled returns, by wire form, how many entries name an address of the exports in the ways that
// are not crawled (--also), in the form of audit.Reported.Uncrawled. It reads the sitemaps once more where there are such
// ways; memory use grows with the exports alone.
func (w *discovery) uncrawled(ctx context.Context) (map[string][3]int, error) {
	lists := slices.DeleteFunc(audit.AlsoLists(), func(l audit.AlsoList) bool { return slices.Contains(w.Also.Lists, l) })
	if len(lists) == 0 || w.NoFetch {
		return nil, nil
	}
	sitemaps, err := w.store.Sitemaps()
	if err != nil {
		return nil, err
	}
	n := naming{also: Also{Lists: lists}, of: map[string][3]int{}}
	for _, x := range w.Exports {
		for _, r := range x.Rows {
			if a, err := address.Parse(r.URL); err == nil {
				n.of[a.String()] = [3]int{}
			}
		}
	}
	for i := range sitemaps {
		if n.also.named(sitemaps[i]) {
			if err := w.nameIn(ctx, &sitemaps[i], &n); err != nil {
				return nil, err
			}
		}
	}
	return n.of, nil
}

// naming counts for each address of the exports, by wire form, the entries that name it.
type naming struct {
	also Also
	of   map[string][3]int
}

// nameIn counts what the elements of a file name. Several links of one element count once.
func (w *discovery) nameIn(ctx context.Context, s *audit.Sitemap, n *naming) error {
	r, err := w.store.OpenSpool(ctx, s.Spool)
	if err != nil {
		return err
	}
	defer r.Close()
	type mention struct {
		wire string
		list int
	}
	in := map[mention]bool{} // of the current element
	o := sitemap.Options{URL: s.AnsweredAt, Charset: s.Charset, Now: w.Now, Assets: n.also.assets(), Links: func(own []sitemap.Entry, links []sitemap.Link) error {
		clear(in)
		for _, l := range links {
			a, err := address.Parse(l.Href)
			list := slices.Index(audit.AlsoLists(), listOf[l.Kind])
			if err != nil || !slices.Contains(n.also.Lists, listOf[l.Kind]) {
				continue
			}
			counts, reported := n.of[a.String()]
			if !reported || in[mention{a.String(), list}] {
				continue
			}
			in[mention{a.String(), list}] = true
			counts[list] += len(own)
			n.of[a.String()] = counts
		}
		return nil
	}}
	_, err = readSitemap(r, o, func(sitemap.Entry) error { return nil })
	return err
}
