package discover

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
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

// listed puts the addresses that a file lists on the shelf.
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
	Device bool   `json:",omitempty"` // the link has no hreflang
	Plain  bool   `json:",omitempty"` // named by a file that is not the site's own (audit.Sitemap.Strange)
	Href   []byte `json:",omitempty"` // none where it is the wire form
	// the entry, as in audit.Naming; not as strings, which JSON would make UTF-8
	Sitemap, Line int
	Loc           []byte
}

// mentionHead is the length of what stands before a mention on a shelf, by which mentions are in order:
// the index of the list in Also.Lists, and the number of the entry.
const mentionHead = 1 + 8

// errShelf is the error of a record on a shelf that cannot be decoded.
var errShelf = errors.New("a record on disk is damaged")

// maxNaming is how many of the entries of an element, which should have one, name what the element
// names: each could be named by each of thousands of images.
const maxNaming = 10

// file puts the addresses that the elements of a file name on the shelf.
func (a *alsoing) file(ctx context.Context, s *audit.Sitemap) error {
	limit, err := a.w.sampleLimit(ctx, s)
	if err != nil {
		return err
	}
	o := sitemap.Options{Assets: a.w.Also.assets(), Links: func(own []sitemap.Entry, links []sitemap.Link) error {
		own = slices.DeleteFunc(own, func(e sitemap.Entry) bool { return a.w.skip(e.Loc, limit) != audit.SkipNone })
		for _, l := range links {
			if err := a.link(s, own[:min(len(own), maxNaming)], &l); err != nil {
				return err
			}
		}
		return nil
	}}
	_, err = scan(ctx, a.w.store, s.Spool, o, func(sitemap.Entry) error { return nil })
	return err
}

// link records a link of an element with these entries.
func (a *alsoing) link(s *audit.Sitemap, own []sitemap.Entry, l *sitemap.Link) error {
	at, err := address.Parse(l.Href)
	list := slices.Index(a.w.Also.Lists, listOf[l.Kind])
	if err != nil || list < 0 || len(l.Href) > address.MaxLength || a.leftOut(l) {
		return nil
	}
	m := mention{Device: l.Kind == sitemap.Alternate && l.Lang == "", Plain: s.Strange}
	if l.Href != at.String() {
		m.Href = []byte(address.Masked(l.Href))
	}
	for _, e := range own {
		m.Sitemap, m.Line, m.Loc = s.N, e.Line, []byte(address.Masked(e.Loc))
		text, err := json.Marshal(m)
		head := string(binary.BigEndian.AppendUint64([]byte{byte(list)}, uint64(s.First+e.N)))
		if err = cmp.Or(err, a.shelf.Add(at.String(), head+string(text))); err != nil {
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
	this := byte(slices.Index(a.w.Also.Lists, list))
	return func(yield func(audit.Entry, error) bool) {
		at, last := "", "" // the address, and the head of the mention before
		var e audit.Entry
		for record, err := range a.shelf.Sorted() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(audit.Entry{}, err)
				return
			}
			value := record[1]
			if record[0] != at {
				if e.Also != nil && !yield(e, nil) {
					return
				}
				at, last, e = record[0], "", audit.Entry{}
				if value != listedMark && value[0] == this {
					e.Also = &audit.Also{List: list}
				}
			}
			if e.Also == nil || value[0] != this {
				continue
			}
			var m mention
			head := value[:min(len(value), mentionHead)]
			if json.Unmarshal([]byte(value[len(head):]), &m) != nil {
				yield(audit.Entry{}, errShelf)
				return
			}
			m.join(&e, at, head != last)
			last = head
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
		e.Loc = cmp.Or(string(m.Href), wire)
	}
	e.WithoutSecrets = m.Plain && (first || e.WithoutSecrets)
	x.Device = x.Device || m.Device
	if !another {
		return
	}
	if x.Of++; len(x.By) < audit.MaxNamings {
		x.By = append(x.By, audit.Naming{Sitemap: m.Sitemap, Line: m.Line, Loc: string(m.Loc)})
	}
}
