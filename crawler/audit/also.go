package audit

import (
	"context"
	"iter"
	"slices"
	"strings"
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
func (x *Also) File() bool { return x != nil && (x.List == AlsoImages || x.List == AlsoVideos) }

// as returns for which purpose the address is asked.
func (x *Also) as() Purpose {
	switch {
	case x == nil || x.List == AlsoAlternates:
		return AsRobot
	case x.List == AlsoVideos:
		return AsVideo
	}
	return AsImage
}

// forDevice reports whether a page may name another canonical though nothing is wrong.
func (e *Entry) forDevice() bool { return e.Also != nil && e.Also.Device }

// An AlsoSum adds up what is to be done about a list.
type AlsoSum struct {
	List   AlsoList
	Counts Counts
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

// isPage makes an image that is answered with a page what it is for whoever wants the picture, and
// reports whether it is one. A video may be named by the page of its player.
func (r *Row) isPage() bool {
	kind, _, _ := strings.Cut(r.Trail.last().Hop.Page.ContentType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if r.Entry.Also == nil || r.Entry.Also.List != AlsoImages || kind != "text/html" && kind != "application/xhtml+xml" {
		return false
	}
	r.Verdict, r.gone = Soft404, Why{whyAlsoPage, [4]string{kind}}
	return true
}

// fixFile keeps an image or a video, which no sitemap is edited for. Where it moved for good, Loc
// is what to write, unless that may not be written.
func (j *judging) fixFile(policy string) {
	r := j.row
	r.Fix = Fix{Action: Keep, Policy: policy, Why: Why{Key: string(r.Verdict)}}
	switch {
	case r.Verdict == Unverified:
		r.Fix.Why = r.whyNotSeen()
	case r.Verdict == Soft404:
		r.Fix.Why = r.gone
	case r.Verdict != Moved && r.Verdict != Respelled || r.Trail.last().Hop.Forbidden != "":
	case addsSecret(r.Final, r.Address) || addsSession(r.Final, r.Address):
		r.stop(Session)
	case !losesHTTPS(r.Final, r.Address):
		r.Fix.Loc, r.Fix.Why = r.Final.String(), Why{Key: whyAlsoWrite}
	}
}
