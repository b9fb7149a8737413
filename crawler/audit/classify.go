package audit

import "cmp"

// An Advice is what to do about a reported address, as a key of words. {to} in them is ReportedRow.To.
type Advice string

// The advices.
const (
	AdviceUpload        Advice = "upload"         // the corrected sitemap lists {to}
	AdviceUploadWithout Advice = "upload-without" // the corrected sitemap leaves it out
	AdviceWhole         Advice = "whole"          // nothing was written: only a part was asked
	AdviceRepair        Advice = "repair"         // listed: as the words of its verdict say
	AdviceIndexedRobots Advice = "indexed-robots" // forbidden, and indexed all the same
	AdviceSeed          Advice = "seed"           // right as listed; {to}, its second spelling, is redirected back
	AdviceSeedHere      Advice = "seed-here"      // the sitemap lists {to}, to which this spelling is redirected
	AdviceOtherAnswer   Advice = "other-answer"   // {to}, its other spelling, is answered otherwise
	AdviceBroken        Advice = "broken"         // not listed: as the words of its verdict say
	AdviceSoft          Advice = "soft"           // redirects to {to}, which is no page in its place
	AdviceGoogles       Advice = "googles"        // answers 200; the reason is a decision that no answer shows
	AdviceWhoAsks       Advice = "who-asks"       // answers 200 to us: the answer depends on who asks
	AdviceUnseen        Advice = "unseen"         // no answer that says what Google sees
	AdviceForbidden     Advice = "forbidden"      // robots.txt forbids it, or what it redirects to
	AdviceNotCrawled    Advice = "not-crawled"    // left out, of another site, or the audit was stopped before
	AdviceFine          Advice = "fine"           // answers 200 now
	AdviceRedirects     Advice = "redirects"      // redirects to {to}
	AdviceGate          Advice = "gate"           // redirects to {to}, a login or the like
	AdviceAsSaid        Advice = "as-said"        // its page, or robots.txt, says what is reported
)

// upshotOf is what an address comes to of which an advice is given.
var upshotOf = map[Advice]Upshot{
	AdviceUpload: UpshotFixed, AdviceUploadWithout: UpshotFixed,
	AdviceWhole: UpshotDecide, AdviceRepair: UpshotDecide, AdviceIndexedRobots: UpshotDecide,
	AdviceSeed: UpshotServer, AdviceSeedHere: UpshotServer, AdviceOtherAnswer: UpshotServer,
	AdviceBroken: UpshotBroken, AdviceSoft: UpshotBroken,
	AdviceGoogles: UpshotAnswers, AdviceWhoAsks: UpshotAnswers,
	AdviceUnseen: UpshotUnseen, AdviceForbidden: UpshotUnseen, AdviceNotCrawled: UpshotUnseen,
	AdviceFine: UpshotNothing, AdviceRedirects: UpshotNothing, AdviceGate: UpshotNothing, AdviceAsSaid: UpshotNothing,
}

// advise says what to do about a reported address, and which address that names. at is nil where no
// sitemap lists it; partial is set where no sitemap is written.
func (r *ReportedRow) advise(at *listing, rules *Rules, partial bool) (a Advice, to string) {
	reason := r.Entry.Reported.Reason
	kind, asListed := labels[reason], at != nil && !r.spelled()
	switch {
	case r.Verdict == Unverified:
		return AdviceUnseen, ""
	case r.Verdict == Skipped:
		return AdviceNotCrawled, ""
	case asListed && r.Verdict == SpellingBounce && kind.mayBeRedirect():
		return AdviceSeed, rules.Second(r.Address).String()
	case asListed && r.Verdict == SpellingConflict && kind != byGoogle:
		return AdviceOtherAnswer, rules.Second(r.Address).String()
	case r.fine(): // whether the reason would show in an answer
		return cmp.Or(map[labelKind]Advice{byGoogle: AdviceGoogles, byWhoAsks: AdviceWhoAsks}[kind], AdviceFine), ""
	case at == nil, r.spelled() && (r.Verdict == Disallowed || r.Verdict == Noncanonical && r.named.String() == r.Listed):
		return r.unlisted(reason)
	}
	switch edited := at.group == Corrected || at.group == TakenOut; {
	case partial && (edited || asListed && at.group == LeftOut && r.Verdict.Facts().Fix != Keep):
		return AdviceWhole, ""
	case at.group == Corrected:
		return AdviceUpload, at.written
	case edited:
		return AdviceUploadWithout, ""
	case asListed || at.group == NeedsDecision:
		return AdviceRepair, ""
	case r.Final.String() == r.Listed && len(r.Trail.Steps) > 1:
		return AdviceSeedHere, r.Listed
	}
	return AdviceOtherAnswer, r.Listed
}

// unlisted decides an address that no sitemap lists, and that is not fine.
func (r *ReportedRow) unlisted(reason Label) (a Advice, to string) {
	away, forbidden := r.Verdict.Facts().Leads == LeadAway, r.Verdict == Disallowed
	switch {
	case r.Has(Gate): // whatever the server does, it is no page to list
		return AdviceGate, r.Trail.last().Hop.URL
	case away && (reason == LabelSoft404 || r.Has(TargetNote(Soft404))):
		return AdviceSoft, r.Final.String()
	case away:
		return AdviceRedirects, r.Final.String()
	case forbidden && reason == LabelIndexedBlocked && len(r.Trail.Steps) == 1:
		return AdviceIndexedRobots, ""
	case forbidden && (reason != LabelRobots || r.Listed != ""):
		return AdviceForbidden, ""
	case forbidden, r.Verdict == Noindex, r.Verdict == Noncanonical:
		return AdviceAsSaid, ""
	}
	return AdviceBroken, ""
}
