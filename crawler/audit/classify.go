package audit

// An Advice is what to do about a reported address, as a key of words.
type Advice string

// The advices. {to} in their words is ReportedRow.To.
const (
	AdviceUpload        Advice = "upload"         // the corrected sitemap lists {to}
	AdviceUploadWithout Advice = "upload-without" // the corrected sitemap leaves it out
	AdviceWhole         Advice = "whole"          // nothing was written: only a part was asked
	AdviceDecide        Advice = "decide"         // listed, and says noindex
	AdviceRepair        Advice = "repair"         // listed: as the words of its verdict say
	AdviceSeed          Advice = "seed"           // right as listed; {to}, its second spelling, is redirected back
	AdviceSeedHere      Advice = "seed-here"      // the sitemap lists {to}, to which this spelling is redirected
	AdviceOtherAnswer   Advice = "other-answer"   // {to}, its other spelling, is answered otherwise
	AdviceFine          Advice = "fine"           // answers 200 now
	AdviceFineOther     Advice = "fine-other"     // answers 200 now, the sitemap lists {to}
	AdviceFineBounce    Advice = "fine-bounce"    // answers 200, not listed; {to}, its second spelling, does not
	AdviceRedirects     Advice = "redirects"      // redirects for good to {to}
	AdviceGate          Advice = "gate"           // redirects to {to}, a login or the like
	AdviceTemporary     Advice = "temporary"      // redirects to {to}, temporarily
	AdviceHome          Advice = "home"           // redirects to the home page
	AdviceSoft          Advice = "soft"           // redirects to what seems to be an error page
	AdviceSoftMoved     Advice = "soft-moved"     // redirects to {to}, which Google calls a soft 404
	AdviceGone          Advice = "gone"           // 404, not listed
	AdviceBroken        Advice = "broken"         // not listed: as the words of its verdict say
	AdviceNoindex       Advice = "noindex"        // not listed, says noindex
	AdviceCanonical     Advice = "canonical"      // names {to} as its canonical
	AdviceRobots        Advice = "robots"         // forbidden, as reported
	AdviceIndexedRobots Advice = "indexed-robots" // forbidden, and indexed all the same
	AdviceForbidden     Advice = "forbidden"      // forbidden: not asked
	AdviceForbiddenWay  Advice = "forbidden-way"  // redirects to {to}, which is forbidden
	AdviceUnseen        Advice = "unseen"         // no answer that says what Google sees
	AdviceWhoAsks       Advice = "who-asks"       // the answer depends on who asks
	AdviceGoogles       Advice = "googles"        // a decision that no answer shows
	AdviceRemoved       Advice = "removed"        // removed from the results by request
	AdviceNoContent     Advice = "no-content"     // answers 200, and Google read nothing
	AdviceIndexed       Advice = "indexed"        // answers 200 and is in the index: no fault is reported
	AdviceFiltered      Advice = "filtered"       // left out by --include or --exclude
	AdviceOtherSite     Advice = "other-site"     // of a site that is not audited
	AdviceStopped       Advice = "stopped"        // the audit was stopped before
)

// listing is what the sitemaps say of a reported address: of the entries that
// list it the one that needs a person most.
type listing struct {
	join  Join
	group Group
	stop  Note // the rule that kept the entry from being edited, "" for none
	// written is the address that replaces the entry, listed the entry's own.
	written, listed string
	files           []int32
}

// classify sorts a reported address into its class. at is nil where no sitemap
// lists it; partial is set where no sitemap is written.
func (r *ReportedRow) classify(at *listing, rules *Rules, partial bool) {
	switch {
	case at == nil:
		r.unlisted(rules)
	case r.hidden():
	case at.join == BySpelling:
		r.listedOtherwise(at, partial)
	default:
		r.listedHere(at, rules, partial)
	}
}

func (r *ReportedRow) is(c Class, a Advice, to string) { r.Class, r.Advice, r.To = c, a, to }

// hidden decides addresses of which nothing was seen.
func (r *ReportedRow) hidden() bool {
	switch {
	case r.Verdict == Unverified:
		r.is(NotReproducible, AdviceUnseen, "")
	case r.Verdict != Skipped:
		return false
	case r.Entry.Skip == SkipSite:
		r.is(NotReproducible, AdviceOtherSite, "")
	case r.Entry.Skip != SkipNone:
		r.is(NotReproducible, AdviceFiltered, "")
	default:
		r.is(NotReproducible, AdviceStopped, "")
	}
	return true
}

// listedHere decides an address that a sitemap lists.
func (r *ReportedRow) listedHere(at *listing, rules *Rules, partial bool) {
	switch {
	case r.Verdict == Noindex:
		r.is(InSitemapNeedsYou, AdviceDecide, "")
	case (at.group == Corrected || at.group == TakenOut || at.group == LeftOut && r.Verdict.Facts().Fix != Keep) && partial:
		r.is(InSitemapNeedsYou, AdviceWhole, "")
	case at.group == Corrected:
		r.is(InSitemapCorrected, AdviceUpload, at.written)
	case at.group == TakenOut:
		r.is(InSitemapCorrected, AdviceUploadWithout, "")
	case r.softMoved():
		r.is(InSitemapNeedsYou, AdviceSoftMoved, r.Final.String())
	case !r.fine():
		r.is(InSitemapNeedsYou, AdviceRepair, "")
	case r.Verdict == SpellingBounce && r.Entry.Reported.Reason.mayBeRedirect():
		r.is(InSitemapNeedsYou, AdviceSeed, rules.Second(r.Address).String())
	case r.Verdict == SpellingConflict && !r.Entry.Reported.Reason.googles():
		r.is(InSitemapNeedsYou, AdviceOtherAnswer, rules.Second(r.Address).String())
	default:
		r.answers(AdviceFine, "")
	}
}

