package audit

import (
	"slices"
	"strings"
)

// notFile reports whether an image or a video is answered with a page, which it cannot be, but for
// a player.
func (j *judging) notFile() bool {
	x := j.row.Entry.Also
	if !x.File() || x.Page {
		return false
	}
	kind := j.row.endType()
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// endType is the content type of the last answer, without its parameters.
func (r *Row) endType() string {
	kind, _, _ := strings.Cut(r.Trail.last().Hop.Page.ContentType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// page makes an image or a video that is answered with a page what it is for whoever wants the
// file.
func (r *Row) page() {
	r.Verdict, r.gone = Soft404, Why{whyAlsoPage, [4]string{r.endType()}}
}

// fixFile decides on an image or a video, for which action is the default: it is replaced where it
// moved for good on its site, and else kept, for it stands with its page.
func (j *judging) fixFile(action Action, policy string) {
	r := j.row
	r.Fix = Fix{Action: Keep, Policy: policy, Why: whyVerdict(Keep, r.Verdict)}
	switch {
	case r.Verdict == Unverified:
		r.Fix.Why = r.whyNotSeen()
	case r.Verdict == NotFound:
		r.Fix.Why = Why{Key: whyAlsoGone}
	case r.Verdict == Soft404:
		r.Fix.Why = r.gone
	case action == Replace && (r.Verdict == Moved || r.Verdict == Respelled):
		j.replaceFile(policy)
	}
}

// replaceFile writes the end of the trail in place of an image or a video, unless a rule of what
// may be written stops it.
func (j *judging) replaceFile(policy string) {
	r, held := j.row, false
	if addsSecret(r.Final, r.Address) {
		r.note(Session)
		r.Fix.Policy = policy
		r.hold(Session)
		return
	}
	for _, n := range r.fileStops() {
		if j.rules.Lift[n] {
			policy = liftedBy(n)
			continue
		}
		if !held {
			r.Fix.Why = whyNote(n)
		}
		held = true
		r.note(n)
	}
	switch {
	case held:
	case j.rules.ledWithoutSecrets(&r.Trail):
		r.hold(HeldSecrets)
	case r.outgrows(r.Final):
	default:
		r.Fix = Fix{Action: Replace, Loc: r.Final.String(), Policy: policy, Why: Why{Key: whyAlsoMoved}}
	}
}

// fileStops returns the rules that forbid writing where an image or a video moved to, the strongest
// first.
func (r *Row) fileStops() []Note {
	var ns []Note
	for n, stops := range map[Note]bool{
		TargetDisallowed: r.Trail.last().Hop.Forbidden != "",
		ToHTTP:           losesHTTPS(r.Final, r.Address),
		Session:          addsSession(r.Final, r.Address),
		OtherHost:        hidden(r.Final, r.Address),
		Locale:           onlyLocale(r.Final, r.Address),
	} {
		if stops {
			ns = append(ns, n)
		}
	}
	slices.SortFunc(ns, byStrength)
	return ns
}
