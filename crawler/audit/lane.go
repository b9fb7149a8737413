package audit

// A Lane says who has to act for a cause to be settled. Every output lists causes
// lane by lane, and within a lane those of the most entries first.
type Lane string

// The lanes, in the order in which they are listed.
const (
	Upload   Lane = "upload"   // the corrected sitemap settles it, once it is uploaded
	Decide   Lane = "decide"   // somebody has to decide, or to repair something at its source
	Spelling Lane = "spelling" // right as listed, and answered otherwise in another spelling
	Unseen   Lane = "unseen"   // it could not be checked, or was left out: nothing is known to be wrong
)

// Lanes returns the lanes in the order in which they are listed.
func Lanes() []Lane { return []Lane{Upload, Decide, Spelling, Unseen} }

// Lane returns the lane of a group; "" for Fine, of which there is nothing to settle.
func (g Group) Lane() Lane {
	switch g {
	case NeedsDecision:
		return Decide
	case OtherSpelling:
		return Spelling
	case Corrected, TakenOut:
		return Upload
	case NotChecked, LeftOut:
		return Unseen
	}
	return ""
}

// OpenNotes returns the notes of entries that are fine as far as was seen, and of which
// something was not: each has a remark of its own in the summaries.
func OpenNotes() []Note { return []Note{NeedsJavaScript, ScriptRedirect, Truncated} }
