package audit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Hops is the note of a trail with n redirects, "hops-3".
func Hops(n int) Note { return Note(fmt.Sprintf("hops-%d", n)) }

// targetNote begins the notes that say what the new URL is: target-noindex, target-soft-404.
const targetNote = "target-"

// TargetNote is the note of an entry whose new URL, judged as an entry, is not ok.
func TargetNote(v Verdict) Note { return Note(targetNote + string(v)) }

// rulesOf are the rules of what may be written that can be lifted: all but what the new URL is.
var rulesOf = []Note{ToHTTP, OtherHost, NotPage, Gate, Session, Locale, Collapsed, Varies, MergeWouldLose}

// CanLift reports whether n is a rule of what may be written that --fix NOTE=replace switches off.
func CanLift(n Note) bool { return slices.Contains(rulesOf, n) }

// LiftableNotes returns the rules that can be lifted, sorted.
func LiftableNotes() []Note { return slices.Sorted(slices.Values(rulesOf)) }

// ownerKnows are the rules of which the owner of a site may know better: what they say of the URL is
// likely, not certain.
var ownerKnows = []Note{OtherHost, Locale, Collapsed, Varies}

// OwnerKnows returns the rules of what may be written that the owner of a site may lift with --fix,
// knowing more than the answers say. The caller owns the slice.
func OwnerKnows() []Note { return slices.Clone(ownerKnows) }

// StoppedBy returns what keeps an entry that would have been edited: a rule of what may be written,
// the safety limit, or what its file or the way that it was requested asks for; "" where nothing
// does.
func (r *Row) StoppedBy() Note {
	if r.Fix.Action != Keep {
		return ""
	}
	return r.Fix.Stop
}

// heldByOwner returns the rule that keeps a row where the owner may lift it; "" where there is none.
func (r *Row) heldByOwner() Note {
	if n := r.StoppedBy(); slices.Contains(ownerKnows, n) {
		return n
	}
	return ""
}

// stop keeps an entry for a rule that is a note of the row.
func (r *Row) stop(n Note) {
	r.note(n)
	r.hold(n)
}

// defaultPolicy is the policy of a fix that no --fix decided.
const defaultPolicy = "default"

// action says what is done with verdict v, and which --fix item decided.
func (r *Rules) action(v Verdict) (Action, string) {
	if a, ok := r.Fix[v]; ok {
		return a, string(v) + "=" + string(a)
	}
	if r.KeepAll {
		return Keep, "all=keep"
	}
	return v.Facts().Fix, defaultPolicy
}

// fix says what would be done with the entry as far as it decides alone.
func (j *judging) fix() {
	r := j.row
	action, policy := j.rules.action(r.Verdict)
	if r.Entry.Also.File() {
		j.fixFile(policy)
		return
	}
	r.Fix = Fix{Action: Keep, Policy: policy, Why: whyVerdict(action, r.Verdict)}
	switch {
	case action != Keep && !utf8.ValidString(r.Entry.Loc):
		r.hold(HeldUnclear)
	case action == Drop && r.Entry.Also != nil: // links go with an entry alone
		r.Fix.Why = Why{Key: whyAlsoKept}
	case action == Drop && (r.veiled || j.rules.ledWithoutSecrets(&r.Trail)):
		r.hold(HeldSecrets)
	case action == Drop && r.Entry.Bound:
		r.hold(HeldBound)
	case action == Drop:
		r.Fix = Fix{Action: Drop, Policy: policy, Why: r.Fix.Why}
	case action == Replace && r.Verdict.Facts().Replaceable:
		j.replace()
	case r.Verdict == Unverified:
		r.Fix.Why = r.whyNotSeen()
	case r.Verdict == Soft404:
		r.Fix.Why = r.gone
	case r.Trail.Redirects() > 0 && holdsListed(address.Wire(r.Trail.last().Hop.URL), r.Address):
		r.stop(Gate) // it says what stands there: a login, a consent
	case r.Verdict == Disallowed && r.Trail.Redirects() > 0:
		r.hold(TargetNote(Disallowed)) // the entry itself is allowed
	}
}

