package audit

import (
	"cmp"
	"slices"
)

// An Upshot is what a reported address comes to, for whoever works on the site: classes that
// ask the same of them are one, and what was not seen is set apart from what answers 200.
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

// Upshot returns what a classified row comes to.
func (r *ReportedRow) Upshot() Upshot {
	switch r.Class {
	case InSitemapCorrected:
		return UpshotFixed
	case InSitemapNeedsYou:
		if r.Advice == AdviceSeed || r.Advice == AdviceSeedHere || r.Advice == AdviceOtherAnswer {
			return UpshotServer
		}
		return UpshotDecide
	case NotInSitemapBroken:
		return UpshotBroken
	case FineNow, RedirectsAsItShould:
		return UpshotNothing
	}
	switch r.Advice {
	case AdviceGoogles, AdviceWhoAsks, AdviceRemoved, AdviceNoContent:
		return UpshotAnswers
	case AdviceIndexedRobots:
		return UpshotDecide
	}
	return UpshotUnseen
}

// A ReportedReason counts the addresses that are reported for one reason.
type ReportedReason struct {
	Reason    Label // "" where the export does not say
	Rest      bool  // these are of several reasons, beyond the first maxReasons
	Addresses int
	Upshots   map[Upshot]int
}

// How many reasons are reported, and are held while they are counted: an export may have any
// text for one.
const (
	maxReasons  = 20
	heldReasons = 1000
)

// Add counts a classified row.
func (sc *SearchConsole) Add(r *ReportedRow) {
	sc.Addresses++
	if sc.Classes == nil {
		sc.Classes = map[Class]int{}
	}
	sc.Classes[r.Class]++
	if sc.Upshots == nil {
		sc.Upshots = map[Upshot]int{}
	}
	sc.Upshots[r.Upshot()]++
	sc.reason(r).add(1, map[Upshot]int{r.Upshot(): 1})
	if r.Upshot() == UpshotAnswers && r.Advice == AdviceWhoAsks {
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

// reason returns where the reason of a row is counted.
func (sc *SearchConsole) reason(r *ReportedRow) *ReportedReason {
	if sc.reasons == nil {
		sc.reasons = map[Label]*ReportedReason{}
	}
	at, is := sc.reasons[r.Entry.Reported.Reason]
	switch {
	case is:
	case len(sc.reasons) < heldReasons:
		at = &ReportedReason{Reason: r.Entry.Reported.Reason}
		sc.reasons[at.Reason] = at
	default:
		at = &sc.rest
	}
	return at
}

func (x *ReportedReason) add(n int, upshots map[Upshot]int) {
	x.Addresses += n
	if x.Upshots == nil {
		x.Upshots = map[Upshot]int{}
	}
	for u, n := range upshots {
		x.Upshots[u] += n
	}
}

// Reasons returns the addresses by reason, the most frequent first; those beyond the first
// 20 in one.
func (sc *SearchConsole) Reasons() []ReportedReason {
	var all []ReportedReason
	for _, x := range sc.reasons {
		all = append(all, *x)
	}
	slices.SortFunc(all, func(a, b ReportedReason) int {
		return cmp.Or(cmp.Compare(b.Addresses, a.Addresses), cmp.Compare(a.Reason, b.Reason))
	})
	rest := ReportedReason{Rest: true}
	rest.add(sc.rest.Addresses, sc.rest.Upshots)
	for _, x := range all[min(maxReasons, len(all)):] {
		rest.add(x.Addresses, x.Upshots)
	}
	all = all[:min(maxReasons, len(all))]
	if rest.Addresses > 0 {
		all = append(all, rest)
	}
	return all
}
