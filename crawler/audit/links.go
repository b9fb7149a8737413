package audit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// A Link is an xhtml:link of an element of a sitemap.
type Link struct {
	Href  string // as listed, entities resolved
	Lang  string // its hreflang, "" for none
	Bound bool   // it cannot be taken out of the file
}

// An Own is an entry of the element that names something.
type Own struct {
	N   int    // as Entry.N
	Loc string // as listed
}

// Own returns e as one of its element.
func (e *Entry) Own() Own { return Own{e.N, e.Loc} }

// ownEntries finds the entries of an element by their addresses.
type ownEntries struct {
	all []Own
	at  map[address.Address]int // the first with an address; nil before the first look
}

// find returns the number of the first entry with an address.
func (x *ownEntries) find(a address.Address) (n int, found bool) {
	if x.at == nil {
		x.at = make(map[address.Address]int, len(x.all))
		for i := range x.all {
			at, err := address.Parse(x.all[i].Loc)
			if _, known := x.at[at]; err == nil && !known {
				x.at[at] = x.all[i].N
			}
		}
	}
	n, found = x.at[a]
	return n, found
}

// A LinkFix is what becomes of an xhtml:link. The zero LinkFix is of no use.
type LinkFix struct {
	Action  Action  // Keep, Relink or Unlink
	Loc     string  // the address to write, with Relink
	Verdict Verdict // of the entry that the link names; "" where it names none that was edited; with Keep, why that is a fault
	Why     Why     // zero with Keep
	// Also is the list of the address that the link names, where no sitemap lists it; else "".
	Also AlsoList
	// Held is why, with Keep, the link does not follow where the address moved, or is not taken
	// out; "" where neither is due, or something else keeps it.
	Held LinkHeld
	// Langs are the codes by which the page calls itself that the link follows, or would follow, as
	// Entry.Langs has them; "" where that is not known. With HeldDisputed they are those by which
	// links lead to it.
	Langs string

	sure   bool   // the page that the link follows says Langs itself
	merged bool   // its entry is merged into another
	device bool   // it follows to a page for a kind of device, which names another as its canonical
	listed bool   // the page that the link follows is an entry, or will be
	n      int    // with Also the number of the address among all entries of the audit
	barred string // where an image or a video moved to that robots.txt forbids its crawler; else ""
}

// A LinkHeld is why one link stays though others to the same address may follow it.
type LinkHeld string

// kept is f for a link that stays after all.
func (f LinkFix) kept(held LinkHeld, langs string) LinkFix {
	return LinkFix{Action: Keep, Verdict: f.Verdict, Also: f.Also, Held: held, Langs: langs, n: f.n}
}

// The reasons to keep a link, an image or a video though its address has moved for good, or is
// gone.
const (
	// HeldLanguage: the page calls itself another language than the link says, so that its
	// readers would be sent to a page that is not theirs.
	HeldLanguage LinkHeld = "language"
	// HeldDisputed: the page does not name itself, its own element leads to it by addresses that
	// redirect, and links do not agree on its language.
	HeldDisputed LinkHeld = "disputed"
	// HeldUnnamed: the address answers 200 and names another page as its canonical, and no sitemap
	// says for which language that is: it may be a page that is not for the readers of the link.
	HeldUnnamed LinkHeld = "unnamed"
	// HeldDevice: the link is for a language, and its address moved to a page for a kind of device,
	// which names the page for all as its canonical.
	HeldDevice LinkHeld = "device"
	// HeldSelf: the link is for a device, and its address leads back to the page that names it.
	HeldSelf LinkHeld = "self"
	// HeldListed: the link is for a device, and its address leads to a page that is another entry.
	HeldListed LinkHeld = "listed"
	// HeldTwice: the element names the new address as an image already, or another image of it
	// moved there, too: it would list one image twice.
	HeldTwice LinkHeld = "twice"
	// HeldVideo: the element names the new address as the file or the player of another video
	// already, or that of another video moved there, too: nothing would tell these two apart.
	HeldVideo LinkHeld = "video"
	// HeldPage: the file or the player of a video moved to the page that names it.
	HeldPage LinkHeld = "page"
	// HeldRobots: robots.txt forbids the new address to the crawler that reads such links.
	HeldRobots LinkHeld = "robots"
	// HeldOnly: without the link its set would have no other address.
	HeldOnly LinkHeld = "only"
	// HeldContent: the link cannot be taken out of the file.
	HeldContent LinkHeld = "content"
)

