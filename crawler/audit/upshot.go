package audit

// An Upshot is what a reported address comes to, for whoever works on the site.
type Upshot string

// The upshots. Every address of an export has exactly one.
const (
	UpshotFixed   Upshot = "fixed"       // the corrected sitemap does not list it any more: in its place To, where that is one
	UpshotDecide  Upshot = "decide"      // a sitemap lists it, and it needs a decision or a repair
	UpshotServer  Upshot = "server"      // right as listed: the server answers To, another spelling of it, otherwise
	UpshotBroken  Upshot = "broken"      // no sitemap lists it, and it leads to no page, or to To, which is none in its place
	UpshotAnswers Upshot = "answers"     // it answers 200 to us: what is reported does not show
	UpshotUnseen  Upshot = "not-checked" // nobody saw what Google sees
	UpshotNothing Upshot = "nothing"     // nothing is to be done about it; it may redirect to To
)

// Upshots returns all upshots in the order in which they are reported.
func Upshots() []Upshot {
	return []Upshot{UpshotFixed, UpshotDecide, UpshotServer, UpshotBroken, UpshotAnswers, UpshotUnseen, UpshotNothing}
}

// decide says what a reported address comes to, and which address that names. at is nil where no
// sitemap lists it; partial is set where no sitemap is written.
func (r *ReportedRow) decide(at *listing, rules *Rules, partial bool) (u Upshot, to string) {
	kind, edited := labels[r.Entry.Reported.Reason], false
	if at != nil {
		edited = !partial && (at.group == Corrected || at.group == TakenOut)
	}
	switch own := at != nil && !r.spelled(); {
	case r.Verdict == Unverified, r.Verdict == Skipped:
		return UpshotUnseen, ""
	case own && (r.Verdict == SpellingBounce && kind.mayBeRedirect() || r.Verdict == SpellingConflict && kind != byGoogle):
		return UpshotServer, rules.Second(r.Address).String()
	case r.fine() && (kind == byGoogle || kind == byWhoAsks):
		return UpshotAnswers, ""
	case r.fine():
		return UpshotNothing, ""
	case at == nil, !own && (r.Verdict == Disallowed || r.Verdict == Noncanonical && r.named.String() == r.Listed):
		return r.unlisted(at != nil)
	case edited:
		return UpshotFixed, at.written
	case own, at.group == NeedsDecision:
		return UpshotDecide, ""
	}
	return UpshotServer, r.Listed
}

// unlisted is decide of an address that no sitemap lists, or of which only another spelling is listed,
// and that is not fine.
func (r *ReportedRow) unlisted(spelled bool) (Upshot, string) {
	reason := r.Entry.Reported.Reason
	switch {
	case r.Verdict.Facts().Leads == LeadAway && (reason == LabelSoft404 || r.Has(TargetNote(Soft404))):
		return UpshotBroken, r.Final.String()
	case r.Verdict.Facts().Leads == LeadAway:
		return UpshotNothing, r.Final.String()
	case r.Verdict == Disallowed && (reason != LabelRobots || spelled):
		return UpshotUnseen, ""
	case r.Verdict == Disallowed, r.Verdict == Noindex, r.Verdict == Noncanonical:
		return UpshotNothing, ""
	}
	return UpshotBroken, ""
}
