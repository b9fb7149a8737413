package audit

import (
	"fmt"
	"slices"

	"sitemend/crawler/address"
)

// Hops is the note of a trail with n redirects, "hops-3".
func Hops(n int) Note { return Note(fmt.Sprintf("hops-%d", n)) }

// CanLift reports whether n is a rule of what may be written, which
// --fix NOTE=replace switches off.
func CanLift(n Note) bool { return slices.Contains(strength[1:], n) }

// strength orders the rules of what may be written: the first of an entry's says why, and what to
// do. What is certain of the address comes before what it looks like, and that before what only its
// owner can judge. What explains another comes before it: a page for a login or for what is gone
// often says noindex, or is forbidden, and its owner is not to lift that.
var strength = []Note{Braked, TargetOffsite, TargetNot200, Gate, TargetDisallowed, TargetSoft404, TargetNoindex, TargetNotPage,
	TargetNoncanonical, ToHTTP, MergeWouldLose, Varies, Session, OtherHost, Locale, Collapsed}

// ownerKnows are the rules of what may be written of which the owner of a site may
// know better: what they say of the address is likely, not certain. To lift the others
// would list what no search engine could index, or, of Session, what is made for one visitor.
var ownerKnows = []Note{Varies, OtherHost, Locale, Collapsed}

// OwnerKnows returns the rules of what may be written that the owner of a site may lift
// with --fix, knowing more than the answers say. The caller owns the slice.
func OwnerKnows() []Note { return slices.Clone(ownerKnows) }