// listedOtherwise decides an address that a sitemap lists in another spelling.
func (r *ReportedRow) listedOtherwise(at *listing, partial bool) {
	switch {
	case r.fine():
		r.answers(AdviceFineOther, at.listed)
	case r.Verdict == Noncanonical && r.named.String() == at.listed:
		r.is(FineNow, AdviceCanonical, at.listed)
	case r.Verdict == Disallowed:
		r.forbidden()
	case (at.group == Corrected || at.group == TakenOut) && partial:
		r.is(InSitemapNeedsYou, AdviceWhole, "")
	case at.group == Corrected:
		r.is(InSitemapCorrected, AdviceUpload, at.written)
	case at.group == TakenOut:
		r.is(InSitemapCorrected, AdviceUploadWithout, "")
	case at.group == NeedsDecision:
		r.is(InSitemapNeedsYou, AdviceRepair, "")
	case r.Final.String() == at.listed && len(r.Trail.Steps) > 1:
		r.is(InSitemapNeedsYou, AdviceSeedHere, at.listed)
	default:
		r.is(InSitemapNeedsYou, AdviceOtherAnswer, at.listed)
	}
}

// unlisted decides an address that no sitemap lists.
func (r *ReportedRow) unlisted(rules *Rules) {
	if r.hidden() {
		return
	}
	if r.Verdict.Facts().Leads == LeadAway {
		r.redirected(r.Entry.Reported.Reason)
		return
	}
	switch r.Verdict {
	case OK:
		r.answers(AdviceFine, "")
	case SpellingBounce, SpellingConflict:
		r.answers(AdviceFineBounce, rules.Second(r.Address).String())
	case Noindex:
		r.is(FineNow, AdviceNoindex, "")
	case Noncanonical:
		r.is(FineNow, AdviceCanonical, r.named.String())
	case Disallowed:
		r.forbidden()
	case NotFound:
		r.is(NotInSitemapBroken, AdviceGone, "")
	default:
		r.is(NotInSitemapBroken, AdviceBroken, "")
	}
}

// forbidden decides an address that robots.txt forbids, or one that leads to such an
// address: the reported one was asked then.
func (r *ReportedRow) forbidden() {
	class, advice, to := NotReproducible, AdviceForbidden, ""
	switch reason := r.Entry.Reported.Reason; {
	case reason == LabelIndexedBlocked:
		advice = AdviceIndexedRobots
	case r.Join == "" && reason == LabelRobots:
		class, advice = FineNow, AdviceRobots
	}
	if len(r.Trail.Steps) > 1 {
		advice, to = AdviceForbiddenWay, r.Trail.last().Hop.URL
	}
	if r.Has(Gate) {
		class, advice = RedirectsAsItShould, AdviceGate
	}
	r.is(class, advice, to)
}

// redirected decides a redirect to a page that no sitemap lists.
func (r *ReportedRow) redirected(reason Label) {
	to := r.Final.String()
	switch {
	case r.Has(Gate): // whatever the server does, it is no page to list
		r.is(RedirectsAsItShould, AdviceGate, to)
	case r.Has(TargetNote(Soft404)):
		r.is(NotInSitemapBroken, AdviceSoft, to)
	case r.Verdict == Homepage && reason == LabelSoft404:
		r.is(NotInSitemapBroken, AdviceHome, to)
	case r.softMoved():
		r.is(NotInSitemapBroken, AdviceSoftMoved, to)
	case r.Verdict == Homepage:
		r.is(RedirectsAsItShould, AdviceHome, to)
	case r.Trail.temporary():
		r.is(RedirectsAsItShould, AdviceTemporary, to)
	default:
		r.is(RedirectsAsItShould, AdviceRedirects, to)
	}
}

// softMoved reports whether the address redirects to a page in whose place Google wants a 404: no
// other status of the redirect helps. Of a home page that is said for itself.
func (r *ReportedRow) softMoved() bool {
	return r.Entry.Reported.Reason == LabelSoft404 && r.Verdict.Facts().Leads == LeadAway && r.Verdict != Homepage && !r.Has(Gate)
}

// answers decides an address that answers 200 at once: whether the reason would
// show in an answer.
func (r *ReportedRow) answers(a Advice, to string) {
	switch reason := r.Entry.Reported.Reason; {
	case reason == LabelRemoved:
		r.is(NotReproducible, AdviceRemoved, "")
	case reason == LabelNoContent:
		r.is(NotReproducible, AdviceNoContent, "")
	case reason.indexed() && a == AdviceFine:
		r.is(FineNow, AdviceIndexed, "")
	case reason.googles():
		r.is(NotReproducible, AdviceGoogles, to)
	case reason.byWhoAsks():
		r.is(NotReproducible, AdviceWhoAsks, to)
	default:
		r.is(FineNow, a, to)
	}
}
