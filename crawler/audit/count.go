package audit

import (
	"context"
	"fmt"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// Counts adds up rows.
type Counts struct {
	Entries  int
	Verdicts map[Verdict]int
	Reasons  map[address.Reason]int
	Notes    map[Note]int
	Actions  map[Action]int
	// Groups counts the rows of a group by verdict; merged entries stand under
	// the key "merged".
	Groups map[Group]map[string]int
	// Unseen counts unverified rows by why: "403", "429", "timeout", "dns", a
	// challenge's name, ...
	Unseen map[string]int
}

// add counts n rows that are like r.
func (c *Counts) add(r *Row, n int) {
	if c.Verdicts == nil {
		*c = Counts{Verdicts: map[Verdict]int{}, Reasons: map[address.Reason]int{}, Notes: map[Note]int{},
			Actions: map[Action]int{}, Groups: map[Group]map[string]int{}, Unseen: map[string]int{}}
	}
	c.Entries += n
	c.Verdicts[r.Verdict] += n
	for _, x := range r.Reasons {
		c.Reasons[x] += n
	}
	for _, x := range r.Notes {
		c.Notes[x] += n
	}
	group, part, action := r.Group(), string(r.Verdict), r.Fix.Action
	if group == NeedsDecision {
		action = Keep
	}
	c.Actions[action] += n
	if action == Merge {
		part = "merged"
	}
	if c.Groups[group] == nil {
		c.Groups[group] = map[string]int{}
	}
	c.Groups[group][part] += n
	if why := r.UnseenBy(); why != "" {
		c.Unseen[why] += n
	}
}

// NeedScript reports whether at least half of the entries that were crawled are pages that a
// script fills: whether those are pages or errors nobody knows, so no share of them is reported.
func (c *Counts) NeedScript() bool {
	n := c.Notes[NeedsJavaScript]
	return n > 0 && n*2 >= c.Entries-c.Total(LeftOut)
}

// Total returns how many entries are in a group.
func (c *Counts) Total(g Group) (n int) {
	for _, part := range c.Groups[g] {
		n += part
	}
	return n
}

// count adds up the final rows of a file. Uneventful ones are counted from their records, and read only where
// an export, a map or see needs their URLs.
func (t *Plan) count(ctx context.Context, result *Result, f *File, asides []aside, see func(*Row) error) error {
	s, uneventful := &f.Sitemap, f.Sitemap.Entries
	add := func(r *Row, n int) {
		f.Counts.add(r, n)
		result.Counts.add(r, n)
	}
	in := &t.eventful
	if len(asides) > 0 || see != nil {
		in = nil
	}
	for row, err := range t.rows(ctx, t.sitemaps[s.N:s.N+1], in, t.brief) {
		if err != nil {
			return err
		}
		for _, x := range asides {
			x.see(row)
		}
		if see != nil {
			if err := see(row); err != nil {
				return err
			}
		}
		t.links.see(row)
		if t.eventful.Has(row.Entry.N) {
			uneventful--
			add(row, 1)
			t.causes.Add(row)
			f.Changed = f.Changed || row.Fix.Action != Keep && !t.info.Partial
		}
	}
	if uneventful > 0 {
		add(&t.uneventful, uneventful)
	}
	return nil
}

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
