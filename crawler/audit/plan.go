package audit

import (
	"context"
	"strconv"

	"sitemend/crawler/address"
)

// A plan is what the entries of one file decide for each other.
type plan struct {
	base address.Address // where the file is served; of local input, its first entry
	// move is the origin that the whole file goes to, "" where it stays.
	move      string
	idle      bool // no entry is replaced: where it moved, no copy of it goes there
	dest      destination
	old       bool // the map says that it is an old sitemap: nothing is edited
	cut       bool // not all of the file came: nothing is edited
	entries   int
	order     uint64 // tally.order
	drops     int    // that the brake does not hold back
	unwritten Unwritten
	braked    map[Verdict]int // drops held back by the brake
	all       bool            // these are all entries of the file
	brakeWhy  Why
	// elsewhere is why nothing is edited, where nothing would remain (HeldElsewhere,
	// HeldCanonical, HeldMoved); else "".
	elsewhere Note
}

// tally is what one walk over a file finds.
type tally struct {
	entries   int
	order     uint64 // a hash over the entries as they are listed, in their order
	drops     map[Verdict]int
	replaces  int
	leaves    bool            // a replaced entry was listed on the host of the file and goes elsewhere, or changes its host
	to        string          // the origin that the first replacement is on
	scattered bool            // others are elsewhere
	origins   map[string]int  // of entries that are not edited, and lead to a page or were not asked: how many have it
	held      map[string]bool // the same of entries that would be dropped
}

// planAll decides whole moves and the brake for all files, and shows see their rows as judge makes
// them.
func (t *evaluation) planAll(ctx context.Context, judge judger, see func(*Row)) error {
	t.plans = make([]plan, 0, len(t.sitemaps))
	tallies, entries, drops := make([]tally, len(t.sitemaps)), 0, 0
	for i := range t.sitemaps {
		if err := t.plan(ctx, i, &tallies[i], judge, see); err != nil {
			return err
		}
		if t.weighs(i) {
			entries += tallies[i].entries
		}
		if t.edits(i) {
			drops += tallies[i].dropped()
		}
	}
	var why Why
	if drops > brakeAt && mostOf(drops, entries, t.rules.MaxDrop) {
		why = Why{whyAuditBraked, [4]string{strconv.Itoa(drops), strconv.Itoa(entries)}}
	}
	for i := range t.plans {
		if t.edits(i) {
			t.plans[i].decide(&tallies[i], t.rules.MaxDrop, why)
		}
	}
	return nil
}

// weighs reports whether the entries of a file are pages of the site today, of which most must not leave.
func (t *evaluation) weighs(file int) bool {
	return t.sitemaps[file].Kind != KindEarlier && !t.plans[file].old
}

// edits reports whether entries of a file may be edited.
func (t *evaluation) edits(file int) bool {
	p := &t.plans[file]
	return t.weighs(file) && !p.cut && p.unwritten == ""
}

// plan begins the plan of one file with what a walk over it finds.
func (t *evaluation) plan(ctx context.Context, file int, s *tally, judge judger, see func(*Row)) error {
	p := plan{old: t.expects.leaves(file), cut: t.sitemaps[file].Cut, unwritten: t.unwritten[file]}
	if at := t.sitemaps[file].AnsweredAt; at != "" {
		p.base = address.Wire(at)
	}
	*s = tally{drops: map[Verdict]int{}, origins: map[string]int{}, held: map[string]bool{}}
	for row, err := range t.walkFile(ctx, file, judge) {
		if err != nil {
			return err
		}
		see(row)
		s.list(&row.Entry)
		if p.base.IsZero() {
			p.base = row.Address
		}
		if row.strays(p.base) {
			row.stop(OtherHost, t.rules)
		}
		s.add(row, p.base)
	}
	p.order = s.order
	t.plans = append(t.plans, p)
	return nil
}

// decide plans what the entries of a file add up to. all says why nothing is dropped in any file of
// the audit, where that is so.
func (p *plan) decide(s *tally, maxDrop float64, all Why) {
	p.entries = s.entries
	p.brake(s, maxDrop, all)
	if p.braked == nil {
		s.held = nil
	}
	p.move = s.move(p.base, p.drops)
}

// add counts a row of a file that is served at base.
func (s *tally) add(r *Row, base address.Address) {
	s.entries++
	if r.Fix.Action == Replace {
		at := address.Wire(r.Fix.Loc)
		to := at.Origin()
		s.leaves = s.leaves || r.Address.SameTwin(base) && r.Address.Origin() != to || !r.Address.SameTwin(at)
		if s.replaces == 0 {
			s.to = to
		}
		s.replaces++
		s.scattered = s.scattered || to != s.to
		return
	}
	// Whatever answers 200 at once, and whatever was not asked, holds the file
	// where it is; what is dropped only if the brake keeps it.
	holds := r.Trail.direct() || r.Verdict == Skipped && !r.Address.IsZero()
	if r.Fix.Action == Drop {
		s.drops[r.Verdict]++
		if holds {
			s.held[r.Address.Origin()] = true
		}
		return
	}
	if holds {
		s.origins[r.Address.Origin()]++
	} else if (r.Verdict == Temporary || r.Verdict.Facts().Fix == Replace) && r.Final.SameSite(base) {
		s.origins[r.Final.Origin()]++ // its redirect leads to a page that is no home page
	}
}

