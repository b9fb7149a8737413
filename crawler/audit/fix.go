package audit

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// hopsNote begins the note of a trail with several redirects, "hops-3".
const hopsNote = "hops-"

// targetNote begins the notes that say what the new URL is: target-noindex, target-soft-404.
const targetNote = "target-"

// targetIs is the note of an entry whose new URL, judged as an entry, is not ok.
func targetIs(v Verdict) Note { return Note(targetNote + string(v)) }

// Target is the verdict of such a note, "" of other notes.
func (n Note) Target() Verdict {
	_, v, _ := strings.Cut(string(n), targetNote) // no other note has it
	return Verdict(v)
}

// rulesOf are the rules of what may be written that can be lifted: all but what the new URL is.
var rulesOf = []Note{Collapsed, gate, Locale, mergeWouldLose, notPage, OtherHost, session, toHTTP, varies}

// Liftable reports whether --fix NOTE=replace switches the rule off.
func (n Note) Liftable() bool { return slices.Contains(rulesOf, n) }

// OwnerKnows reports whether the owner of a site may know better than the rule: what it says of the URL is
// likely, not certain.
func (n Note) OwnerKnows() bool {
	return n == OtherHost || n == Locale || n == Collapsed || n == varies
}

// stop keeps an entry, and says why in a note of the row where it has one.
func (r *Row) stop(n Note, rules *Rules) {
	if !slices.Contains(held, n) {
		r.note(n)
	}
	_, policy := rules.action(r.Verdict)
	r.Fix = Fix{Action: Keep, Policy: policy, Why: Why{Key: string(n)}, Stop: n}
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
		r.fixFile(j.rules)
	case action == Drop && r.Entry.Also != nil: // links go with an entry alone
	case action != Keep && !utf8.ValidString(r.Entry.Loc), action == Drop && r.Entry.Bound:
		r.stop(heldUnclear, j.rules)
	case action == Drop && (r.veiled || j.rules.ledWithoutSecrets(&r.Trail)):
		r.stop(heldSecrets, j.rules)
	case action == Drop:
		r.Fix.Action = Drop
	case action != Replace || !r.Verdict.Facts().Replaceable:
	case j.want.before.has(isFull):
		r.Fix.Action, r.Fix.Loc = Replace, r.Final.String()
	default:
		j.replace()
	}
}

// why says why an action is done with the entry where nothing else settles it.
func (r *Row) why(a Action) Why {
	switch {
	case a != r.Verdict.Facts().Fix:
		return Why{Key: whyByFix}
	case r.Verdict == Unverified:
		return Why{whyUnseen, [4]string{r.UnseenBy()}}
	case r.Verdict == Soft404 && r.Entry.Also.File():
		return Why{whyAlsoPage, [4]string{r.Trail.Last().Hop.Page.MediaType()}}
	}
	return Why{Key: string(r.Verdict)}
}

// replace writes the end of the trail, or the canonical, in place of the entry, unless a rule of
// what may be written stops it.
func (j *judging) replace() {
	r := j.row
	target, as := r.Final, r.Trail.Way
	if r.Verdict == Noncanonical {
		target, as = r.named, j.rules.canonical(as, r.Address, r.named)
	}
	r.relation = address.Relate(r.Address, target, r.Reasons)
	if r.relation.Masked {
		r.stop(session, j.rules)
		return
	}
	what, page := j.judgeTarget(target, as)
	switch {
	case len(r.Needs) > 0:
		return
	case what != OK:
		r.stop(targetIs(what), j.rules)
		return
	}
	r.way, r.asksPassword = as, page.Password
	if r.Verdict != Noncanonical {
		r.said = page.Said()
	}
	for _, x := range []struct {
		rule   Note
		broken bool
	}{
		{toHTTP, r.relation.ToHTTP},
		{notPage, !sameKind(page, target, r.Address)},
		{gate, r.relation.HoldsListed},
		{session, r.relation.AddsSession},
		{Locale, r.relation.OnlyLocale || (r.Verdict == Noncanonical || r.Entry.Also != nil) && r.relation.Locales},
		{mergeWouldLose, r.Verdict == Noncanonical && r.Entry.Media},
	} {
		switch {
		case x.broken && j.rules.Lift[x.rule]:
			r.Fix.Policy = liftedBy(x.rule)
		case x.broken:
			r.stop(x.rule, j.rules)
			return
		}
	}
	if j.rules.ledWithoutSecrets(&r.Trail) || j.rules.withoutSecrets(target, j.rules.asked(as, target)) {
		r.stop(heldSecrets, j.rules)
		return
	}
	r.Fix.Action, r.Fix.Loc = Replace, target.String()
	if other := j.rules.Second(target); other != target { // the Plan asks for it
		if t := j.rules.Follow(j.mem, other, as); t.End != answers.EndUnknown && asSecond(&t, target) == SpellingBounce {
			r.note(bounces)
		}
	}
}