// heldByOwner returns the rules that keep a row from being edited where the owner may lift
// all of them; nil where one stands that is certain, or none.
func (r *Row) heldByOwner() []Note {
	if r.Fix.Action != Keep || r.Fix.Stop != "" || r.Verdict.Facts().Fix != Replace && r.Fix.Policy != string(r.Verdict)+"="+string(Replace) {
		return nil // of a verdict that is kept the note is a remark
	}
	var out []Note
	for _, n := range strength {
		if !r.Has(n) {
			continue
		}
		if !slices.Contains(ownerKnows, n) && !(n == Gate && r.Fix.Why.Key == whyPassword) {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func byStrength(a, b Note) int { return slices.Index(strength, a) - slices.Index(strength, b) }

// LiftableNotes returns the rules of what may be written, sorted.
func LiftableNotes() []Note { return slices.Sorted(slices.Values(strength[1:])) }

// action says what is done with verdict v, and which --fix item decided.
func (r *Rules) action(v Verdict) (Action, string) {
	if a, ok := r.Fix[v]; ok {
		return a, string(v) + "=" + string(a)
	}
	if r.KeepAll {
		return Keep, "all=keep"
	}
	return v.Facts().Fix, "default"
}

func (j *judging) fix() {
	r := j.row
	action, policy := j.rules.action(r.Verdict)
	said := ""
	if r.Entry.Also.File() {
		j.fixFile(action, policy)
		return
	}
	if r.Entry.Also != nil {
		action, said = r.alsoAction(action)
	}
	misread := Note("")
	if action != Keep {
		misread = j.rules.misread(&r.Entry, r.Verdict)
	}
	switch {
	case said != "":
		r.Fix = Fix{Action: Keep, Policy: policy, Why: Why{Key: said}}
	case misread != "":
		r.Fix.Policy = policy
		r.hold(misread)
	case action == Drop && (r.veiled || j.rules.ledWithoutSecrets(&r.Trail)):
		r.Fix.Policy = policy
		r.hold(HeldSecrets)
	case action == Drop && r.Entry.Bound:
		r.Fix.Policy = policy
		r.hold(HeldBound)
	case (action == Drop && r.variable() || action == Replace && r.Verdict.Facts().Replaceable) && j.unsteady():
		r.Fix.Policy = policy
		r.hold(HeldUnsteady)
	case action == Drop && j.dropVaries():
		r.note(Varies)
		r.Fix.Policy = policy
		r.hold(Varies)
	case action == Drop:
		r.Fix = Fix{Action: Drop, Policy: policy, Why: r.whyDrop()}
	case action == Replace && r.Verdict.Facts().Replaceable:
		j.replace(policy)
	default:
		r.Fix = Fix{Action: Keep, Policy: policy, Why: whyVerdict(Keep, r.Verdict)}
		switch {
		case r.Verdict == Unverified:
			r.Fix.Why = r.whyNotSeen()
		case r.Verdict == Soft404:
			r.Fix.Why = r.gone
		case len(r.Trail.Steps) > 1 && (r.Verdict.Facts().Replaceable || r.Verdict == Disallowed):
			j.remarkTarget()
		case r.Verdict == SpellingBounce && r.Other.End == EndLoop:
			r.Fix.Why = Why{Key: whyLoops}
		}
	}
}

// remarkTarget says of an entry that no rule had to stop what its redirect leads to, where
// that settles what is to be done: a page that stands before the real one, the same page in
// another language, or an address that robots.txt forbids, while it allows the entry itself. The
// latter is no note, for nothing was to be written.
func (j *judging) remarkTarget() {
	r := j.row
	way := r.Trail.Steps[1:]
	if r.Verdict != Disallowed { // it ends on a page: a gate that was passed does not count
		way = way[len(way)-1:]
	}
	switch {
	case slices.ContainsFunc(way, func(s Step) bool {
		return j.gates(&s.Hop.Page, address.Wire(s.Hop.URL)) || isGate(address.Wire(s.Hop.URL), r.Address)
	}):
		r.note(Gate)
		r.Fix.Why = whyNote(Gate)
		if last := r.Trail.last(); r.Verdict != Disallowed && j.passwordAlone(&last.Hop.Page, address.Wire(last.Hop.URL)) {
			r.Fix.Why = Why{Key: whyPassword}
		}
	case r.Verdict != Disallowed && j.byLanguage():
		r.note(Locale)
		r.Fix.Why = whyNote(Locale)
	case r.Verdict == Disallowed:
		r.Fix.Stop, r.Fix.Why = TargetDisallowed, whyNote(TargetDisallowed)
	}
}

// byLanguage reports whether an entry redirects to the same page in another language or for another
// country: a home page to a home page, too, and then none is gone.
func (j *judging) byLanguage() bool {
	r := j.row
	if _, home := j.rules.home(r.Address); r.Verdict == Homepage && !home {
		return false // "/it" may be a section, too
	}
	return onlyLocale(r.Final, r.Address)
}

// replace writes the end of the trail, or the canonical, in place of the entry,
// unless a rule of what may be written stops it.
func (j *judging) replace(policy string) {
	r := j.row
	target, as := r.Final, way(r.Trail.WithoutSecrets)
	if r.Verdict == Noncanonical {
		target, as = r.named, j.rules.canonical(as, r.Address, r.named)
	}
	if addsSecret(target, r.Address) {
		r.note(Session)
		r.Fix.Policy = policy
		r.hold(Session)
		return
	}
	stops := j.stops(target, as)
	if len(j.row.Needs) > 0 {
		return
	}
	lifted := ""
	for _, n := range stops {
		if j.rules.Lift[n] {
			lifted = liftedBy(n)
			continue
		}
		r.note(n)
		if r.Fix.Action == "" {
			r.Fix = Fix{Action: Keep, Policy: policy, Why: r.whyStopped(n)}
		}
	}
	if r.Fix.Action == Keep {
		return
	}
	if lifted != "" {
		policy = lifted
	}
	if j.rules.ledWithoutSecrets(&r.Trail) || j.rules.withoutSecrets(target, j.rules.asked(as, target)) {
		r.Fix.Policy = policy
		r.hold(HeldSecrets)
		return
	}
	if r.Fix.Policy = policy; r.outgrows(target) {
		return
	}
	r.Fix = Fix{Action: Replace, Loc: target.String(), Policy: policy, Why: whyVerdict(Replace, r.Verdict)}
	r.withheld = as&WithoutSecrets != 0
	if other, seen := j.otherSpelling(target, as); seen {
		switch spelled(&other, target) {
		case secondBounces:
			r.note(Bounces)
		case secondConflicts:
			r.note(Conflicts)
		case secondHidden:
			r.note(AltSpellingUnseen)
		}
	}
}

// whyStopped says why a rule of what may be written keeps the entry.
func (r *Row) whyStopped(n Note) Why {
	switch {
	case n == Collapsed: // how many entries end there is not known here
		return Why{Key: whyHome}
	case n == Gate && r.onlyPassword:
		return Why{Key: whyPassword}
	case n == TargetNot200 && r.shaken != "":
		return Why{Key: whyShaken}
	}
	return whyNote(n)
}

// outgrows keeps an entry whose replacement would be an error of the corrected file.
func (r *Row) outgrows(target address.Address) bool {
	if len(target.String()) < longLoc || len(r.Entry.Loc) >= longLoc {
		return false
	}
	r.note(Long)
	r.hold(HeldLong)
	return true
}

// liftedBy is the policy of an edit that a rule forbids and --fix allows.
func liftedBy(n Note) string { return string(n) + "=" + string(Replace) }

// stops returns the rules that forbid writing target in place of the entry, the
// strongest first.
func (j *judging) stops(target address.Address, as Purpose) []Note {
	var ns []Note
	if !target.SameSite(j.row.Address) {
		ns = append(ns, TargetOffsite)
		if !j.rules.Lift[TargetOffsite] {
			return ns // it will not be written: no reason to ask it
		}
	}
	ns = append(ns, j.targetStops(target, as)...)
	ns = append(ns, j.listedVaries()...)
	if isGate(target, j.row.Address) && !(slices.Contains(ns, TargetNoncanonical) && j.row.saysWhence(target)) {
		ns = append(ns, Gate)
	}
	if addsSession(target, j.row.Address) {
		ns = append(ns, Session)
	}
	if onlyLocale(target, j.row.Address) || j.rules.addsCountry(target, j.row.Address) {
		ns = append(ns, Locale)
	}
	if j.swallowed(target) {
		ns = append(ns, Collapsed)
	}
	if losesHTTPS(target, j.row.Address) {
		ns = append(ns, ToHTTP)
	}
	if hidden(target, j.row.Address) {
		ns = append(ns, OtherHost)
	}
	if j.row.Verdict == Noncanonical && j.row.Entry.Media {
		ns = append(ns, MergeWouldLose)
	}
	slices.SortFunc(ns, byStrength)
	return slices.Compact(ns)
}

// losesHTTPS reports whether target is http where the listed address is https.
func losesHTTPS(target, listed address.Address) bool {
	return listed.Scheme() == "https" && target.Scheme() == "http"
}

// targetStops asks what target itself answers, where as is the way to it. Where it was asked a
// second time, for the proof, and that answer has a fault that the first had not, it is no page to
// write: it does not answer 200 whenever it is asked.
func (j *judging) targetStops(target address.Address, as Purpose) []Note {
	req := Request{URL: target.String(), Purpose: j.rules.asked(as, target)}
	hop, ok := j.mem.Hop(req)
	if !ok {
		j.need(req)
		return nil
	}
	ns := j.answerStops(target, hop, as&WithoutSecrets != 0)
	req.Purpose = AsProof | as&WithoutSecrets
	if again, ok := j.mem.Hop(req); ok && (!unseen(&again) || again.Fault == FaultForbidden) {
		now := j.answerStops(target, again, as&WithoutSecrets != 0)
		if slices.ContainsFunc(now, func(n Note) bool { return !j.rules.Lift[n] && !slices.Contains(ns, n) }) {
			j.row.shaken = target.Origin()
			ns = append(ns, TargetNot200)
		}
	}
	return append(ns, j.variesStops(target, as, ns)...)
}

// answerStops returns the rules that forbid writing target for what it answered;
// plain is set where it was led to without secrets.
func (j *judging) answerStops(target address.Address, hop Hop, plain bool) []Note {
	step := Step{Hop: hop}
	end := step.lead(target)
	page := &step.Hop.Page
	j.row.unlike = j.row.names(target, page)
	switch {
	case end == EndForbidden || hop.Forbidden != "":
		return []Note{TargetDisallowed}
	case end != EndAnswer || !answers200(hop.Status):
		return []Note{TargetNot200}
	}
	var ns []Note
	if noindex(&hop) {
		ns = append(ns, TargetNoindex)
	}
	if c := canonical(target, page); !c.IsZero() && c != target && !j.row.Entry.Also.deviceOf(c) {
		ns = append(ns, TargetNoncanonical)
	}
	if j.gates(page, target) {
		ns = append(ns, Gate)
		j.row.onlyPassword = j.passwordAlone(page, target)
	}
	if why, _ := j.soft404(target, page, plain); why != (Why{}) {
		ns = append(ns, TargetSoft404)
	} else if j.catchAll(target, page) {
		j.row.caught = true
		ns = append(ns, TargetSoft404)
	}
	if stop := j.row.standIn(target, page); stop != "" {
		ns = append(ns, stop)
	}
	if !isPage(page, target) && !isFile(target, j.row.Address) {
		ns = append(ns, TargetNotPage)
	}
	return ns
}
