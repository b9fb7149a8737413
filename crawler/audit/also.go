package audit

import (
	"context"
	"iter"
	"slices"

	"sitemend/crawler/address"
)

// An AlsoList is the name of a list of addresses that sitemaps name beside what they list, and
// that no <loc> of the audit lists (--also). It is the Kind of its list, which is no file.
type AlsoList string

// The lists. Alternates are the addresses of xhtml:link: other pages for another language or device
// (Search Central, "Localized versions of your pages"). They are judged as pages. Images and videos
// are those of image:loc, and of video:thumbnail_loc, video:content_loc and video:player_loc: of
// them the head of the answer is judged.
const (
	AlsoAlternates AlsoList = "alternates"
	AlsoImages     AlsoList = "images"
	AlsoVideos     AlsoList = "videos"
)

// AlsoLists returns the lists in the order in which they are crawled: an address that several of
// them have is requested as one of the first. The caller owns the slice.
func AlsoLists() []AlsoList { return []AlsoList{AlsoAlternates, AlsoImages, AlsoVideos} }

// Also is what the sitemaps say of an address that they name beside what they list.
type Also struct {
	List AlsoList
	// Device is set where a link that names the address has no hreflang: then it is the page for
	// a kind of device, which names the page for all as its canonical (Search Central, "Mobile
	// site and mobile-first indexing best practices": separate URLs).
	Device bool
	// Page is set where the address may be a page: that of a player.
	Page bool
	// Langs are the codes by which links name the address, in small letters, sorted, with a space
	// between them; "" where one of them has none, or x-default, and where there are very many.
	Langs string
	// Of is how many entries name it, By the first of them, MaxNamings at most.
	Of int
	By []Naming
	// Before are the lists before this one that have the address, too, in their order: the answers
	// to their crawlers are taken for this one, so that it is requested once.
	Before []AlsoList
}

// A Naming is an entry that names an address.
type Naming struct {
	Sitemap int    // index into the audit's sitemaps
	Line    int    // of its <loc> tag, from 1
	Loc     string // as listed, as Kept cuts it
}

// MaxNamings is how many of the entries that name an address are kept.
const MaxNamings = 5

// File reports whether the address is that of an image or a video.
func (x *Also) File() bool { return x != nil && (x.List == AlsoImages || x.List == AlsoVideos) }

// list returns the list; "" for none.
func (x *Also) list() AlsoList {
	if x == nil {
		return ""
	}
	return x.List
}

// as returns for which purpose the address is asked at first.
func (x *Also) as() Purpose {
	return x.list().as()
}

// as returns for which purpose the addresses of a list are asked at first; AsRobot for "".
func (l AlsoList) as() Purpose {
	switch l {
	case AlsoImages:
		return AsImage
	case AlsoVideos:
		return AsVideo
	}
	return AsRobot
}

// listAs are the lists of what stands with a page, by its crawler.
var listAs = map[Purpose]AlsoList{AsImage: AlsoImages, AsVideo: AlsoVideos}

// whyAlso are the keys of why something else is done with such an address than with an entry.
const (
	whyAlsoKept   = "also-kept"
	whyAlsoBraked = "also-braked"
	whyAlsoSelf   = "also-self"
	whyAlsoListed = "also-listed"
	whyAlsoGone   = "also-gone"
	whyAlsoPage   = "also-page"
	whyAlsoMoved  = "also-moved"
	whyAlsoLang   = "also-language"

	whyAlsoDisputed = "also-disputed"
	whyAlsoUnnamed  = "also-unnamed"

	// where no link is edited though the address moved or is gone (AlsoEdits)
	whyAlsoOnly      = "also-only"
	whyAlsoContent   = "also-content"
	whyAlsoTwice     = "also-twice"
	whyAlsoVideo     = "also-video"
	whyAlsoOwn       = "also-own"
	whyAlsoHeld      = "also-held"
	whyAlsoUnwritten = "also-unwritten"
	whyAlsoLeaves    = "also-leaves" // a link to it is in removed entries alone
)

// whyAlsoPartly are the keys of why some links to an address stay while others are edited, by those
// of why all stay.
var whyAlsoPartly = map[string]string{
	whyAlsoOnly:    "also-partly-only",
	whyAlsoContent: "also-partly-content",
	whyAlsoTwice:   "also-partly-twice",
	whyAlsoVideo:   "also-partly-video",
	whyAlsoOwn:     "also-partly-own",
	whyAlsoHeld:    "also-partly-held",
}

// alsoAction is what is done with an address that is named beside the entries, where an entry
// would be edited so: links are taken out only where they lead to what is not found. One to a page
// that says noindex does no harm, and that may be a slip.
func (r *Row) alsoAction(a Action) (Action, string) {
	if a == Drop && r.Verdict != NotFound {
		return Keep, whyAlsoKept
	}
	return a, ""
}

// forDevice reports whether a page may name another canonical though nothing is wrong.
func (e *Entry) forDevice() bool { return e.Also != nil && e.Also.Device }

// deviceOf reports whether the address is the page for a kind of device of one at an address, which
// names it: so where it moved the page may name that one as its canonical, as for Device.
func (x *Also) deviceOf(page address.Address) bool {
	names := func(n Naming) bool { return wireOf(n.Loc) == page.String() }
	return x != nil && x.Device && slices.ContainsFunc(x.By, names)
}

// onlyBy reports whether no other page than the one at an address names it.
func (x *Also) onlyBy(at string) bool {
	return x.Of == len(x.By) && !slices.ContainsFunc(x.By, func(n Naming) bool { return wireOf(n.Loc) != at })
}

// An AlsoSum adds up what became of a list.
type AlsoSum struct {
	List   AlsoList
	Counts Counts
	// Relinked and Unlinked count the links to its addresses that are changed and taken out in the
	// corrected sitemaps: a line of changes.csv each. They are known when these are written.
	Relinked, Unlinked int
	// Kept counts the addresses of the group NeedsDecision that moved or are gone, and to which all
	// links stay in the corrected sitemaps; it is known with these.
	Kept int
}

// AlsoRows yields the rows of Also[n], in the order of their addresses: Row.Entry.Also says which
// entries name each. What a row holds is the caller's until the next. It may be ranged over again.
// An error ends it, and so does ctx.
func (t *Result) AlsoRows(ctx context.Context, n int) iter.Seq2[Row, error] {
	return t.also(ctx, n)
}

// WithAlso returns a copy of t with lists of addresses that are named beside the entries: counts,
// and rows as Result.AlsoRows yields them. It is for outputs that are shown or tested without an
// audit, as MakeResult is.
func (t Result) WithAlso(lists []AlsoSum, rows func(n int) iter.Seq2[Row, error]) *Result {
	t.Also = lists
	t.also = func(ctx context.Context, n int) iter.Seq2[Row, error] { return Until(ctx, rows(n)) }
	return &t
}

// alsoKind reports whether a Kind is that of such a list.
func alsoKind(kind string) bool { return slices.Contains(AlsoLists(), AlsoList(kind)) }
