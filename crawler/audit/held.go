package audit

import (
	"slices"
)

// What keeps an entry as it is for its file's sake, or its element's, or for how it was
// asked. These stand in Fix.Stop, and are worded as the notes of rules are; a row has no note of
// them.
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
	// HeldOld: the map of --expect says that the file is an old sitemap. It stays, so that the redirects
	// are found; where its addresses lead is held against the map.
	HeldOld Note = "old-sitemap"
	// HeldCut: not all of the file came.
	HeldCut Note = "cut"
	// HeldBound: the element of the entry has no end of its own, or is too long.
	HeldBound Note = "bound"
	// HeldCharset, HeldFault, HeldChecksum and HeldOutdated: no corrected copy is written
	// (UnwrittenCharset and so on).
	HeldCharset  Note = "unwritten-charset"
	HeldFault    Note = "unwritten-fault"
	HeldChecksum Note = "unwritten-checksum"
	HeldOutdated Note = "unwritten-outdated"
	// HeldUnsteady: the listed address answered the robot otherwise when it was requested again, as
	// other readers got another answer: it changed meanwhile, or answers by chance.
	HeldUnsteady Note = "unsteady-answer"
	// HeldFormer: the address that an earlier audit replaced by the listed one, which is not found, leads to
	// a page that no sitemap lists.
	HeldFormer Note = "former-answers"
	// HeldUnread: a sitemap that could not be read may list the replacement, as it did when it was read
	// last.
	HeldUnread Note = "listed-unread"
	// HeldRelative: the entry of a feed has an address that is not absolute.
	HeldRelative Note = "relative"
	// HeldEntity: the address has an entity that the file's own DTD declares.
	HeldEntity Note = "entity"
	// HeldOctets: the address has bytes of which it is not known which characters they are.
	HeldOctets Note = "charset-unknown"
	// HeldSecrets: what would decide was answered without the user's headers and
	// credentials, and may be answered otherwise with them (Rules.withoutSecrets).
	HeldSecrets Note = "secrets-withheld"
	// HeldLong: the replacement is as long as sitemaps allow no address to be, and the listed address
	// is not. The row has the note Long.
	HeldLong Note = "target-long"
)

// longLoc is the length in bytes from which sitemaps allow no address (sitemaps.org, "loc").
const longLoc = 2048

var held = []Note{HeldLong, HeldBound, HeldCanonical, HeldCut, HeldElsewhere, HeldMoved, HeldOld, HeldAlone, HeldSecrets, HeldCharset, HeldFault, HeldChecksum, HeldOutdated, HeldUnsteady, HeldFormer, HeldUnread, HeldRelative, HeldEntity, HeldOctets}

// Stops returns all that Row.StoppedBy can return but "": the rules of what may be
// written, the brake, and what else keeps an entry (HeldCut and the others). Of the notes
// of one row the first of these is what StoppedBy returns.
func Stops() []Note { return slices.Concat(strength, held) }

// hold keeps the entry for what no note says.
func (r *Row) hold(n Note) {
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: whyNote(n), Stop: n}
}

// settled reports whether an entry that is kept for n is to be left as it is: there is
// nothing to be done about it.
func settled(n Note) bool { return n == HeldMoved || n == HeldOld || n == HeldAlone }
