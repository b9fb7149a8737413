package audit

import (
	"maps"
	"slices"
)

// What keeps an entry as it is for its file's sake, or its element's, or for how it was
// asked. These stand in Fix.Stop, and are told as the notes of rules are; a row has no note of them.
const (
	// HeldElsewhere: nothing of the file would remain, for other sitemaps list it all.
	HeldElsewhere Note = "elsewhere"
	// HeldMoved is HeldElsewhere of a file that moved as a whole: it stays, so that
	// the redirects are found.
	HeldMoved Note = "elsewhere-moved"
	// HeldCanonical is HeldElsewhere of a file of which pages would go for the canonical that
	// they name: one that is wrong must not cost a sitemap.
	HeldCanonical Note = "canonical-elsewhere"
	// HeldAlone: the entry would be taken out of a file that is left alone for one of the two.
	HeldAlone Note = "left-alone"
	// HeldCut: not all of the file came.
	HeldCut Note = "cut"
	// HeldBound: the element of the entry has no end of its own, or is too long.
	HeldBound Note = "bound"
	// HeldCharset and HeldFault: no corrected copy is written (UnwrittenCharset, UnwrittenFault).
	HeldCharset Note = "unwritten-charset"
	HeldFault   Note = "unwritten-fault"
	// HeldSecrets: what would decide was answered without the user's headers and
	// credentials, and may be answered otherwise with them (Rules.withoutSecrets).
	HeldSecrets Note = "secrets-withheld"
)

// held has a sentence for each, as it stands in Fix.Why.
var held = map[Note]string{
	HeldElsewhere: "kept: all of this file is listed in other sitemaps; take the file out of its index and of robots.txt",
	HeldMoved:     "kept: all of this file has moved and is listed in other sitemaps; leave it where it is for six months after the move",
	HeldCanonical: "kept: nothing of this file would remain, for its pages name other addresses as canonical, which other sitemaps list; that may be wrong",
	HeldAlone:     "kept with its file, which is left as it is: all else in it is listed in other sitemaps",
	HeldCut:       "kept: only a part of this file came, so no corrected copy is written",
	HeldBound:     "kept: its element has no end of its own in the file, or is too long to be taken out",
	HeldCharset:   "kept: this file is in a charset that cannot be edited, so no corrected copy is written",
	HeldSecrets:   "kept: the answer came without the headers and credentials that were given, for another host or http led to it; with them it may be another",
	HeldFault:     "kept: the corrected copy of this file did not pass its check, a fault of sitemend, so it is not written",
}

// Stops returns all that Row.StoppedBy can return but "": the rules of what may be
// written, the brake, and what else keeps an entry (HeldCut and the others). Of the notes
// of one row the first of these is what StoppedBy returns.
func Stops() []Note { return slices.Concat(strength, slices.Sorted(maps.Keys(held))) }

// hold keeps the entry for what no note says.
func (r *Row) hold(n Note) {
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: held[n], Stop: n}
}

// settled reports whether an entry that is kept for n is to be left as it is: there is
// nothing to be done about it.
func settled(n Note) bool { return n == HeldMoved || n == HeldAlone }
