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
	reason, v, spelled := r.Entry.Reported.Reason, r.Verdict, r.spelled()
	hidden, known := labels[reason]
	listed := at != nil && !(spelled && (v == Disallowed || v == Noncanonical && r.named.String() == r.Listed)) // else as if none listed it
	switch away := v.Facts().Leads == LeadAway; {
	case v == Unverified, v == Skipped:
		return UpshotUnseen, ""
	case listed && !spelled && (v == SpellingBounce && !known || v == SpellingConflict && !hidden):
		return UpshotServer, rules.Second(r.Address).String()
	case r.fine() && hidden:
		return UpshotAnswers, ""
	case r.fine():
		return UpshotNothing, ""
	case listed && !partial && (at.group == Corrected || at.group == TakenOut):
		return UpshotFixed, at.written
	case listed && (!spelled || at.group == NeedsDecision):
		return UpshotDecide, ""
	case listed:
		return UpshotServer, r.Listed
	case away && (reason == LabelSoft404 || r.has(TargetNote(Soft404))):
		return UpshotBroken, r.Final.String()
	case away:
		return UpshotNothing, r.Final.String()
	case v == Disallowed && (reason != LabelRobots || spelled):
		return UpshotUnseen, ""
	case v == Disallowed, v == Noindex, v == Noncanonical:
		return UpshotNothing, ""
	}
	return UpshotBroken, ""
}
