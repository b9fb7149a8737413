package audit

import (
	"context"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
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

// AlsoLists returns the lists in the order in which they are crawled: an address that is named in
// several ways is in the first of them. The caller owns the slice.
func AlsoLists() []AlsoList { return []AlsoList{AlsoAlternates, AlsoImages, AlsoVideos} }

// Also is what the sitemaps say of an address that they name beside what they list.
type Also struct {
	List AlsoList
	// Device is set where a link that names the address has no hreflang: then it is the page for
	// a kind of device, which names the page for all as its canonical (Search Central, "Mobile
	// site and mobile-first indexing best practices": separate URLs).
	Device bool
	// Of is how many entries name it, By the first of them, MaxNamings at most.
	Of int
	By []Naming
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
func (x *Also) File() bool { return x != nil && x.List != AlsoAlternates }

// An AlsoSum adds up what is to be done about a list.
type AlsoSum struct {
	List   AlsoList
	Counts Counts
	// Rows yields them in the order of their addresses: Row.Entry.Also says which entries name each.
	// What a row holds is the caller's until the next. It may be ranged over again. An error ends it,
	// and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[Row, error] `json:"-"`
}

// alsoKind reports whether a Kind is that of such a list.
func alsoKind(kind string) bool { return slices.Contains(AlsoLists(), AlsoList(kind)) }

// noPicture reports whether an image is answered with a page. A video may be named by the page of its
// player.
func (r *Row) noPicture() bool {
	kind := r.Trail.Last().Hop.Page.MediaType()
	return r.Entry.Also != nil && r.Entry.Also.List == AlsoImages && (kind == "text/html" || kind == "application/xhtml+xml")
}

// fixFile keeps an image or a video, which no sitemap is edited for. Where it moved for good, Loc
// is what to write, unless that may not be written.
func (r *Row) fixFile(rules *Rules) {
	if r.Verdict != Moved && r.Verdict != Respelled || r.Trail.Last().Hop.Forbidden != "" {
		return
	}
	switch differs := address.Relate(r.Address, r.Final, r.Reasons); {
	case differs.Masked || differs.AddsSession:
		r.stop(session, rules)
	case !differs.ToHTTP:
		r.Fix.Loc, r.Fix.Why = r.Final.String(), Why{Key: whyAlsoWrite}
	}
}

// also judges the addresses that the sitemaps name beside what they list. How many redirect to one
// page is counted apart from the entries.
func (t *Plan) also(ctx context.Context) (sums []AlsoSum, err error) {
	lists := slices.DeleteFunc(slices.Clone(t.lists), func(s Sitemap) bool { return !alsoKind(s.Kind) })
	ends := sketch.Numbers{} // by the hash of the new URL: how many of other paths redirect there, up to maxSame+1
	for row, err := range t.rows(ctx, lists, nil, t.judge) {
		if err != nil {
			return nil, err
		}
		if row.Fix.Action == Replace && row.relation.AnotherPage {
			n, _ := ends.At(sketch.Hash(row.Fix.Loc))
			*n = min(*n+1, maxSame+1)
		}
	}
	final := func(row *Row, mem *AnswerCache, e Entry) {
		t.judge(row, mem, e)
		if row.Fix.Action != Replace || t.rules.Lift[Collapsed] || !row.relation.AnotherPage {
			return
		}
		if n, _ := ends.Get(sketch.Hash(row.Fix.Loc)); n > maxSame {
			row.stop(Collapsed, t.rules)
		}
	}
	for i, list := range lists {
		sum := AlsoSum{List: AlsoList(list.Kind), Rows: func(ctx context.Context) iter.Seq2[Row, error] {
			return rowsAs(t.rows(ctx, lists[i:i+1], nil, final), func(row *Row) Row { return *row })
		}}
		for row, err := range sum.Rows(ctx) {
			if err != nil {
				return nil, err
			}
			sum.Counts.add(&row, 1)
			t.links.see(&row)
		}
		if sum.Counts.Entries > 0 {
			sums = append(sums, sum)
		}
	}
	return sums, nil
}
