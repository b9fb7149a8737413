package audit

import (
	"fmt"
	"slices"
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

// CanLift reports whether n is one of them.
func CanLift(n Note) bool { return slices.Contains(rulesOf, n) }

// LiftableNotes returns the rules that --fix NOTE=replace switches off, sorted.
func LiftableNotes() []Note { return slices.Sorted(slices.Values(rulesOf)) }

// OwnerKnows returns the rules of what may be written of which the owner of a site may know better:
// what they say of the URL is likely, not certain. The caller owns the slice.
func OwnerKnows() []Note { return []Note{OtherHost, Locale, Collapsed, Varies} }

// StoppedBy returns what keeps an entry that would have been edited: a rule of what may be written,
// the safety limit, or what its file or the way that it was requested asks for; "" where nothing
// does. An edit of a copy that is not offered for upload has it, too.
func (r *Row) StoppedBy() Note { return r.Fix.Stop }

// stop keeps an entry, and says why in a note of the row where it has one.
func (r *Row) stop(n Note) {
	if !slices.Contains(held, n) {
		r.note(n)
	}
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: Why{Key: string(n)}, Stop: n}
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
	r.Fix = Fix{Action: Keep, Policy: policy, Why: r.why(action)}
	switch {
	case r.Entry.Also.File():
		r.fixFile()
	case action == Drop && r.Entry.Also != nil: // links go with an entry alone
	case action != Keep && !utf8.ValidString(r.Entry.Loc), action == Drop && r.Entry.Bound:
		r.stop(HeldUnclear)
	case action == Drop && (r.veiled || j.rules.ledWithoutSecrets(&r.Trail)):
		r.stop(HeldSecrets)
	case action == Drop:
		r.Fix.Action = Drop
	case action == Replace && r.Verdict.Facts().Replaceable:
		j.replace()
	}
}

// why says why an action is done with the entry where nothing else settles it.
func (r *Row) why(a Action) Why {
	switch {
	case a != r.Verdict.Facts().Fix:
		return Why{Key: whyByFix}
	case r.Verdict == Unverified:
		return Why{whyUnseen, [4]string{r.unseenBy()}}
	case r.Verdict == Soft404 && r.Entry.Also.File():
		return Why{whyAlsoPage, [4]string{r.Trail.Last().Hop.Page.mediaType()}}
	}
	return Why{Key: string(r.Verdict)}
}

// replace writes the end of the trail, or the canonical, in place of the entry, unless a rule of
// what may be written stops it.
func (j *judging) replace() {
	r := j.row
	target, as := r.Final, way(r.Trail.WithoutSecrets)
	if r.Verdict == Noncanonical {
		target, as = r.named, j.rules.canonical(as, r.Address, r.named)
	}
	r.relation = address.Relate(r.Address, target, r.Reasons)
	if r.relation.Masked {
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
	for _, x := range []struct {
		rule   Note
		broken bool
	}{
		{ToHTTP, r.relation.ToHTTP},
		{NotPage, !sameKind(page, target, r.Address)},
		{Gate, r.relation.HoldsListed},
		{Session, r.relation.AddsSession},
		{Locale, r.relation.OnlyLocale},
		{MergeWouldLose, r.Verdict == Noncanonical && r.Entry.Media},
	} {
		switch {
		case x.broken && j.rules.Lift[x.rule]:
			r.Fix.Policy = liftedBy(x.rule)
		case x.broken:
			r.stop(x.rule)
			return
		}
	}
	if j.rules.ledWithoutSecrets(&r.Trail) || j.rules.withoutSecrets(target, j.rules.asked(as, target)) {
		r.stop(HeldSecrets)
		return
	}
	r.Fix.Action, r.Fix.Loc = Replace, target.String()
	if other := j.rules.Second(target); other != target { // the Plan asks for it
		if t := Follow(j.mem, other, as, j.rules); t.End != EndUnknown && t.asSecond(target) == SpellingBounce {
			r.note(Bounces)
		}
	}
}

// judgeTarget judges a new URL as an entry, but for its other spellings, and returns its page. Where
// an answer is missing it is added to Needs.
func (j *judging) judgeTarget(target address.Address, as Purpose) (Verdict, *Page) {
	if !target.SameSite(j.row.Address) {
		return Offsite, nil
	}
	req := Request{URL: target.String(), Purpose: j.rules.asked(as, target)}
	step := j.row.Trail.Last() // mostly the answer is at hand
	if step.Hop.Request != req {
		hop, ok := j.mem.Hop(req)
		if !ok {
			j.need(req)
			return Skipped, nil
		}
		step = &Step{Hop: hop}
	}
	hop, page := &step.Hop, &step.Hop.Page
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
	case end != EndAnswer || !answers200(hop.Status), len(target.String()) >= longLoc && len(j.row.Entry.Loc) < longLoc: // sitemaps allow none as long
		return Error, page
	}
	what, _ := j.page(target, page, as&WithoutSecrets != 0)
	return what, page
}

// liftedBy is the policy of an edit that a rule forbids and --fix allows.
func liftedBy(n Note) string { return string(n) + "=" + string(Replace) }

// said is a hash of the title of a page and of the text that it begins with; 0 where it has no
// title, or needs JavaScript.
func (p *Page) said() uint64 {
	if p.Title == "" || p.Shell {
		return 0
	}
	return sketch.Hash(p.Title+"\x00"+p.Heading) ^ p.Text
}