// Links decides on the xhtml:links of one element, whose entries are listed as own: a
// fix for each link. A link to an entry that is replaced or merged follows it,
// and one with a language also to the page that names it: so the page names itself, even where
// another entry with the old address stays, which links from elsewhere name on. One to an
// entry that is dropped as not found goes, unless its set would be left without an address
// other than the element's own, by the loss of one link or of several: Google ignores an
// alternate that does not link back (Search Central, "Localized versions"), so such a set
// does no harm, while one that is emptied would lose what its owner may list anew. gone
// says what hindered that, "" where nothing did. It returns an error only where
// the source of the audit does.
func (t *Result) Links(ctx context.Context, own []Own, links []Link) (fixes []LinkFix, gone Gone, err error) {
	fixes = make([]LinkFix, len(links))
	unlinked := false
	self := sync.OnceValues(func() (selfPages, error) { return selfOf(ctx, t.links, own) })
	entries := &ownEntries{all: own}
	for i, l := range links {
		if fixes[i], err = t.links(ctx, entries, AlsoAlternates, l.Href); err != nil {
			return nil, "", err
		}
		if fixes[i], err = forDevice(self, l, fixes[i]); err != nil {
			return nil, "", err
		}
		switch f := &fixes[i]; {
		case f.Action == Relink && otherLanguage(f.Langs, l.Lang):
			*f = f.kept(HeldLanguage, f.Langs)
		case f.Action == Relink && f.device && l.Lang != "":
			*f = f.kept(HeldDevice, "")
		case f.Action == Relink && f.Verdict == Noncanonical && f.Langs == "" && namesLanguage(l.Lang):
			*f = f.kept(HeldUnnamed, "")
		case f.Action == Unlink && l.Bound:
			*f, gone = f.kept(HeldContent, ""), GoneBound
		case f.Action == Unlink:
			unlinked = true
		}
	}
	oneLanguage(links, fixes)
	if !unlinked {
		return fixes, gone, nil
	}
	pages, err := self()
	if err != nil || others(pages.written, links, fixes) {
		return fixes, gone, err
	}
	for i := range fixes {
		if fixes[i].Action == Unlink {
			fixes[i] = fixes[i].kept(HeldOnly, "")
		}
	}
	return fixes, GoneAlone, nil
}

// oneLanguage keeps the links of an element that would follow an address which no sitemap lists to
// a page that does not name itself, and to which another address in the element leads for another
// language: then one of the two pages is no more, and nobody says which.
func oneLanguage(links []Link, fixes []LinkFix) {
	follows := func(f LinkFix) bool { return f.Also != "" && f.Action == Relink && !f.sure }
	if !slices.ContainsFunc(fixes, follows) {
		return
	}
	to := make([]string, len(links))
	from := map[string]map[string]string{} // to each page: the addresses that lead there, and their codes
	for i, l := range links {
		to[i] = wireOf(cmp.Or(fixes[i].Loc, l.Href))
		if lang := strings.ToLower(l.Lang); lang != "" && lang != xDefault {
			if from[to[i]] == nil {
				from[to[i]] = map[string]string{}
			}
			at := wireOf(l.Href)
			from[to[i]][at] = allCodes(from[to[i]][at], lang)
		}
	}
	for i, l := range links {
		this, all := from[to[i]][wireOf(l.Href)], ""
		for _, codes := range from[to[i]] {
			all = allCodes(all, codes)
		}
		if this != "" && all != this && l.Lang != "" && follows(fixes[i]) {
			fixes[i] = fixes[i].kept(HeldDisputed, all)
		}
	}
}

// others reports whether links of an element lead to another address than its own as they are
// written, which are self, those that are not found aside, whether they can be taken out or not.
// One that stays at an own address which is replaced leads elsewhere from then on.
func others(self map[string]bool, links []Link, fixes []LinkFix) bool {
	for i, f := range fixes {
		if f.Verdict != NotFound && !self[wireOf(cmp.Or(f.Loc, links[i].Href))] {
			return true
		}
	}
	return false
}

// selfPages are the addresses of an element's own entries, in wire form.
type selfPages struct {
	all     map[string]bool // as listed and as they are written
	written map[string]bool
	stays   bool // any of them stays in the file
}

