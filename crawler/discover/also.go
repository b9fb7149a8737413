package discover

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Also says which of the addresses that sitemaps name beside their entries are crawled, too.
type Also struct {
	Lists []audit.AlsoList
	// Shelf returns a new empty shelf, and a Closer that releases it. It must be set where there
	// are Lists.
	Shelf func() (audit.Shelf, io.Closer)
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
	shelf, closer := w.Also.Shelf()
	defer func() { err = errors.Join(err, closer.Close()) }()
	a := alsoing{w, shelf}
	for i := range sitemaps {
		s := &sitemaps[i]
		if err := a.listed(ctx, s); err != nil {
			return err
		}
		if !w.Also.named(*s) {
			continue
		}
		if err := a.file(ctx, s); err != nil {
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
	w     *discovery
	shelf audit.Shelf
}

// listedMark is the value of a listed address: it sorts before all mentions.
const listedMark = ""

// listed puts the addresses that a file lists on the shelf; not those that an earlier audit dropped.
func (a *alsoing) listed(ctx context.Context, s *audit.Sitemap) error {
	if !s.Listed() {
		return nil
	}
	for e, err := range a.w.store.Entries(ctx, s.First, s.First+s.Entries) {
		if err != nil {
			return err
		}
		if at, err := e.Parse(); err == nil {
			if err := a.shelf.Add(at.String(), listedMark); err != nil {
				return err
			}
		}
	}
	return nil
}

// A mention records that an entry names an address.
type mention struct {
	list   byte   // index in Also.Lists
	entry  int    // number of the entry
	device bool   // the link has no hreflang
	plain  bool   // named by a file that is not the site's own (audit.Sitemap.Strange)
	href   string // "" where it is the wire form
	by     audit.Naming
}

func (m *mention) value() string {
	flags := byte(0)
	if m.device {
		flags |= 1
	}
	if m.plain {
		flags |= 2
	}
	b := binary.BigEndian.AppendUint64([]byte{m.list}, uint64(m.entry)) // so values are in this order
	b = append(b, flags)
	for _, n := range []int{m.by.Sitemap, m.by.Line, len(m.href)} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return string(append(append(b, m.href...), m.by.Loc...))
}

func mentionOf(value string) (m mention, err error) {
	const head = 1 + 8 + 1 + 3*8
	if len(value) < head {
		return m, errShelf
	}
	number := func(at int) int { return int(binary.BigEndian.Uint64([]byte(value[at : at+8]))) }
	href := number(head - 8)
	if href < 0 || href > len(value)-head {
		return m, errShelf
	}
	by := audit.Naming{Sitemap: number(10), Line: number(18), Loc: value[head+href:]}
	return mention{value[0], number(1), value[9]&1 != 0, value[9]&2 != 0, value[head : head+href], by}, nil
}

// errShelf is the error of a record on a shelf that cannot be decoded.
var errShelf = errors.New("a record on disk is damaged")

// Limits for the entries of an element, which should have one: maxOwn is the number with which
// Options.Links is called at most; maxNaming is how many of them name what the element names, for
// each could be named by each of thousands of images.
const (
	maxOwn    = 1_000
	maxNaming = 10
)

// file puts the addresses that the elements of a file name on the shelf. It reads the file again,
// in parallel with its entries in the store.
func (a *alsoing) file(ctx context.Context, s *audit.Sitemap) error {
	next, stop := iter.Pull2(a.w.store.Entries(ctx, s.First, s.First+s.Entries))
	defer stop()
	var last []audit.Entry // the last that were visited; no element has more than maxOwn
	o := sitemap.Options{URL: s.AnsweredAt, Charset: s.Charset, Now: a.w.Now, Assets: a.w.Also.assets(), Links: func(own []sitemap.Entry, links []sitemap.Link) error {
		for _, l := range links {
			if err := a.link(s, last[max(0, len(last)-len(own)):], &l); err != nil {
				return err
			}
		}
		return nil
	}}
	_, err := scan(ctx, a.w.store, s.Spool, o, func(sitemap.Entry) error {
		e, err, ok := next()
		if !ok || err != nil {
			return cmp.Or(err, errShelf)
		}
		if len(last) == 2*maxOwn {
			last = last[:copy(last, last[maxOwn:])]
		}
		last = append(last, e)
		return nil
	})
	return err
}

// link records a link of an element with these entries, as far as they are crawled.
func (a *alsoing) link(s *audit.Sitemap, own []audit.Entry, l *sitemap.Link) error {
	at, err := address.Parse(l.Href)
	list := slices.Index(a.w.Also.Lists, listOf[l.Kind])
	if err != nil || list < 0 || len(l.Href) > audit.MaxAddress || a.leftOut(l) {
		return nil
	}
	m := mention{list: byte(list), device: l.Kind == sitemap.Alternate && l.Lang == "", plain: s.Strange}
	if l.Href != at.String() {
		m.href = address.Masked(l.Href)
	}
	naming := 0
	for _, e := range own {
		if e.Skip != audit.SkipNone {
			continue
		}
		loc, _ := audit.Kept(e.Loc)
		m.entry, m.by = e.N, audit.Naming{Sitemap: e.Sitemap, Line: e.Line, Loc: loc}
		if err := a.shelf.Add(at.String(), m.value()); err != nil {
			return err
		}
		if naming++; naming == maxNaming {
			break
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
	this := byte(slices.Index(a.w.Also.Lists, list))
	return func(yield func(audit.Entry, error) bool) {
		at, last := "", -1 // the address, and the entry that named it last
		var e audit.Entry
		for record, err := range a.shelf.Sorted() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(audit.Entry{}, err)
				return
			}
			if record[0] != at {
				if e.Also != nil && !yield(e, nil) {
					return
				}
				at, last, e = record[0], -1, audit.Entry{}
				if record[1] == listedMark {
					continue
				}
				if record[1][0] == this {
					e.Also = &audit.Also{List: list}
				}
			}
			if e.Also == nil || record[1][0] != this {
				continue
			}
			m, err := mentionOf(record[1])
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
			m.join(&e, at, m.entry != last)
			last = m.entry
		}
		if e.Also != nil {
			yield(e, nil)
		}
	}
}

// join adds a mention to the entry of its address; another is set where it is by another entry than
// the one before.
func (m *mention) join(e *audit.Entry, wire string, another bool) {
	x := e.Also
	first := x.Of == 0
	if first {
		e.Loc = cmp.Or(m.href, wire)
	}
	e.WithoutSecrets = m.plain && (first || e.WithoutSecrets)
	x.Device = x.Device || m.device
	if !another {
		return
	}
	if x.Of++; len(x.By) < audit.MaxNamings {
		x.By = append(x.By, m.by)
	}
}
