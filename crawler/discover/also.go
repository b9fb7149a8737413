package discover

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

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
// themselves, as one list of each kind. An address that is named in several ways is in several
// lists. Memory use does not depend on their number: they are joined with the entries on disk, by
// address; then the entries that name them are looked up in order.
func (w *discovery) also(ctx context.Context) (err error) {
	left := func(l audit.AlsoList) bool { return !slices.Contains(w.alsoAdded, l) }
	if w.NoFetch || !slices.ContainsFunc(w.Also.Lists, left) {
		return nil
	}
	sitemaps, err := w.store.Sitemaps()
	if err != nil || !slices.ContainsFunc(sitemaps, w.Also.named) {
		return err
	}
	a := alsoing{w: w, sitemaps: sitemaps}
	defer func() { err = errors.Join(err, a.close()) }()
	a.named, a.by, a.found = a.shelf(), a.shelf(), a.shelf()
	for _, step := range []func(context.Context) error{a.entries, a.names, a.join, a.lookUp} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, list := range w.Also.Lists {
		if !left(list) {
			continue
		}
		sm := audit.Sitemap{URL: string(list), Parent: -1, Kind: string(list), FetchedAt: w.Now}
		if _, err := w.store.AddSitemap(ctx, sm, a.list(list)); err != nil {
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

// alsoing is the state of also.
type alsoing struct {
	w        *discovery
	sitemaps []audit.Sitemap
	closers  []io.Closer
	named    audit.Shelf // what is listed and what is named, by address
	by       audit.Shelf // what is named and not listed, by the number of the naming entry
	found    audit.Shelf // the same by list and address, with these entries
}

func (a *alsoing) shelf() audit.Shelf {
	s, c := a.w.Also.Shelf()
	a.closers = append(a.closers, c)
	return s
}

func (a *alsoing) close() error {
	var errs []error
	for _, c := range a.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// listedMark is the value of a listed address: it sorts before all mentions.
const listedMark = ""

// entries puts all listed addresses on the shelf, without those that an earlier audit dropped.
func (a *alsoing) entries(ctx context.Context) error {
	for i := range a.sitemaps {
		s := &a.sitemaps[i]
		if !s.Listed() {
			continue
		}
		for e, err := range a.w.store.Entries(ctx, s.First, s.First+s.Entries) {
			if err != nil {
				return err
			}
			if at, err := e.Parse(); err == nil {
				if err := a.named.Add(at.String(), listedMark); err != nil {
					return err
				}
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
	page   bool   // it may be a page: that of a video player
	plain  bool   // named by a file that is not the site's own (audit.Sitemap.Strange)
	before byte   // lists before this one that have the address, one bit each
	langs  string // hreflang codes, in the form of audit.Also.Langs
	loc    string
}

func (m *mention) value() string {
	flags := byte(0)
	if m.device {
		flags |= 1
	}
	if m.plain {
		flags |= 2
	}
	if m.page {
		flags |= 4
	}
	flags |= m.before << beforeBits
	b := binary.BigEndian.AppendUint64([]byte{m.list}, uint64(m.entry))
	b = append(b, flags, byte(len(m.langs)))
	return string(append(append(b, m.langs...), m.loc...))
}

// beforeBits is the offset of mention.before among the flags.
const beforeBits = 3

func mentionOf(value string) (m mention, err error) {
	const head = 1 + 8 + 1 + 1
	if len(value) < head || len(value) < head+int(value[head-1]) {
		return m, errShelf
	}
	flags, loc := value[head-2], head+int(value[head-1])
	return mention{list: value[0], entry: numberOf(value[1:]), device: flags&1 != 0, plain: flags&2 != 0, page: flags&4 != 0, before: flags >> beforeBits, langs: value[head:loc], loc: value[loc:]}, nil
}

// errShelf is the error of a record on a shelf that cannot be decoded.
var errShelf = errors.New("a record on disk is damaged")

// number encodes a number so that the encoded texts sort in numerical order.
func number(n int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func numberOf(s string) int { return int(binary.BigEndian.Uint64([]byte(s[:8]))) }

// names puts the addresses that elements name on the shelf, except those of elements without a
// crawled entry.
func (a *alsoing) names(ctx context.Context) error {
	for i := range a.sitemaps {
		if !a.w.Also.named(a.sitemaps[i]) {
			continue
		}
		if err := a.file(ctx, &a.sitemaps[i]); err != nil {
			return err
		}
	}
	return nil
}

// file reads a file again, in parallel with its entries in the store.
func (a *alsoing) file(ctx context.Context, s *audit.Sitemap) error {
	r, err := a.w.store.OpenSpool(ctx, s.Spool)
	if err != nil {
		return err
	}
	defer r.Close()
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
	_, err = readSitemap(r, o, func(sitemap.Entry) error {
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

// Limits for the entries of an element, which should have one: maxOwn is the number with which
// Options.Links is called at most; maxNaming is how many of them name what the element names, for
// each could be named by each of thousands of images.
const (
	maxOwn    = 1_000
	maxNaming = 10
)

// link records a link of an element with these entries.
func (a *alsoing) link(s *audit.Sitemap, own []audit.Entry, l *sitemap.Link) error {
	at, err := address.Parse(l.Href)
	list := slices.Index(a.w.Also.Lists, listOf[l.Kind])
	if err != nil || list < 0 || len(l.Href) > audit.MaxAddress || a.leftOut(l) {
		return nil // the file has a fault for what is no address
	}
	m := mention{list: byte(list), device: l.Kind == sitemap.Alternate && l.Lang == "", page: l.Kind == sitemap.Player, plain: s.Strange, langs: langOf(l)}
	if l.Href != at.String() {
		m.loc = address.Masked(l.Href)
	}
	naming := 0
	for _, e := range own {
		if e.Skip != audit.SkipNone {
			continue
		}
		m.entry = e.N
		if err := a.named.Add(at.String(), m.value()); err != nil {
			return err
		}
		if naming++; naming == maxNaming {
			break
		}
	}
	return nil
}

// langOf returns the language of a link, in small letters; "" for none.
func langOf(l *sitemap.Link) string {
	if lang := strings.ToLower(l.Lang); lang != "x-default" {
		return lang
	}
	return ""
}

// listOf is the list of each kind of link.
var listOf = map[sitemap.LinkKind]audit.AlsoList{sitemap.Alternate: audit.AlsoAlternates, sitemap.Image: audit.AlsoImages,
	sitemap.Thumbnail: audit.AlsoVideos, sitemap.Content: audit.AlsoVideos, sitemap.Player: audit.AlsoVideos}

// leftOut reports whether the filters exclude an address. --include is for pages: for images and
// videos it applies to the entries that name them.
func (a *alsoing) leftOut(l *sitemap.Link) bool {
	if l.Kind == sitemap.Alternate {
		return a.w.skip(l.Href, ^uint64(0)) == audit.SkipFilter
	}
	return a.w.Exclude != nil && a.w.Exclude.MatchString(l.Href)
}

// A gathering collects the mentions of one address, which come list by list.
type gathering struct {
	address string
	listed  bool
	plain   bool // only files that are not the site's own name it
	lists   []listed
}

// listed is an address in one of the lists.
type listed struct {
	first   mention
	of      int
	last    int   // the entry that named it last
	by      []int // the first entries that name it
	device  bool
	page    bool
	langs   []string // sorted
	anyLang bool     // a link is for any language, or there are too many languages
}

func (g *gathering) take(m mention) {
	g.plain = m.plain && (len(g.lists) == 0 || g.plain)
	if n := len(g.lists); n == 0 || g.lists[n-1].first.list != m.list {
		g.lists = append(g.lists, listed{first: m})
	}
	g.lists[len(g.lists)-1].take(m)
}

func (g *listed) take(m mention) {
	g.device, g.page = g.device || m.device, g.page || m.page
	g.takeLang(m.langs)
	if g.of > 0 && m.entry == g.last {
		return
	}
	if g.of++; len(g.by) < audit.MaxNamings {
		g.by = append(g.by, m.entry)
	}
	g.last = m.entry
}

// maxLangs is how many languages of an address are kept. Each has at most 64 bytes
// (sitemap.Link.Lang), and its length takes one byte where it is short, as that of codes is.
const maxLangs = 8

func (g *listed) takeLang(lang string) {
	at, known := slices.BinarySearch(g.langs, lang)
	switch {
	case lang == "" || len(g.langs) == maxLangs && !known:
		g.anyLang = true
	case !known:
		g.langs = slices.Insert(g.langs, at, lang)
	}
}

// names returns audit.Also.Langs.
func (g *listed) names() string {
	names := strings.Join(g.langs, " ")
	if g.anyLang || len(names) > math.MaxUint8 {
		return ""
	}
	return names
}

// join finds the addresses that are named and not listed.
func (a *alsoing) join(ctx context.Context) error {
	g := gathering{}
	for record, err := range a.named.Sorted() {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if record[0] != g.address {
			if err := a.gathered(&g); err != nil {
				return err
			}
			g = gathering{address: record[0], lists: g.lists[:0]}
		}
		if record[1] == listedMark {
			g.listed = true
			continue
		}
		m, err := mentionOf(record[1])
		if err != nil {
			return err
		}
		if !g.listed {
			g.take(m)
		}
	}
	return a.gathered(&g)
}

// gathered stores an address after its last mention.
func (a *alsoing) gathered(g *gathering) error {
	if g.listed {
		return nil
	}
	before := byte(0)
	for i := range g.lists {
		l := &g.lists[i]
		key := string(l.first.list) + g.address
		sum := mention{entry: l.of, device: l.device, page: l.page, plain: g.plain, before: before, langs: l.names(), loc: l.first.loc}
		if err := a.found.Add(key, "\x00"+sum.value()); err != nil {
			return err
		}
		for _, n := range l.by {
			if err := a.by.Add(number(n), key); err != nil {
				return err
			}
		}
		before |= 1 << l.first.list
	}
	return nil
}

// lookUp adds the entries that name an address.
func (a *alsoing) lookUp(ctx context.Context) error {
	next, stop := iter.Pull2(a.w.store.Entries(ctx, 0, a.w.store.EntryCount()))
	defer stop()
	e := audit.Entry{N: -1}
	for record, err := range a.by.Sorted() {
		if err != nil {
			return err
		}
		for n := numberOf(record[0]); e.N < n; {
			more := false
			if e, err, more = next(); err != nil || !more {
				return cmp.Or(err, errShelf)
			}
		}
		loc, _ := audit.Kept(e.Loc)
		value := "\x01" + number(e.N) + number(e.Sitemap) + number(e.Line) + loc
		if err := a.found.Add(record[1], value); err != nil {
			return err
		}
	}
	return nil
}

// list yields the entries of a list, by address.
func (a *alsoing) list(list audit.AlsoList) iter.Seq2[audit.Entry, error] {
	at := byte(slices.Index(a.w.Also.Lists, list))
	return func(yield func(audit.Entry, error) bool) {
		var e audit.Entry
		for record, err := range a.found.Sorted() {
			if err == nil && record[0][0] != at {
				continue
			}
			begins := err == nil && record[1][0] == 0
			if begins && e.Also != nil && !yield(e, nil) {
				return
			}
			switch {
			case err != nil:
			case begins:
				e, err = a.entry(list, record[0][1:], record[1][1:])
			default:
				err = addNaming(e.Also, record[1][1:])
			}
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
		}
		if e.Also != nil {
			yield(e, nil)
		}
	}
}

// entry returns the entry of an address, without the entries that name it.
func (a *alsoing) entry(list audit.AlsoList, wire, value string) (audit.Entry, error) {
	m, err := mentionOf(value)
	x := &audit.Also{List: list, Device: m.device, Page: m.page, Langs: m.langs, Of: m.entry}
	for i, l := range a.w.Also.Lists {
		if m.before&(1<<i) != 0 {
			x.Before = append(x.Before, l)
		}
	}
	return audit.Entry{Loc: cmp.Or(m.loc, wire), WithoutSecrets: m.plain, Also: x}, err
}

// addNaming adds an entry that names an address.
func addNaming(x *audit.Also, value string) error {
	const head = 3 * 8
	if x == nil || len(value) < head {
		return errShelf
	}
	x.By = append(x.By, audit.Naming{Sitemap: numberOf(value[8:]), Line: numberOf(value[16:]), Loc: value[head:]})
	return nil
}