// move returns the one other origin of the same site that all edited entries go
// to, where no entry leads to a page elsewhere and these are most of the entries that are left once drops of
// them went; else "". Where they were listed
// there from the start, by a file on another host, nothing moves: Google takes a sitemap from any
// host where the robots.txt of the entries names it (Search Central, "Cross-site sitemap
// submission").
func (s *tally) move(base address.Address, drops int) string {
	to := s.to
	if s.replaces == 0 || s.scattered || !s.leaves || 2*(s.replaces+s.origins[to]) <= s.entries-drops {
		return ""
	}
	for o := range s.origins {
		if o != to {
			return ""
		}
	}
	for o := range s.held {
		if o != to {
			return ""
		}
	}
	if to == base.Origin() || address.Wire(to+"/").Site() != base.Site() {
		return ""
	}
	return to
}

// allowed reports whether what is written for a row may stand in the file in the place of the listed address
// (sitemaps.org, "location": one host a file; www and https twins are written all the same). On the
// host of the listed one it may: that is no other host than before. What strays may not, though the file
// moves as a whole.
func (p *plan) allowed(r *Row) bool {
	to := address.Wire(r.Fix.Loc)
	return p.base.SameTwin(to) || r.Address.SameTwin(to) || p.move != "" && !r.strays(p.base)
}

// brake holds back the drops of a file that would lose too many entries: a
// deploy that answers 404 for a night must not empty a sitemap. all is as for decide.
func (p *plan) brake(s *tally, maxDrop float64, all Why) {
	drops := s.dropped()
	switch {
	case drops == 0:
		return
	case drops == s.entries:
		p.all, p.brakeWhy = true, Why{Key: whyAllBraked}
	case drops > brakeAt && float64(drops) > maxDrop*float64(s.entries):
		p.brakeWhy = Why{string(Braked), [4]string{strconv.Itoa(drops), strconv.Itoa(s.entries)}}
	case all.Key != "":
		p.brakeWhy = all
	default:
		p.drops = drops
		return
	}
	p.braked = s.drops
}

// dropped is how many entries would be dropped.
func (s *tally) dropped() (n int) {
	for _, k := range s.drops {
		n += k
	}
	return n
}

// mostOf reports whether so many drops are more than half of all, and more than maxDrop of them.
func mostOf(drops, all int, maxDrop float64) bool {
	return float64(drops) > max(0.5, maxDrop)*float64(all)
}

// apply makes a row of a file final.
func (t *evaluation) apply(file int, r *Row) {
	p := &t.plans[file]
	if p.cut && r.Fix.Action != Keep {
		r.hold(HeldCut)
		return
	}
	if p.unwritten != "" {
		r.keepUnwritten(p.unwritten)
		return
	}
	policy := r.Fix.Policy
	if p.old {
		if r.Fix.Action != Keep || r.Verdict.Facts().Problem {
			r.hold(HeldOld)
		}
		return
	}
	t.decide(p, r)
	if p.elsewhere == "" || r.Fix.Action == Keep {
		return
	}
	why := p.elsewhere
	if r.Fix.Action == Drop && why != HeldCanonical { // nobody lists it elsewhere
		why = HeldAlone
	}
	r.Fix.Policy = policy
	r.hold(why)
}

// decide applies the brake, the rule of hosts and the merges to a row of a file.
func (t *evaluation) decide(p *plan, r *Row) {
	switch r.Fix.Action {
	case Drop:
		if p.braked != nil {
			r.note(Braked)
			r.Fix.Action, r.Fix.Why = Keep, p.brakeWhy
		}
	case Replace:
		lost := t.lost.Has(r.Entry.N)
		switch {
		case !p.allowed(r) && r.stop(OtherHost, t.rules):
		case lost && r.stop(MergeWouldLose, t.rules):
		case t.translated.Has(r.Entry.N):
			r.stop(Locale, t.rules)
		case t.unsure.Has(r.Entry.N):
			r.hold(HeldUnread)
		case !lost && !t.merged.Has(r.Entry.N):
		case r.Entry.Bound:
			r.hold(HeldBound)
		default:
			r.Fix.Action, r.Fix.Why = Merge, Why{Key: whyMerged}
			if r.Fix.Joined = t.joined.Has(r.Entry.N); r.Fix.Joined {
				r.Fix.Why.Key = whyJoined
			}
		}
	}
}
