package audit

import (
	"fmt"

	"sitemend/crawler/address"
)

// A plan is what the entries of one file decide for each other.
type plan struct {
	base address.Address // where the file is served; of local input, its first entry
	// move is the origin that the whole file goes to, "" where it stays.
	move     string
	cut      bool            // not all of the file came: nothing is edited
	braked   map[Verdict]int // drops held back by the brake
	all      bool            // these are all entries of the file
	brakeWhy string
}

// candidate is an entry that would be replaced.
type candidate struct {
	n      int
	target uint64 // hash of the wire form
	twin   bool   // the target may stand in this file as it is
	ext    uint64
}

// tally is what one walk over a file finds.
type tally struct {
	entries    int
	drops      map[Verdict]int
	candidates []candidate
	to         string          // the origin that the first candidate goes to
	scattered  bool            // others go elsewhere
	stays      numbered        // addresses that stay -> place in exts, from 1; 0 for none
	exts       []uint64        // their extension blocks
	origins    map[string]bool // of entries that answer 200 at once, or were not asked, and are not edited
	held       map[string]bool // the same of entries that would be dropped
}

// begin empties the tally for the next file and keeps its room.
func (s *tally) begin() {
	s.stays.empty()
	*s = tally{drops: map[Verdict]int{}, candidates: s.candidates[:0], stays: s.stays, exts: s.exts[:0],
		origins: map[string]bool{}, held: map[string]bool{}}
}

// plan decides whole moves, merges and the brake for one file, and shows see its
// rows as judge makes them.
func (t *telling) plan(file int, judge judger, see func(*Row)) error {
	p := plan{cut: t.sitemaps[file].Cut}
	if at := t.sitemaps[file].AnsweredAt; at != "" {
		p.base = address.Wire(at)
	}
	sum := &t.tally
	sum.begin()
	for row, err := range t.walkFile(file, judge) {
		if err != nil {
			return err
		}
		see(row)
		if p.base.IsZero() {
			p.base = row.Address
		}
		sum.add(row, p.base)
	}
	if !p.cut && t.sitemaps[file].Kind != KindEarlier {
		t.decide(&p, sum)
	}
	t.plans = append(t.plans, p)
	return nil
}

// decide plans what the entries of a file add up to.
func (t *telling) decide(p *plan, s *tally) {
	p.brake(s, t.rules.MaxDrop)
	if p.braked == nil {
		s.held = nil
	}
	p.move = s.move(p.base)
	t.merge(p, s)
}

func (s *tally) add(r *Row, base address.Address) {
	s.entries++
	if r.Fix.Action == Replace {
		target := address.Wire(r.Fix.Loc)
		if s.to == "" {
			s.to = target.Origin()
		}
		s.scattered = s.scattered || target.Origin() != s.to
		s.candidates = append(s.candidates, candidate{n: r.Entry.N, target: hash(r.Fix.Loc), twin: base.SameTwin(target), ext: r.Entry.Ext})
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
		s.origins[r.Address.Origin()] = true
		s.stay(hash(r.Address.String()), r.Entry.Ext)
	}
}

// stay adds an address that stays. Of one that is listed again the first
// extension blocks count.
func (s *tally) stay(address, ext uint64) {
	at, _ := s.stays.at(address)
	if *at == 0 && ext != 0 {
		s.exts = append(s.exts, ext)
		*at = uint32(len(s.exts))
	}
}

// staying returns the extension blocks of an address that stays; false for one
// that does not.
func (s *tally) staying(address uint64) (ext uint64, ok bool) {
	at, ok := s.stays.get(address)
	if at > 0 {
		ext = s.exts[at-1]
	}
	return ext, ok
}

// move returns the one other origin of the same site that all edited entries go
// to, where no entry that answers 200 at once stays elsewhere; else "".
func (s *tally) move(base address.Address) string {
	to := s.to
	if len(s.candidates) == 0 || s.scattered {
		return ""
	}
	for _, origins := range []map[string]bool{s.origins, s.held} {
		for o := range origins {
			if o != to {
				return ""
			}
		}
	}
	if to == base.Origin() || address.Wire(to+"/").Site() != base.Site() {
		return ""
	}
	return to
}

// allowed tells whether c's target may stand in the file (sitemaps.org,
// "location": one host a file; www and https twins are written all the same).
func (p *plan) allowed(c candidate) bool { return c.twin || p.move != "" }

// merge finds the entries whose replacement is listed already by an entry that
// stays, or was written for an earlier one.
func (t *telling) merge(p *plan, s *tally) {
	for _, c := range s.candidates {
		if !p.allowed(c) && !t.rules.Lift[OtherHost] {
			continue
		}
		ext, listed := s.staying(c.target)
		switch {
		case !listed:
			s.stay(c.target, c.ext)
		case c.ext != 0 && c.ext != ext:
			t.lost.add(c.n)
		default:
			t.merged.add(c.n)
		}
	}
}

// brake holds back the drops of a file that would lose too many entries: a
// deploy that answers 404 for a night must not empty a sitemap.
func (p *plan) brake(s *tally, maxDrop float64) {
	drops := 0
	for _, n := range s.drops {
		drops += n
	}
	tooMany := drops > brakeAt && float64(drops) > maxDrop*float64(s.entries)
	if drops > 0 && (tooMany || drops == s.entries) {
		p.braked, p.all = s.drops, drops == s.entries
		p.brakeWhy = fmt.Sprintf(whyBraked, drops, s.entries)
		if p.all {
			p.brakeWhy = whyAllBraked
		}
	}
}

// apply makes a row of a file final.
func (t *telling) apply(file int, r *Row) {
	p := &t.plans[file]
	if p.cut && r.Fix.Action != Keep {
		r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: whyCut}
		return
	}
	switch r.Fix.Action {
	case Drop:
		if p.braked != nil {
			r.note(Braked)
			r.Fix.Action, r.Fix.Why = Keep, p.brakeWhy
		}
	case Replace:
		lost := t.lost.has(r.Entry.N)
		switch {
		case !p.allowed(candidate{twin: p.base.SameTwin(address.Wire(r.Fix.Loc))}) && r.stop(OtherHost, t.rules):
		case lost && r.stop(MergeWouldLose, t.rules):
		case !lost && !t.merged.has(r.Entry.N):
		case r.Entry.Bound:
			r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: whyBound}
		default:
			r.Fix.Action, r.Fix.Why = Merge, whyMerged
		}
	}
}
