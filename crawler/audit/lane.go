package audit

// A Lane says who has to act for a cause to be settled. Every output lists causes
// lane by lane, and within a lane those of the most entries first.
type Lane string

// The lanes, in the order in which they are listed.
const (
	Upload   Lane = "upload"   // the corrected sitemap settles it, once it is uploaded
	Decide   Lane = "decide"   // somebody has to decide, or to repair something at its source
	Spelling Lane = "spelling" // right as listed, and answered otherwise in another spelling
	Unseen   Lane = "unseen"   // it could not be checked: nothing is known to be wrong
)

// Lanes returns the lanes in the order in which they are listed.
func Lanes() []Lane { return []Lane{Upload, Decide, Spelling, Unseen} }

// Lane returns the lane of a group; "" for Fine and LeftOut, of which there is
// nothing to settle.
func (g Group) Lane() Lane {
	switch g {
	case NeedsDecision:
		return Decide
	case OtherSpelling:
		return Spelling
	case Corrected, TakenOut:
		return Upload
	case NotChecked:
		return Unseen
	}
	return ""
}

// In returns the causes of a lane, in order.
func (t *Result) In(l Lane) []Cause {
	var out []Cause
	for i := range t.Causes {
		if t.Causes[i].Group.Lane() == l {
			out = append(out, t.Causes[i])
		}
	}
	return out
}

// AllFine reports whether every entry was asked and is fine as it is listed, in the other
// spelling too. There may be more to say: Clean reports whether there is not.
func (t *Result) AllFine() bool {
	return !t.Info.Partial && t.Counts.Entries > 0 && t.Counts.Verdicts[OK] == t.Counts.Entries
}

// OpenNotes returns the notes of entries that are fine as far as was seen, and of which
// something was not: each has a remark of its own in the summaries.
func OpenNotes() []Note { return []Note{NeedsJavaScript, ScriptRedirect, Truncated} }

// Clean reports whether nothing is to be done, and nothing is open: every entry is fine
// (AllFine), all that it says was seen (OpenNotes), a page that is gone could be
// told from one that is not, nothing that was taken out is to be listed again, and no
// sitemap file has a fault that is an error, or was not read yet.
func (t *Result) Clean() bool {
	if !t.AllFine() || len(t.neverGone) > 0 || t.Back.Unlisted > 0 {
		return false
	}
	for _, n := range OpenNotes() {
		if t.Counts.Notes[n] > 0 {
			return false
		}
	}
	for i := range t.Files {
		if _, wrong := t.Files[i].Sitemap.Error(); wrong {
			return false
		}
	}
	return true
}