// judgeTarget judges a new URL as an entry, but for its other spellings, and returns its page. Where
// an answer is missing it is added to Needs.
func (j *judging) judgeTarget(target address.Address, as answers.Purpose) (Verdict, *answers.Page) {
	if !target.SameSite(j.row.Address) {
		return Offsite, nil
	}
	req := answers.Request{URL: target.String(), Purpose: j.rules.asked(as, target)}
	step := j.row.Trail.Last() // mostly the answer is at hand
	if step.Hop.Request != req {
		hop, ok := j.mem.Hop(req)
		if !ok {
			j.need(req)
			return Skipped, nil
		}
		step = &answers.Step{Hop: hop}
	}
	hop, page := &step.Hop, &step.Hop.Page
	switch end := step.Lead(target); {
	case end == answers.EndForbidden || hop.Forbidden != "":
		return Disallowed, page
	case end == answers.EndUnseen:
		return Unverified, page
	case end == answers.EndUnknown && step.Permanent:
		return Moved, page
	case end == answers.EndUnknown:
		return Temporary, page
	case answers.Gone(hop.Status):
		return NotFound, page
	case end != answers.EndAnswer || !answers.Is200(hop.Status), len(target.String()) >= longLoc && len(j.row.Entry.Loc) < longLoc: // sitemaps allow none as long
		return Error, page
	}
	what, _ := j.page(target, page, as)
	return what, page
}

// liftedBy is the policy of an edit that a rule forbids and --fix allows.
func liftedBy(n Note) string { return string(n) + "=" + string(Replace) }

// What keeps an entry as it is for its file's sake, or its element's, or for how it was asked.
// These stand in Fix.Stop, and are worded as the notes of rules are; a row has no note of them.
const (
	// heldAlone: nothing of the file would remain.
	heldAlone Note = "left-alone"
	// heldUnwritten: no copy of the file is offered for upload, as it lists something else by now, or
	// was read only in part.
	heldUnwritten Note = "unwritten"
	// heldUnasked: what must be known to edit the entry was not asked by its audit.
	heldUnasked Note = "not-asked"
	// heldUnclear: the file lists another URL than was read, perhaps: it is relative, has an entity of
	// the file's own DTD, or bytes of which it is not known which characters they are. Or the element of
	// the entry has no end of its own, or is too long.
	heldUnclear Note = "unclear"
	// heldSecrets: what would decide was answered without the user's headers and
	// credentials, and may be answered otherwise with them (Rules.withoutSecrets).
	heldSecrets Note = "secrets-withheld"
)

// held are all of these.
var held = []Note{heldUnclear, heldUnwritten, heldAlone, heldSecrets, heldUnasked}

// longLoc is the length in bytes from which sitemaps allow no address (sitemaps.org, "loc").
const longLoc = 2048

// targets are the notes of the verdicts that a new URL may have instead of ok.
var targets = []Note{targetIs(Disallowed), targetIs(Unverified), targetIs(NotFound), targetIs(Error), targetIs(Offsite),
	targetIs(Temporary), targetIs(Moved), targetIs(Soft404), targetIs(Noindex), targetIs(Noncanonical)}

// Stops returns all that Fix.Stop can be but "": the rules of what may be written, the
// safety limit, and what else keeps an entry.
func Stops() []Note { return slices.Concat(targets, rulesOf, []Note{Unsteady, Braked}, held) }

// sameKind reports whether what target answers is of the kind of what is listed: a page, as Google
// indexes it, or a file of the same extension. An answer without a content type is a page where it
// has a title, or the address no extension; one to be saved is none.
func sameKind(page *answers.Page, target, listed address.Address) bool {
	is := extension(target)
	if is != "" && is == extension(listed) {
		return true
	}
	switch page.MediaType() {
	case "text/html", "application/xhtml+xml", "text/plain", "application/pdf":
		return !page.Attachment
	case "":
		return !page.Attachment && (is == "" || page.Title != "")
	}
	return false
}

// extension is that of an address's path, in lower case; "" for none.
func extension(a address.Address) string { return strings.ToLower(path.Ext(a.Path())) }