// linking says what becomes of what an element names as one of a list; own are its entries, which
// decide on alternates alone.
type linking func(ctx context.Context, own *ownEntries, list AlsoList, href string) (LinkFix, error)

// selfOf returns the addresses of an element's own entries. link says what becomes of a link.
func selfOf(ctx context.Context, link linking, own []Own) (selfPages, error) {
	self := selfPages{all: map[string]bool{}, written: map[string]bool{}}
	for i := range own {
		loc := own[i].Loc
		f, err := link(ctx, &ownEntries{all: own[i : i+1]}, AlsoAlternates, loc)
		if err != nil {
			return selfPages{}, err
		}
		wire, written := wireOf(loc), wireOf(cmp.Or(f.Loc, loc))
		self.all[wire], self.all[written], self.written[written] = true, true, true
		self.stays = self.stays || f.Action != Unlink && (!f.merged || wire == written)
	}
	return self, nil
}

// forDevice keeps a link without a language that would follow an address, which is no entry that
// stays, to the page that names it, one of self, or to another entry: that would call a page for
// all the alternate of a page for a device.
func forDevice(self func() (selfPages, error), l Link, f LinkFix) (LinkFix, error) {
	if f.Also == "" && !f.merged || f.Action != Relink || l.Lang != "" {
		return f, nil
	}
	pages, err := self()
	switch {
	case err != nil:
	case pages.all[wireOf(f.Loc)]:
		f = f.kept(HeldSelf, "")
	case f.listed || f.merged:
		f = f.kept(HeldListed, "")
	}
	return f, err
}

func wireOf(loc string) string {
	a, err := address.Parse(loc)
	if err != nil {
		return loc
	}
	return a.String()
}

// link returns the fix of what an element names as one of a list: that of the last entry with its
// wire form that is replaced, merged, or dropped as not found, or that of the list, where it has
// the address. own are the entries of the element.
func (t *evaluation) link(ctx context.Context, own *ownEntries, list AlsoList, href string) (LinkFix, error) {
	stays := LinkFix{Action: Keep}
	if t.linked.Len() == 0 {
		return stays, nil
	}
	a, err := address.Parse(href)
	if err != nil {
		return stays, nil
	}
	n, ok := t.linked.Get(linkedKey(list, a))
	if !ok {
		n, ok = t.linked.Get(linkedKey("", a))
	}
	switch {
	case !ok:
		return stays, nil
	case n == linkStays:
		return t.ownLink(ctx, own, a)
	}
	known, err := t.fixNamed(ctx, n)
	if err != nil || known.address != a {
		return stays, err
	}
	return known.fix, nil
}

// ownLink returns the fix of what an element names by an address that stays, as that of another
// entry: where the entry of its own with that address is replaced, it follows that.
func (t *evaluation) ownLink(ctx context.Context, own *ownEntries, a address.Address) (LinkFix, error) {
	stays := LinkFix{Action: Keep}
	n, found := own.find(a)
	if !found {
		return stays, nil
	}
	known, err := t.fixNamed(ctx, uint32(n))
	if f := known.fix; err == nil && known.address == a && f.Action == Relink && !f.merged {
		return f, nil
	}
	return stays, err
}

// fixNamed is namedFix, which it remembers.
func (t *evaluation) fixNamed(ctx context.Context, n uint32) (known namedFix, err error) {
	known, ok := t.linkFixes[n]
	if ok {
		return known, nil
	}
	if known, err = t.namedFix(ctx, n); err != nil {
		return known, err
	}
	if t.linkFixes == nil || len(t.linkFixes) >= linkFixes {
		t.linkFixes = make(map[uint32]namedFix, linkFixes)
	}
	t.linkFixes[n] = known
	return known, nil
}

// linkedKey is under which key evaluation.linked has an address: as an entry of a file, with "", or
// as one of a list.
func linkedKey(list AlsoList, a address.Address) uint64 {
	if list == "" {
		return sketch.Hash(a.String())
	}
	return sketch.Hash(string(list) + " " + a.String())
}

// linkStays stands in evaluation.linked for the N of an entry where links stay as they are.
const linkStays = math.MaxUint32

// linkFixes is how many fixes of links are remembered: the pages of a set name each other,
// each of them in its own element.
const linkFixes = 1024