// replace writes the end of the trail, or the canonical, in place of the entry, unless a rule of
// what may be written stops it.
func (j *judging) replace() {
	r := j.row
	target, as := r.Final, way(r.Trail.WithoutSecrets)
	if r.Verdict == Noncanonical {
		target, as = r.named, j.rules.canonical(as, r.Address, r.named)
	}
	if addsSecret(target, r.Address) {
		r.stop(Session)
		return
	}
	what, page := j.judgeTarget(target, as)
	switch {
	case len(r.Needs) > 0:
		return
	case what != OK:
		r.stop(TargetNote(what))
		return
	}
	r.withheld, r.asksPassword = as&WithoutSecrets != 0, page.Password
	if r.Verdict != Noncanonical {
		r.said = page.said()
	}
	for _, rule := range j.broken(target, page) {
		if !j.rules.Lift[rule] {
			r.stop(rule)
			return
		}
		r.Fix.Policy = liftedBy(rule)
	}
	switch {
	case j.rules.ledWithoutSecrets(&r.Trail) || j.rules.withoutSecrets(target, j.rules.asked(as, target)):
		r.hold(HeldSecrets)
		return
	case len(target.String()) >= longLoc && len(r.Entry.Loc) < longLoc: // it would be an error of the corrected file
		r.note(Long)
		r.hold(HeldLong)
		return
	}
	r.Fix = Fix{Action: Replace, Loc: target.String(), Policy: r.Fix.Policy, Why: whyVerdict(Replace, r.Verdict)}
	if other := j.rules.Second(target); other != target { // the Plan asks for it
		if t := Follow(j.mem, other, as, j.rules); t.End != EndUnknown && spelled(&t, target) == secondBounces {
			r.note(Bounces)
		}
	}
}

// broken returns the rules that target does not meet, of those that need no other entry.
func (j *judging) broken(target address.Address, page *Page) (rules []Note) {
	r := j.row
	for _, x := range []struct {
		rule  Note
		holds bool
	}{
		{ToHTTP, losesHTTPS(target, r.Address)},
		{NotPage, !sameKind(page, target, r.Address)},
		{Gate, holdsListed(target, r.Address)},
		{Session, addsSession(target, r.Address)},
		{Locale, onlyLocale(target, r.Address)},
		{MergeWouldLose, r.Verdict == Noncanonical && r.Entry.Media},
	} {
		if x.holds {
			rules = append(rules, x.rule)
		}
	}
	return rules
}

// judgeTarget judges a new URL as an entry, but for its other spellings, and returns its page. Where
// an answer is missing it is added to Needs.
func (j *judging) judgeTarget(target address.Address, as Purpose) (Verdict, *Page) {
	if !target.SameSite(j.row.Address) {
		return Offsite, nil
	}
	req := Request{URL: target.String(), Purpose: j.rules.asked(as, target)}
	hop, ok := j.mem.Hop(req)
	if !ok {
		j.need(req)
		return Skipped, nil
	}
	step := Step{Hop: hop}
	page := &step.Hop.Page
	switch end := step.lead(target); {
	case end == EndForbidden || hop.Forbidden != "":
		return Disallowed, page
	case end == EndUnseen:
		return Unverified, page
	case end == EndUnknown && step.Permanent:
		return Moved, page
	case end == EndUnknown:
		return Temporary, page
	case gone(hop.Status):
		return NotFound, page
	case end != EndAnswer || !answers200(hop.Status):
		return Error, page
	case page.Noindex():
		return Noindex, page
	}
	if why, known := j.soft404(target, page, as&WithoutSecrets != 0); !known || why != (Why{}) {
		return Soft404, page
	}
	if c := canonical(target, page); !c.IsZero() && c != target {
		return Noncanonical, page
	}
	return OK, page
}

// liftedBy is the policy of an edit that a rule forbids and --fix allows.
func liftedBy(n Note) string { return string(n) + "=" + string(Replace) }

// addsSecret reports whether target held a value of --header or --user, which was masked when it was
// read, and the listed URL has nothing like it: as it is written it leads nowhere.
func addsSecret(target, listed address.Address) bool {
	return strings.Contains(target.Target(), address.Mask) && !strings.Contains(listed.Target(), address.Mask)
}

// said is a hash of the title of a page and of the text that it begins with; 0 where it has no
// title, or needs JavaScript.
func (p *Page) said() uint64 {
	if p.Title == "" || p.Shell {
		return 0
	}
	return sketch.Hash(p.Title+"\x00"+p.Heading) ^ p.Text
}
