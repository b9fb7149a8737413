package audit

import (
	"context"
	"iter"
)

// A LinkKind says what is to be known of a row about links.
type LinkKind uint8

// The kinds, in the order of the outputs.
const (
	LinkedOld      LinkKind = iota // pages link to an address that redirects, or is gone
	LinkedUnlisted                 // pages link to an address that no sitemap lists
	NeverLinked                    // an entry that no page links to
	linkKinds
)

// Whether sitemaps list an address that pages link to.
const (
	NotInSitemap           = "no"
	InSitemap              = "yes"
	OtherSpellingInSitemap = "other-spelling" // no sitemap lists it; one lists another spelling of it
)

// A LinkRow is an address with the pages that link to it.
type LinkRow struct {
	Kind    LinkKind
	Target  string // wire form; of an entry as listed
	Verdict Verdict
	// RedirectsTo is where it leads at last, "" where nowhere. LinkTo is the address to link to
	// in its place: one that passed what may be written into a sitemap; "" where there is none.
	RedirectsTo string
	LinkTo      string
	Listed      string // NotInSitemap and the others
	// Pages counts the pages with a link that may be followed, Nofollow those of which each link
	// is not to be. Template counts those of Pages that have it as a part of their template.
	Pages, Nofollow, Template int
	// Examples are up to MostLinkExamples pages that link to it, sorted: a sample of them.
	Examples []string
	// Sitemap and Line are where an entry is listed that no page links to.
	Sitemap string
	Line    int
}

// MostLinkRows bounds Linked.First.
const MostLinkRows = 100

// MostLinkExamples bounds LinkRow.Examples.
const MostLinkExamples = 5

// Linked is what the links of pages say; all of it rests on the pages that were read.
type Linked struct {
	Pages int // whose links were read
	Kinds [linkKinds]int
	Old   map[Verdict]int // of LinkedOld
	// First are the first rows of each kind, at most MostLinkRows.
	First [linkKinds][]LinkRow
	// Rows yields the rows of each kind in turn, those of most pages first. It may be
	// ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[LinkRow, error] `json:"-"`
}
