package discover

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/sitemap"
)

// Also says which of the addresses that sitemaps name beside their entries are crawled, too.
type Also struct {
	Lists []audit.AlsoList
	// Sorter returns a new empty sorter, and a Closer that releases it. It must be set where there
	// are Lists.
	Sorter func() (ground.Sorter, io.Closer)
}

// also adds the addresses that sitemaps name beside their entries and that are no entries
// themselves, as one list of each kind. Memory use does not depend on their number: they are joined
// with the entries on disk, by address.
func (w *discovery) also(ctx context.Context) (err error) {
	if w.NoFetch || len(w.Also.Lists) == 0 {
		return nil
	}
	sitemaps, err := w.store.Sitemaps()
	if err != nil || !slices.ContainsFunc(sitemaps, w.Also.named) {
		return err
	}
	sorter, closer := w.Also.Sorter()
	defer func() { err = errors.Join(err, closer.Close()) }()
	a := alsoing{w, sorter}
	for i := range sitemaps {
		s := &sitemaps[i]
		err := a.listed(ctx, s)
		if err == nil && w.Also.named(*s) {
			err = a.file(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	for _, list := range w.Also.Lists {
		if err := w.list(ctx, string(list), string(list), a.list(ctx, list), nil); err != nil {
			return err
		}
	}
	return nil
}

// named reports whether a sitemap may name addresses for one of the lists.
func (x *Also) named(s audit.Sitemap) bool {
	return s.Spool != "" && (s.Links && s.Kind != string(sitemap.Index) || x.assets() && s.Kind == string(sitemap.URLSet))
}

// assets reports whether images or videos are wanted.
func (x *Also) assets() bool {
	return slices.Contains(x.Lists, audit.AlsoImages) || slices.Contains(x.Lists, audit.AlsoVideos)
}

// alsoing is the state of also: what is listed and what is named, by address.
type alsoing struct {
	w      *discovery
	sorter ground.Sorter
}

// listedMark is the value of a listed address: it sorts before all mentions.
const listedMark = ""

// listed puts the addresses that a file lists into the sorter.
func (a *alsoing) listed(ctx context.Context, s *audit.Sitemap) error {
	if !s.Listed() {
		return nil
	}
	for e, err := range a.w.store.Entries(ctx, s.First, s.First+s.Entries) {
		if err != nil {
			return err
		}
		if at, err := e.Parse(); err == nil {
			if err := a.sorter.Add(at.String(), listedMark); err != nil {
				return err
			}
		}
	}
	return nil
}

// A mention, that an entry names an address, is what stands in the sorter for it: the index of the list
// in Also.Lists and the number of the entry, by which mentions are in order; bits; and the address as it
// is written, unless that is the wire form.
const (
	byDevice byte = 1 << iota // the link has no hreflang
	byPlain                   // named by a file that is not the site's own (audit.Sitemap.Strange)
)

// file puts the addresses that the elements of a file name into the sorter.
func (a *alsoing) file(ctx context.Context, s *audit.Sitemap) error {
	limit, err := a.w.sampleLimit(ctx, s)
	if err != nil {
		return err
	}
	o := sitemap.Options{Assets: a.w.Also.assets(), Links: func(own []sitemap.Entry, links []sitemap.Link) error {
		own = slices.DeleteFunc(own, func(e sitemap.Entry) bool { return a.w.skip(e.Loc, limit) != audit.SkipNone })
		for _, l := range links {
			if err := a.link(s, own, &l); err != nil {
				return err
			}
		}
		return nil
	}}
	_, err = scan(ctx, a.w.store, s.Spool, o, func(sitemap.Entry) error { return nil })
	return err
}

// link records a link of an element with these entries. An element should have one: each of
// thousands could be named by each of thousands of images.
func (a *alsoing) link(s *audit.Sitemap, own []sitemap.Entry, l *sitemap.Link) error {
	at, err := address.Parse(l.Href)
	list := slices.Index(a.w.Also.Lists, listOf[l.Kind])
	if err != nil || list < 0 || len(l.Href) > address.MaxLength || a.leftOut(l) {
		return nil
	}
	var bits byte
	if l.Kind == sitemap.Alternate && l.Lang == "" {
		bits |= byDevice
	}
	if s.Strange {
		bits |= byPlain
	}
	href := ""
	if l.Href != at.String() {
		href = address.Masked(l.Href)
	}
	for _, e := range own[:min(len(own), audit.MaxNamings)] {
		head := append(binary.BigEndian.AppendUint64([]byte{byte(list)}, uint64(s.First+e.N)), bits)
		if err := a.sorter.Add(at.String(), string(head)+href); err != nil {
			return err
		}
	}
	return nil
}

// listOf is the list of each kind of link.
var listOf = map[sitemap.LinkKind]audit.AlsoList{sitemap.Alternate: audit.AlsoAlternates, sitemap.Image: audit.AlsoImages,
	sitemap.Thumbnail: audit.AlsoVideos, sitemap.Content: audit.AlsoVideos, sitemap.Player: audit.AlsoVideos}

// leftOut reports whether the filters exclude an address. --include is for pages: for images and
// videos it applies to the entries that name them.
func (a *alsoing) leftOut(l *sitemap.Link) bool {
	if l.Kind == sitemap.Alternate {
		return a.w.leftOut(l.Href)
	}
	return a.w.Exclude != nil && a.w.Exclude.MatchString(l.Href)
}

// list yields the entries of a list, by address: each address that is named and not listed is in
// the first of the lists as which it is named.
func (a *alsoing) list(ctx context.Context, list audit.AlsoList) iter.Seq2[audit.Entry, error] {
	this := string(rune(slices.Index(a.w.Also.Lists, list)))
	return func(yield func(audit.Entry, error) bool) {
		at, last := "", "" // the address, and the entry that named it before
		var e audit.Entry
		for record, err := range a.sorter.Sorted() {
			if record[0] != at {
				if e.Also != nil && !yield(e, nil) {
					return
				}
				at, last, e = record[0], "", audit.Entry{}
				if strings.HasPrefix(record[1], this) {
					e.Also = &audit.Also{List: list}
				}
			}
			if rest, is := strings.CutPrefix(record[1], this); err == nil && is && e.Also != nil {
				err = a.join(ctx, &e, at, rest, rest[:8] != last)
				last = rest[:8]
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(audit.Entry{}, err)
				return
			}
		}
		if e.Also != nil {
			yield(e, nil)
		}
	}
}

// join adds a mention to the entry of its address; another is set where it is by another entry than
// the one before.
func (a *alsoing) join(ctx context.Context, e *audit.Entry, wire, mention string, another bool) error {
	x, n, bits := e.Also, int(binary.BigEndian.Uint64([]byte(mention[:8]))), mention[8]
	if x.Of == 0 {
		e.Loc, e.WithoutSecrets = cmp.Or(mention[9:], wire), true
	}
	e.WithoutSecrets = e.WithoutSecrets && bits&byPlain != 0
	x.Device = x.Device || bits&byDevice != 0
	if !another {
		return nil
	}
	if x.Of++; len(x.By) == audit.MaxNamings {
		return nil
	}
	for by, err := range a.w.store.Entries(ctx, n, n+1) {
		if err != nil {
			return err
		}
		x.By = append(x.By, audit.Naming{Sitemap: by.Sitemap, Line: by.Line, Loc: by.Loc})
	}
	return nil
}
