package audit

import (
	"context"
	"iter"
)

// Reported is what a search engine says of an address, as an export has it.
type Reported struct {
	Is      bool   // the entry is one of an export
	Reason  Label  // why it is reported, "" where the export does not say
	Crawled string // when it was last crawled, as the export has it; "" for never and unknown
}

// Suspect reports whether the second spelling of a reported address is to be
// asked, whatever is sampled: what is reported may be a redirect.
func (r *Reported) Suspect() bool { return r.Is && r.Reason.mayBeRedirect() }

// A Class is what becomes of a reported address, in one word.
type Class string

// The classes. Every address of an export is in exactly one.
const (
	// InSitemapCorrected: a sitemap lists it, and the corrected one does not any more.
	InSitemapCorrected Class = "in-sitemap-corrected"
	// InSitemapNeedsYou: a sitemap lists it, and only a person can decide or repair what is
	// wrong.
	InSitemapNeedsYou Class = "in-sitemap-needs-you"
	// FineNow: it answers 200 now, or does what its page or robots.txt says and
	// no sitemap asks otherwise.
	FineNow Class = "fine-now"
	// RedirectsAsItShould: it redirects to a page, and no sitemap lists it.
	RedirectsAsItShould Class = "redirects-as-it-should"
	// NotInSitemapBroken: no sitemap lists it, and it leads to no page.
	NotInSitemapBroken Class = "not-in-sitemap-broken"
	// NotReproducible: what the search engine says does not show from here.
	NotReproducible Class = "not-reproducible"
)

// Classes returns all classes, those that need a person first.
func Classes() []Class {
	return []Class{InSitemapNeedsYou, NotInSitemapBroken, InSitemapCorrected, NotReproducible, FineNow, RedirectsAsItShould}
}

// A Join says how a reported address was found in a sitemap.
type Join string

// The joins, the closest first.
const (
	ByLoc      Join = "loc"      // as written
	ByWire     Join = "wire"     // the same on the wire
	BySpelling Join = "spelling" // the same but for the second spelling
)

// A ReportedRow is one address of an export, judged and classified.
type ReportedRow struct {
	// Row is the address judged like an entry. No sitemap is written from it:
	// its Fix means nothing.
	Row
	Class Class
	// Advice is what to do, as a key of words; To is the address that it names,
	// "" where it names none.
	Advice Advice
	To     string
	// Join is how it was found, "" where no sitemap lists it. Sitemaps are the
	// URLs of the files that do, at most 20; Listed the address as one of them
	// lists it, in wire form.
	Join     Join
	Sitemaps []string
	Listed   string
	// Unread is set where a sitemap could not be read whole: it may list the address.
	Unread bool
	// Stop is the rule that kept the sitemap's entry from being edited, "" for
	// none.
	Stop Note
}

// UnseenBy says in a word why an unverified row could not be seen: a status, a
// fault, the name of a bot protection, unsteady; "" for other rows.
func (r *Row) UnseenBy() string {
	if r.Verdict != Unverified {
		return ""
	}
	return r.unseenBy()
}

// SearchConsole adds up the addresses of an audit's exports.
type SearchConsole struct {
	Addresses int
	Classes   map[Class]int
	Unlisted  int // in no sitemap that was read
	Spelling  int // a sitemap lists them in another spelling
	OtherSite int // of a site that is not audited: not asked
	Exports   []ReportedExport
	// NoSitemap is set where no sitemap was read, Unread counts those that could
	// not be read whole: what they list is not known.
	NoSitemap bool
	Unread    int
	// Upshots counts what the addresses come to; WhoAsks those of UpshotAnswers that the site
	// is said to refuse (401, 403), while the others are a judgement of the search engine.
	Upshots map[Upshot]int
	WhoAsks int

	reasons map[Label]*ReportedReason
	rest    ReportedReason // of reasons that are not held
}

// A ReportedExport is one file of --search-console.
type ReportedExport struct {
	Name      string
	Addresses int
	Faults    []SitemapFault // rows that could not be read, and the like
}

// WithReported returns a copy of t with the addresses of an export: counts, and
// rows as Result.Reported yields them. It is for outputs that are shown or tested
// without an audit, as MakeResult is.
func (t Result) WithReported(sc *SearchConsole, rows func() iter.Seq2[ReportedRow, error]) *Result {
	t.SearchConsole = sc
	t.reported = func(ctx context.Context) iter.Seq2[ReportedRow, error] { return Until(ctx, rows()) }
	return &t
}

// Reported yields the addresses of the exports in their order, judged and
// sorted into classes; none where SearchConsole is nil. What a row holds is the
// caller's until the next. It may be ranged over again. An error ends it, and so does ctx.
func (t *Result) Reported(ctx context.Context) iter.Seq2[ReportedRow, error] {
	if t.reported == nil {
		return func(func(ReportedRow, error) bool) {}
	}
	return t.reported(ctx)
}
