package audit

import (
	"fmt"

	"sitemend/crawler/answers"
)

// A Group is one line of the summary: what becomes of an entry.
type Group string

// The groups, in the order of the summary. Every row is in exactly one.
const (
	Fine          Group = "fine"
	Corrected     Group = "corrected"      // replace and merge
	TakenOut      Group = "taken-out"      // drop
	NeedsDecision Group = "needs-you"      // kept, though something is wrong
	OtherSpelling Group = "other-spelling" // right as listed, answers otherwise in its second spelling
	NotChecked    Group = "not-checked"    // unverified
	LeftOut       Group = "skipped"
)

// Groups returns all groups in the order of the summary.
func Groups() []Group {
	return []Group{Fine, Corrected, TakenOut, NeedsDecision, OtherSpelling, NotChecked, LeftOut}
}

// Group returns the one group that r is in.
func (r *Row) Group() Group {
	switch {
	case r.Fix.Action != Keep && r.Fix.Stop != "": // nobody is to upload the copy
		return NeedsDecision
	case r.Fix.Action == Replace || r.Fix.Action == Merge:
		return Corrected
	case r.Fix.Action == Drop:
		return TakenOut
	}
	return r.Verdict.Facts().Group
}

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

var laneOf = map[Group]Lane{Corrected: Upload, TakenOut: Upload, NeedsDecision: Decide, OtherSpelling: Spelling, NotChecked: Unseen, LeftOut: Unseen}

// Lane returns the lane of a group; "" for Fine, of which there is nothing to settle.
func (g Group) Lane() Lane { return laneOf[g] }

// UnseenBy says in a word why an unverified row could not be seen: a status, a fault, the name of a bot
// protection, unsteady; "" for other rows.
func (r *Row) UnseenBy() string {
	last := &r.Trail.Last().Hop
	switch {
	case r.Verdict != Unverified:
		return ""
	case r.unsure != "":
		return string(r.unsure)
	case r.has(Unsteady):
		return string(Unsteady)
	case last.Challenge != "":
		return last.Challenge
	case last.Fault == answers.FaultRobots: // each address of the host meets what kept robots.txt from being read
		for _, f := range []answers.Fault{answers.FaultDNS, answers.FaultTLS, answers.FaultRefused} {
			if last.Detail == f.Words() {
				return string(f)
			}
		}
		return string(answers.FaultRobots)
	case last.Fault != "":
		return string(last.Fault)
	}
	return fmt.Sprint(last.Status)
}
