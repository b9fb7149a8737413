package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// Reported is what a search engine says of an address, as an export has it.
type Reported struct {
	Is      bool   // the entry is one of an export
	Reason  Label  // why it is reported, "" where the export does not say
	Crawled string // when it was last crawled, as the export has it; "" for never and unknown
}

// Suspect reports whether the second spelling of a reported address is to be
// asked, whatever is sampled: what is reported may be a redirect.
func (r *Reported) Suspect() bool { return r.Is && labels[r.Reason].mayBeRedirect() }

// An Upshot is what a reported address comes to, for whoever works on the site.
type Upshot string

// The upshots. Every address of an export has exactly one.
const (
	UpshotFixed   Upshot = "fixed"       // the corrected sitemap does not list it any more
	UpshotDecide  Upshot = "decide"      // it needs a decision or a repair
	UpshotServer  Upshot = "server"      // right as listed: the server answers another spelling of it otherwise
	UpshotBroken  Upshot = "broken"      // no sitemap lists it, and it leads to no page
	UpshotAnswers Upshot = "answers"     // it answers 200 to us: what is reported does not show
	UpshotUnseen  Upshot = "not-checked" // nobody saw what it answers
	UpshotNothing Upshot = "nothing"     // nothing is to be done about it
)

// Upshots returns all upshots in the order in which they are reported.
func Upshots() []Upshot {
	return []Upshot{UpshotFixed, UpshotDecide, UpshotServer, UpshotBroken, UpshotAnswers, UpshotUnseen, UpshotNothing}
}

// A Join says how a reported address was found in a sitemap.
type Join string

// The joins, the closest first.
const (
	ByLoc      Join = "loc"      // as written
	ByWire     Join = "wire"     // the same on the wire
	BySpelling Join = "spelling" // the same but for the second spelling
)

// A ReportedRow is one address of an export, judged.
type ReportedRow struct {
	// Row is the address judged like an entry. No sitemap is written from it:
	// its Fix means nothing.
	Row
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

// Upshot returns what the address comes to.
func (r *ReportedRow) Upshot() Upshot { return upshotOf[r.Advice] }

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
	// Rows yields the addresses of the exports in their order. What a row holds is the caller's until
	// the next. It may be ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[ReportedRow, error] `json:"-"`

	reasons []ReportedReason
}

// A ReportedExport is one file of --search-console.
type ReportedExport struct {
	Name      string
	Addresses int
	Faults    []SitemapFault // rows that could not be read, and the like
}

// A ReportedReason counts the addresses that are reported for one reason.
type ReportedReason struct {
	Reason    Label // "" where the export does not say
	Rest      bool  // these are of several reasons, beyond the first maxReasons
	Addresses int
	Upshots   map[Upshot]int
}

// maxReasons is how many reasons are told apart, the first of them: an export may have any text for
// one.
const maxReasons = 20

// Add counts a row.
func (sc *SearchConsole) Add(r *ReportedRow) {
	sc.Addresses++
	if sc.Upshots == nil {
		sc.Upshots = map[Upshot]int{}
	}
	sc.Upshots[r.Upshot()]++
	reason := r.Entry.Reported.Reason
	at := slices.IndexFunc(sc.reasons, func(x ReportedReason) bool { return x.Rest || x.Reason == reason })
	if at < 0 {
		at = len(sc.reasons)
		sc.reasons = append(sc.reasons, ReportedReason{Reason: reason, Upshots: map[Upshot]int{}})
		if at == maxReasons {
			sc.reasons[at].Reason, sc.reasons[at].Rest = "", true
		}
	}
	sc.reasons[at].Addresses++
	sc.reasons[at].Upshots[r.Upshot()]++
	if r.Advice == AdviceWhoAsks {
		sc.WhoAsks++
	}
	switch r.Join {
	case "":
		sc.Unlisted++
	case BySpelling:
		sc.Spelling++
	}
	if r.Entry.Skip == SkipSite {
		sc.OtherSite++
	}
}

// Reasons returns the addresses by reason, the most frequent first; those beyond 20 in one, the last.
func (sc *SearchConsole) Reasons() []ReportedReason {
	all := slices.Clone(sc.reasons)
	slices.SortFunc(all[:min(maxReasons, len(all))], func(a, b ReportedReason) int {
		return cmp.Or(cmp.Compare(b.Addresses, a.Addresses), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
