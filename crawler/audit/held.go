package audit

import "slices"

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

// targets are the verdicts that a new URL may have instead of ok.
var targets = []Verdict{Disallowed, Unverified, NotFound, Error, Offsite, Temporary, Moved, Soft404, Noindex, Noncanonical}

// Stops returns all that Row.StoppedBy can return but "": the rules of what may be written, the
// safety limit, and what else keeps an entry.
func Stops() []Note {
	var all []Note
	for _, v := range targets {
		all = append(all, TargetNote(v))
	}
	return slices.Concat(all, rulesOf, []Note{Unsteady, Braked}, held)
}
