package audit

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

// advise says what to do about a reported address. at is nil where no sitemap lists it; partial is
// set where no sitemap is written.
func (r *ReportedRow) advise(at *listing, rules *Rules, partial bool) {
	switch {
	case r.Verdict == Unverified:
		r.Advice = AdviceUnseen
	case r.Verdict == Skipped:
		r.Advice = AdviceNotCrawled
	case r.fine():
		r.answers(at != nil && !r.spelled(), rules)
	case at == nil:
		r.unlisted()
	case !r.spelled():
		if r.Advice, r.To = at.edited(partial, r.Verdict.Facts().Fix != Keep); r.Advice == "" {
			r.Advice = AdviceRepair
		}
	case r.Verdict == Noncanonical && r.named.String() == r.Listed, r.Verdict == Disallowed:
		r.unlisted()
	default:
		r.otherwise(at, partial)
	}
}

// edited is the advice where the corrected sitemap settles it; "" where it does not. would is set
// where it would, of an entry that was not crawled.
func (at *listing) edited(partial, would bool) (a Advice, to string) {
	edited := at.group == Corrected || at.group == TakenOut
	switch {
	case partial && (edited || would && at.group == LeftOut):
		return AdviceWhole, ""
	case at.group == Corrected:
		return AdviceUpload, at.written
	case edited:
		return AdviceUploadWithout, ""
	}
	return "", ""
}

// answers decides an address that answers 200 at once: whether the reason would show in an answer.
func (r *ReportedRow) answers(listed bool, rules *Rules) {
	switch kind := labels[r.Entry.Reported.Reason]; {
	case listed && r.Verdict == SpellingBounce && kind.mayBeRedirect():
		r.Advice, r.To = AdviceSeed, rules.Second(r.Address).String()
	case listed && r.Verdict == SpellingConflict && kind != byGoogle:
		r.Advice, r.To = AdviceOtherAnswer, rules.Second(r.Address).String()
	case kind == byGoogle:
		r.Advice = AdviceGoogles
	case kind == byWhoAsks:
		r.Advice = AdviceWhoAsks
	default:
		r.Advice = AdviceFine
	}
}

// otherwise decides an address that a sitemap lists in another spelling.
func (r *ReportedRow) otherwise(at *listing, partial bool) {
	r.Advice, r.To = at.edited(partial, false)
	switch {
	case r.Advice != "":
	case at.group == NeedsDecision:
		r.Advice = AdviceRepair
	case r.Final.String() == r.Listed && len(r.Trail.Steps) > 1:
		r.Advice, r.To = AdviceSeedHere, r.Listed
	default:
		r.Advice, r.To = AdviceOtherAnswer, r.Listed
	}
}

// unlisted decides an address that no sitemap lists, and that is not fine.
func (r *ReportedRow) unlisted() {
	reason := r.Entry.Reported.Reason
	if r.Verdict.Facts().Leads == LeadAway {
		r.To = r.Final.String()
	}
	switch {
	case r.Has(Gate): // whatever the server does, it is no page to list
		r.Advice, r.To = AdviceGate, r.Trail.last().Hop.URL
	case r.To != "" && (reason == LabelSoft404 || r.Has(TargetNote(Soft404))):
		r.Advice = AdviceSoft
	case r.To != "":
		r.Advice = AdviceRedirects
	case r.Verdict == Disallowed && reason == LabelIndexedBlocked && len(r.Trail.Steps) == 1:
		r.Advice = AdviceIndexedRobots
	case r.Verdict == Disallowed && (reason != LabelRobots || r.Listed != ""):
		r.Advice = AdviceForbidden
	case r.Verdict == Noindex, r.Verdict == Noncanonical, r.Verdict == Disallowed:
		r.Advice = AdviceAsSaid
	default:
		r.Advice = AdviceBroken
	}
}
