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
	unlisted
	noSelf
	twoAddresses
	ukraine
	noAddress
	tooMany
	redirects
	gone
	blocked
	noindex
	otherCanonical
	swapped
	otherLabel
	otherSet
	toOtherLanguage
	toDisputed
	deviceRedirects
	deviceBack
	deviceListed
	deviceGone
	deviceBlocked
	deviceNoindex
	imageBlocked
	videoBlocked
	imageToBlocked
	videoToBlocked
	imageNoAddress
	videoNoAddress
	imageTwice
	videoTwice
	videoOwn
	kinds
)

// faultOf are the faults of the kinds, with the fields that are always the same. The name of the
// first is from Search Console's report on international targeting (Search Console Help 6059209),
// which had no names for the others.
var faultOf = [kinds]audit.SitemapFault{
	noReturn:       {Name: "No return tags", Key: "hreflang-no-return"},
	unlisted:       {Name: "No return tags", Key: "hreflang-unlisted"},
	noSelf:         {Name: "Alternates without the page itself", Key: "hreflang-no-self"},
	twoAddresses:   {Name: "Two alternates for one language", Key: "hreflang-two"},
	ukraine:        {Name: "Doubtful language code", Key: "hreflang-uk"},
	noAddress:      {Name: "Invalid alternate URL", Key: "hreflang-no-address"},
	tooMany:        {Name: "Too many alternates", Key: "hreflang-many"},
	redirects:      {Name: "Alternate redirects", Key: "alternate-redirects"},
	gone:           {Name: "Alternate not found", Key: "alternate-gone"},
	blocked:        {Name: "Alternate blocked by robots.txt", Key: "alternate-blocked"},
	noindex:        {Name: "Alternate noindex", Key: "alternate-says-noindex"},
	otherCanonical: {Name: "Alternate has another canonical", Key: "alternate-canonical"},
	swapped:        {Name: "Alternates with swapped languages", Key: "hreflang-swapped"},
	otherLabel:     {Name: "Alternates disagree", Key: "hreflang-other-label"},
	otherSet:       {Name: "Alternates disagree", Key: "hreflang-other-set"},

	toOtherLanguage: {Name: "Alternate redirects", Key: "alternate-to-language"},
	toDisputed:      {Name: "Alternate redirects", Key: "alternate-to-disputed"},

	deviceRedirects: {Name: "Alternate redirects", Key: "device-redirects"},
	deviceBack:      {Name: "Alternate redirects", Key: "device-back"},
	deviceListed:    {Name: "Alternate redirects", Key: "device-listed"},
	deviceGone:      {Name: "Alternate not found", Key: "device-gone"},
	deviceBlocked:   {Name: "Alternate blocked by robots.txt", Key: "device-blocked"},
	deviceNoindex:   {Name: "Alternate noindex", Key: "device-noindex"},

	imageBlocked:   {Name: "Image blocked by robots.txt", Key: "image-blocked"},
	videoBlocked:   {Name: "Video blocked by robots.txt", Key: "video-blocked"},
	imageToBlocked: {Name: "Image blocked by robots.txt", Key: "image-to-blocked"},
	videoToBlocked: {Name: "Video blocked by robots.txt", Key: "video-to-blocked"},
	imageNoAddress: {Name: "Invalid image URL", Key: "image-no-address"},
	videoNoAddress: {Name: "Invalid video URL", Key: "video-no-address"},
	imageTwice:     {Name: "Image redirects", Key: "image-twice"},
	videoTwice:     {Name: "Video redirects", Key: "video-twice"},
	videoOwn:       {Name: "Video redirects", Key: "video-own"},
}

// basis returns what a kind is derived from: the file, other files, or answers of alternates,
// images or videos, which are crawled where the audit includes them. Invalid addresses of images
// and videos are reported only there, too.
func (k kind) basis() (audit.FaultBasis, audit.AlsoList) {
	switch k {
	case noSelf, twoAddresses, ukraine, noAddress, tooMany:
		return audit.OnFile, ""
	case imageNoAddress:
		return audit.OnFile, audit.AlsoImages
	case videoNoAddress:
		return audit.OnFile, audit.AlsoVideos
	case noReturn, unlisted, swapped, otherLabel, otherSet:
		return audit.OnFiles, ""
	case imageBlocked, imageToBlocked, imageTwice:
		return audit.OnAnswers, audit.AlsoImages
	case videoBlocked, videoToBlocked, videoTwice, videoOwn:
		return audit.OnAnswers, audit.AlsoVideos
	}
	return audit.OnAnswers, audit.AlsoAlternates
}

// maxPlaces is how many places of a kind are listed for a file; the rest is counted, as for the
// other faults of a file.
const maxPlaces = 5

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

// found are the findings of a kind in a file: the first ones, in order, and the number of all.
type found struct {
	first     []finding
	n, mended int
}

// add adds a finding. Findings may come in any order. more is how many findings of all kinds may
// still be listed beyond maxPlaces of each.
func (f *found) add(x finding, more *int) {
	f.n++
	if x.mended {
		f.mended++
	}
	at := len(f.first)
	for at > 0 && x.compare(f.first[at-1].place) < 0 {
		at--
	}
	switch full := len(f.first) >= maxPlaces; {
	case full && *more > 0:
		*more--
	case full && at == len(f.first):
		return
	case full:
		f.first = f.first[:len(f.first)-1]
	}
	f.first = slices.Insert(f.first, at, x)
}