// A namedFix is what becomes of the links that name an entry, and its address.
type namedFix struct {
	address address.Address
	fix     LinkFix
}

// namedFix judges the entry n.
func (t *evaluation) namedFix(ctx context.Context, n uint32) (named namedFix, err error) {
	for e, err := range t.src.Entries(ctx, int(n), int(n)+1) {
		if err != nil {
			return named, err
		}
		var row Row
		if e.Also != nil {
			t.also.final(&row, t.mem, e)
			named = t.named(&row)
			break
		}
		t.judged(&row, t.mem, e)
		if t.sitemaps[e.Sitemap].Kind != KindEarlier { // of no file, which would decide
			t.apply(e.Sitemap, &row)
		}
		named = t.named(&row)
	}
	return named, t.mem.Err()
}

// named returns what becomes of the links that name a row's address, with what the page calls
// itself that they follow.
func (t *evaluation) named(r *Row) namedFix {
	f := r.linkFix()
	if f.Also = r.Entry.Also.list(); f.Also != "" {
		f.n = r.Entry.N
	}
	if f.Action == Relink {
		to := t.labels.at(f.Loc)
		f.Langs, f.sure, f.listed = to.langs(), to.sure(), to.listed
	}
	return namedFix{r.Address, f}
}

// EditsLinks reports whether Links may edit any link, or find fault with one, at all.
func (t *Result) EditsLinks() bool { return t.editsLinks }

// linkFix is what becomes of the links that name a row's entry.
func (r *Row) linkFix() LinkFix {
	switch {
	case (r.Fix.Action == Replace || r.Fix.Action == Merge) && r.Fix.Loc != "":
		return LinkFix{Action: Relink, Loc: r.Fix.Loc, Verdict: r.Verdict, Why: r.whyLink(whyRelinked),
			merged: r.Fix.Action == Merge, device: r.movedForDevice()}
	case r.Fix.Action == Drop && r.Verdict == NotFound:
		return LinkFix{Action: Unlink, Verdict: r.Verdict, Why: r.whyLink(whyUnlinked)}
	case r.Entry.Also.File() && r.Verdict == Disallowed && r.Trail.Redirects() > 0:
		return LinkFix{Action: Keep, Verdict: r.Verdict, barred: r.Trail.last().Hop.URL}
	case r.Fix.Why.Key == whyAlsoLang:
		return LinkFix{Action: Keep, Verdict: r.Verdict, Held: HeldLanguage, Langs: r.Fix.Why.Args[0]}
	case r.Fix.Why.Key == whyAlsoSelf:
		return LinkFix{Action: Keep, Verdict: r.Verdict, Held: HeldSelf}
	case r.Fix.Why.Key == whyAlsoListed:
		return LinkFix{Action: Keep, Verdict: r.Verdict, Held: HeldListed}
	case r.Fix.Why.Key == whyAlsoUnnamed:
		return LinkFix{Action: Keep, Verdict: r.Verdict, Held: HeldUnnamed}
	case r.Fix.Why.Key == whyAlsoDisputed:
		return LinkFix{Action: Keep, Verdict: r.Verdict, Held: HeldDisputed, Langs: r.Fix.Why.Args[0]}
	case r.Fix.Action == Drop && r.Verdict == Noindex: // it may be a slip, and the page is there: a fault says so
		return LinkFix{Action: Keep, Verdict: r.Verdict}
	}
	return LinkFix{Action: Keep}
}

// movedForDevice reports whether a page for a kind of device, which no sitemap lists, moved to one
// that names the page for all as its canonical.
func (r *Row) movedForDevice() bool {
	if !r.Entry.forDevice() {
		return false
	}
	c := canonical(r.Final, &r.Trail.last().Hop.Page)
	return c != r.Final && r.Entry.Also.deviceOf(c)
}

// whyLink is why a link to the row's address is edited: it follows its entry, where there is one.
func (r *Row) whyLink(key string) Why {
	if r.Entry.Also != nil {
		return r.Fix.Why
	}
	return Why{Key: key}
}

// An Asset is the address of an image or a video in an element of a sitemap.
type Asset struct {
	Href string  // as listed, entities resolved
	As   Purpose // AsImage or AsVideo: the crawler that reads it there
	// Of is which image or video of the element names it: videos have several addresses.
	Of int
	// Thumbnail is set for the picture of a video, which is not what tells a video from another.
	Thumbnail bool
}

