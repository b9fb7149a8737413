package audit

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// An Action is what the corrected sitemap does with an entry.
type Action string

// The actions.
const (
	Keep    Action = "keep"
	Replace Action = "replace"
	Drop    Action = "drop"
	Merge   Action = "merge" // dropped, for its replacement is listed already

	// These are of an xhtml:link, never of an entry.
	Relink Action = "relink" // it names the address that is written for its entry
	Unlink Action = "unlink" // it is taken out with its entry

	// Redate is of an entry that is replaced, and of a sitemap that an index lists: its lastmod is
	// written (Rules.Lastmod).
	Redate Action = "lastmod"
	// AddPart is of a part of a sitemap that is written as several, where its index lists it.
	AddPart Action = "add"
)

// A Fix is what is done with an entry and why.
type Fix struct {
	Action Action `json:"action"`
	Loc    string `json:"loc,omitempty"` // wire form, with Replace and Merge
	Policy string `json:"policy"`        // "default", or the --fix item that decided
	Why    Why    `json:"-"`
	// Stop is what keeps an entry that would have been edited: a rule of what may be written, the safety
	// limit, or what its file or the way that it was requested asks for (heldAlone and the others); "" for
	// nothing. An edit of a copy that is not offered for upload has it, too.
	Stop Note `json:"-"`
}

// A Why says why a fix was decided: the key of a sentence and what
// stands in it. What people read of it is report/messages' part. The zero Why says nothing.
type Why struct {
	Key string
	// Args are what {1} to {4} of the sentence stand for: a number, a day, a status, a Fault or the
	// name of a bot protection. "" where the sentence has none.
	Args [4]string
}

// The keys that are neither a note nor a verdict.
const (
	whyNotToTheEnd = "not-to-the-end"
	whyByFix       = "by-fix" // what --fix says in place of the default
	whyMerged      = "merge"
	WhyRelinked    = "relink"
	WhyRedated     = "lastmod"
	WhyPart        = "part"
	whyAlsoPage    = "also-page"
	whyAlsoWrite   = "also-write"

	whyUnseen = "unseen" // args: UnseenBy
)

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

// longLoc is the length in bytes from which sitemaps allow no address (sitemaps.org, "loc").
const longLoc = 2048

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
