package hreflang

import (
	"context"
	"errors"
	"io"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// NewSets returns a reader of the xhtml:links in an audit's sitemaps. open opens a sitemap by the
// name of its spool; the reader closes it.
func NewSets(open func(ctx context.Context, spool string) (io.ReadCloser, error)) audit.Sets {
	return sets{open}
}

type sets struct {
	open func(ctx context.Context, spool string) (io.ReadCloser, error)
}

// Sets implements audit.Sets.
func (x sets) Sets(ctx context.Context, s *audit.Sitemap) iter.Seq2[audit.LinkSet, error] {
	return func(yield func(audit.LinkSet, error) bool) {
		open := func(ctx context.Context) (io.ReadCloser, error) { return x.open(ctx, s.Spool) }
		var set audit.LinkSet
		for e, err := range elements(ctx, open, sitemap.Options{Charset: s.Charset}) {
			set.Own, set.Links = e.entries(s.First, set.Own[:0]), alternatesOf(e.links, set.Links[:0])
			if !yield(set, err) || err != nil {
				return
			}
		}
	}
}

// An element is the n-th element with links of its file.
type element struct {
	n     int
	own   []sitemap.Entry
	links []sitemap.Link
}

// entries appends the element's entries; first is the number of the first entry of its file.
func (e *element) entries(first int, entries []audit.Own) []audit.Own {
	for i := range e.own {
		entries = append(entries, audit.Own{N: first + e.own[i].N, Loc: e.own[i].Loc})
	}
	return entries
}

// alternatesOf appends the xhtml:links among links.
func alternatesOf(links []sitemap.Link, alternates []audit.Link) []audit.Link {
	for _, l := range links {
		if l.Kind == sitemap.Alternate {
			alternates = append(alternates, audit.Link{Href: l.Href, Lang: l.Lang, Bound: l.Bound})
		}
	}
	return alternates
}

// elements yields the elements of a file that have links; with o.Assets, also those with images or
// videos.
func elements(ctx context.Context, open func(context.Context) (io.ReadCloser, error),
	o sitemap.Options) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		f, err := open(ctx)
		if err != nil {
			yield(element{}, err)
			return
		}
		r := sitemap.Stoppable(ctx, f)
		defer r.Close()
		n := -1
		o.Links = func(own []sitemap.Entry, links []sitemap.Link) error {
			if n++; !yield(element{n, own, links}, nil) {
				return errEnough
			}
			return nil
		}
		_, err = sitemap.Read(r, o, func(sitemap.Entry) error { return nil })
		if err != nil && !errors.Is(err, errEnough) {
			yield(element{}, err)
		}
	}
}

// errEnough ends the reading of a file when the caller stops ranging over its elements.
var errEnough = errors.New("enough")