// Assets decides on the addresses of images and videos of one element, whose entries are listed as
// own: a fix for each, Keep or Relink. One that is an entry, too, follows that where it moved for
// good, if robots.txt lets the crawler that reads it here fetch the new address; what --also does
// not name stays. The file or the player of a video does not follow to a page of own: Google wants
// another address than the loc there ("Video sitemaps"). It returns an error only where the source
// of the audit does.
func (t *Result) Assets(ctx context.Context, own []Own, assets []Asset) ([]LinkFix, error) {
	fixes := make([]LinkFix, len(assets))
	self := sync.OnceValues(func() (selfPages, error) { return selfOf(ctx, t.links, own) })
	for i, a := range assets {
		fixes[i] = LinkFix{Action: Keep}
		if !t.Reads(a.As) {
			continue
		}
		f, err := t.links(ctx, new(ownEntries), listAs[a.As], a.Href)
		if err != nil {
			return nil, err
		}
		if f.barred == "" && (f.Action != Relink || f.Verdict != Moved && f.Verdict != Respelled) {
			fixes[i].Also, fixes[i].n = f.Also, f.n
			continue
		}
		line, err := t.Forbidden(a.As, cmp.Or(f.barred, f.Loc))
		if err != nil {
			return nil, err
		}
		switch barred := f.barred != ""; {
		case line != "" && (barred || !t.Info.Rules.Lift[TargetDisallowed]):
			fixes[i] = f.kept(HeldRobots, "")
		case !barred:
			fixes[i] = f
		}
		if fixes[i].Action != Relink || a.As != AsVideo || a.Thumbnail {
			continue
		}
		pages, err := self()
		if err != nil {
			return nil, err
		}
		if pages.all[wireOf(f.Loc)] {
			fixes[i] = f.kept(HeldPage, "")
		}
	}
	once(assets, fixes)
	return fixes, nil
}

// once keeps the addresses of images, and those of files and players of videos, that would be
// written where the element has the new address already, for the same crawler: as listed, or in
// place of another one. Google tells images by their address, and videos by that of their file or
// player ("Image sitemaps", "Video sitemaps"), so nothing would tell the two apart afterwards, and
// nobody says that they are one. Videos may share a thumbnail, and one video may have the same
// address as file and as player.
func once(assets []Asset, fixes []LinkFix) {
	at := func(i int, loc string) Asset { return Asset{Href: wireOf(loc), As: assets[i].As} }
	var from map[Asset]Asset // what stands there or is written: in place of what, and of which video
	for i := range fixes {
		if fixes[i].Action != Relink || assets[i].Thumbnail {
			continue
		}
		if from == nil {
			from = map[Asset]Asset{}
			for j, a := range assets {
				if !a.Thumbnail {
					from[at(j, a.Href)] = a.place()
				}
			}
		}
		here, to := assets[i].place(), at(i, fixes[i].Loc)
		by, taken := from[to]
		switch apart := taken && by.Href != here.Href; {
		case apart && here.As == AsImage:
			fixes[i] = fixes[i].kept(HeldTwice, "")
		case apart && by.Of != here.Of:
			fixes[i] = fixes[i].kept(HeldVideo, "")
		default:
			from[to] = here
		}
	}
}

// place is a with its address in wire form.
func (a Asset) place() Asset {
	a.Href = wireOf(a.Href)
	return a
}

// EditsAssets reports whether Assets may edit any address at all.
func (t *Result) EditsAssets() bool { return t.ReadsAssets() && t.editsLinks }

// ReadsAssets reports whether the addresses of images or videos were looked for.
func (t *Result) ReadsAssets() bool { return len(t.assets) > 0 }

// Reads reports whether the addresses were looked for that the crawler of a purpose reads, AsImage
// or AsVideo.
func (t *Result) Reads(as Purpose) bool { return slices.Contains(t.assets, as) }

// Forbidden returns the line of robots.txt that forbids an address to the crawler of a purpose; ""
// where none does, where it is no address, and where robots.txt is not known or not heeded. It
// returns an error only where what is remembered cannot be read.
func (t *Result) Forbidden(as Purpose, loc string) (line string, err error) {
	a, err := address.Parse(loc)
	if err != nil || t.permits == nil {
		return "", nil
	}
	line, _, err = t.permits.Forbidden(as, a)
	return line, err
}
