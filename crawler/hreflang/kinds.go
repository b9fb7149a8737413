package hreflang

import (
	"cmp"
	"slices"

	"sitemend/crawler/audit"
)

// A kind is a kind of fault of alternates.
type kind uint8

const (
	noReturn kind = iota
	unknownCode
	noSelf
	twoAddresses
	noAddress
	redirects
	gone
	blocked
	noindex
	otherCanonical
	kinds
)

// faultOf are the faults of the kinds, with the fields that are always the same. The rules are
// Google's (Search Central, "Localized versions of your pages"); the name of the first is from
// Search Console's report on international targeting (Search Console Help 6059209), which had no
// names for the others.
var faultOf = [kinds]audit.SitemapFault{
	noReturn:       {Name: "No return tags", Key: "alternate"},
	unknownCode:    {Name: "Unknown language code", Key: "hreflang"},
	noSelf:         {Name: "Alternates without the page itself", Key: "hreflang-no-self"},
	twoAddresses:   {Name: "Two alternates for one language", Key: "alternate"},
	noAddress:      {Name: "Invalid alternate URL", Key: "alternate"},
	redirects:      {Name: "Alternate redirects", Key: "alternate"},
	gone:           {Name: "Alternate not found", Key: "alternate"},
	blocked:        {Name: "Alternate blocked by robots.txt", Key: "alternate"},
	noindex:        {Name: "Alternate noindex", Key: "alternate"},
	otherCanonical: {Name: "Alternate has another canonical", Key: "alternate"},
}

// wrongs are the verdicts, besides those of redirects, with which an address cannot be an
// alternate.
var wrongs = map[audit.Verdict]kind{
	audit.NotFound: gone, audit.Disallowed: blocked, audit.Noindex: noindex, audit.Noncanonical: otherCanonical,
}

// wrongOf returns what is wrong with a link to the address of a row; kinds for nothing.
func wrongOf(row *audit.Row) kind {
	if k, is := wrongs[row.Verdict]; is {
		return k
	}
	if row.Verdict.Redirects() {
		return redirects
	}
	return kinds
}

// A place is a link of a sitemap: the indexes, from 0, of its file, of its element among those with
// links, and of the link in that.
type place struct{ file, element, link int }

// compare orders places by their position in the files.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.element, q.element), cmp.Compare(p.link, q.link))
}

// A finding is a fault at a place.
type finding struct {
	place
	said   []string // arguments of its sentence besides the page and the alternate
	mended bool     // the corrected copy does not have the fault
}

// maxPlaces is how many places of a kind are listed for a file; the rest is counted, as for the
// other faults of a file.
const maxPlaces = 5

// found are the findings of a kind in a file: the first ones, in order, and the number of all.
type found struct {
	first     []finding
	n, mended int
}

// add adds a finding. Findings may come in any order.
func (f *found) add(x finding) {
	f.n++
	if x.mended {
		f.mended++
	}
	at, _ := slices.BinarySearchFunc(f.first, x.place, func(y finding, p place) int { return y.compare(p) })
	if f.first = slices.Insert(f.first, at, x); len(f.first) > maxPlaces {
		f.first = f.first[:maxPlaces]
	}
}
