package audit

import (
	"slices"
	"strings"
)

// A Note is a remark on a row: a rule that stopped an edit, or something seen.
type Note string

// The notes of the contract. How many redirects there are is noted as "hops-N", and what the new URL is as
// "target-VERDICT".
const (
	// Rules of what may be written.
	toHTTP         Note = "to-http"
	OtherHost      Note = "other-host"
	notPage        Note = "not-page"
	gate           Note = "gate"
	session        Note = "session"
	Locale         Note = "locale"
	Collapsed      Note = "collapsed"
	varies         Note = "varies"
	mergeWouldLose Note = "merge-would-lose"
	Braked         Note = "braked"

	// Remarks.
	Long            Note = "long"
	duplicate       Note = "duplicate"
	bounces         Note = "bounces"
	Unsteady        Note = "unsteady"
	cameBack        Note = "came-back"
	NeedsJavaScript Note = "needs-javascript"
	ScriptRedirect  Note = "script-redirect"
	Truncated       Note = "truncated"
	robotsIgnored   Note = "robots-ignored"
	Outside         Note = "outside"    // its host is not that of the build
	Unmodelled      Note = "unmodelled" // the host of the build has an answer that no model knows
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

// targets are the notes of the verdicts that a new URL may have instead of ok.
var targets = []Note{targetIs(Disallowed), targetIs(Unverified), targetIs(NotFound), targetIs(Error), targetIs(Offsite),
	targetIs(Temporary), targetIs(Moved), targetIs(Soft404), targetIs(Noindex), targetIs(Noncanonical)}

// Stops returns all that Fix.Stop can be but "": the rules of what may be written, the
// safety limit, and what else keeps an entry.
func Stops() []Note { return slices.Concat(targets, rulesOf, []Note{Unsteady, Braked}, held) }
