package audit

import (
	"context"
	"iter"
	"slices"
)

// A SeenLast is what earlier audits saw last at an address of which a later one cannot say
// enough: it was refused there, did not read the sitemap, or read it and found the address no
// longer listed. It says nothing by numbers of one audit, and can be written as JSON but for its
// Address, which may be any bytes.
type SeenLast struct {
	Address string `json:"-"`
	// Behind is set where the later audit saw something that cannot be compared with all that
	// comes: a robots.txt that forbids the address says nothing of the page behind it.
	Behind bool `json:",omitempty"`
	// Away is how many audits in a row found the address not listed, at most KeptAway; 0 where the
	// last that can say it found it listed.
	Away int `json:",omitempty"`
	// Corrected is set where it left as a correction of an audit has it.
	Corrected bool `json:",omitempty"`
	// Fell is set where it left a sitemap that much else left with it (Diff.Shrunk): where it comes
	// back that is nothing new.
	Fell   bool `json:",omitempty"`
	Sights []LastSight
}

// KeptAway is for how many audits what was seen of an address is kept after it left the sitemaps.
// A site whose addresses are new each day would leave more of them without end.
const KeptAway = 30

// A LastSight is one sight of an address.
type LastSight struct {
	Seen    Observation
	Sitemap string // URL of the first file that listed the address; Seen.Sitemap is 0
	// Above are the URLs of the indexes that named that file, the nearest first, and NamedBy the
	// robots.txt that named the last; nil and "" where that is not known.
	Above   []string `json:",omitempty"`
	NamedBy string   `json:",omitempty"`
	Asked   Asked
}

// mostSights is how many sights of an address are kept: that of its robots.txt, and of the page
// behind it.
const mostSights = 2

// SinceSeen compares each address with what was seen there last, in the older audit or before it:
// so nothing that got worse or better is lost in an audit that was refused, and nothing counts
// twice. An address that left the sitemaps and comes back within KeptAway audits is compared with
// what was seen before it left, unless its leaving counted as Better: then that is settled, and a
// problem that comes back with it is new. So it is where a correction took it out (Undone). earlier yields what the older audit was left with, in
// order of address; nil for nothing. keep is given what the newer one is left with, in that order.
//
// The Diff that it returns is d but for Since, Effects, Parts, Kinds and First, which are of what got
// worse or better, and NewVerdicts and Newest, which are of all that is another verdict than the
// one that was seen last, and no better one, or than that of the older audit where the newer one saw nothing. A
// problem at an address that was never seen before counts as worse (NewProblem, FirstSeen). Another
// user agent or other headers change nothing in it (Differ.As): whoever reads only what is new is
// not shown it another time. Of a Change of it Place knows nothing. It returns the first error of
// earlier, keep and the changes, and ctx's once that ends.
func (d *Diff) SinceSeen(ctx context.Context, earlier iter.Seq2[SeenLast, error], keep func(*SeenLast) error) (*Diff, error) {
	result := *d
	result.Effects, result.Parts, result.Kinds = map[Effect]int{}, map[Effect]map[ChangeKind]int{}, map[ChangeKind]int{}
	result.NewVerdicts, result.First = map[Verdict]int{}, map[Effect][]Change{}
	result.Newest = map[Verdict][]Change{}
	result.Differ.As = false
	if earlier == nil {
		earlier = func(func(SeenLast, error) bool) {}
	}
	s := &sinceSeen{result: &result, keep: keep, read: coverageOf(&d.new, &d.old), asked: askedOf(&d.Old), as: d.Differ.As}
	next, stop := iter.Pull2(Until(ctx, earlier))
	defer stop()
	e, err, more := next()
	for c, errOf := range d.Changes(ctx) {
		for errOf == nil && err == nil && more && e.Address < c.Address {
			if err = s.unchanged(&e); err == nil {
				e, err, more = next()
			}
		}
		switch {
		case errOf != nil:
			return nil, errOf
		case err != nil:
			return nil, err
		case more && e.Address == c.Address:
			if err = s.changed(&c, &e); err == nil {
				e, err, more = next()
			}
		default:
			err = s.changed(&c, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	for ; err == nil && more; e, err, more = next() {
		if err := s.unchanged(&e); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// sinceSeen is one comparison with what was seen last.
type sinceSeen struct {
	result *Diff
	keep   func(*SeenLast) error
	read   *coverage
	asked  Asked // how the older audit asked
	as     bool  // Differ.As
}

// unchanged takes an address at which both audits saw the same, or that neither lists.
func (s *sinceSeen) unchanged(e *SeenLast) error {
	if e.Away > 0 {
		e.Away++
		return s.away(e, e.Sights)
	}
	if e.Behind || len(e.Sights) == 0 {
		return s.keep(e)
	}
	last := &e.Sights[0]
	if !s.read.knowsLast(last) {
		return s.keep(e)
	}
	return s.left(nil, e.Address, e.Sights)
}

// changed takes a change, with what was left of the address.
func (s *sinceSeen) changed(c *Change, e *SeenLast) error {
	last := s.last(c, e)
	plain := len(last) > 0 && c.Old != nil && c.Old.seen() && c.Effect != NotCompared && !s.differsAs(c)
	switch {
	case c.New == nil && slices.Contains(c.Kinds, NoLongerSeen), c.New != nil && !c.New.seen():
		s.verdict(c)
		return s.leaveAs(&SeenLast{Address: c.Address, Corrected: e != nil && e.Corrected}, last)
	case c.New == nil && plain && c.Effect == Better:
		s.add(c)
	case c.New == nil && plain && c.Effect == Applied:
		return s.away(&SeenLast{Address: c.Address, Away: 1, Corrected: true}, last)
	case c.New == nil && plain && c.fellOutBefore():
		return s.away(&SeenLast{Address: c.Address, Away: 1, Fell: true}, last)
	case c.New == nil && slices.Contains(c.Kinds, ListedBeside):
		return s.away(&SeenLast{Address: c.Address, Away: 1}, last)
	case c.New == nil:
		return s.left(c, c.Address, last)
	case plain:
		s.add(c)
		return s.behind(c, last)
	case e != nil && e.Corrected && c.New.Verdict.Problem():
		x := Change{Address: c.Address, Effect: Worse, Kinds: []ChangeKind{Undone, NewProblem, NewlyListed}, New: c.New}
		s.instead(c, &x)
		s.add(&x)
	default:
		return s.met(c, e, last)
	}
	return nil
}

// instead counts x in place of c in Since; nil for nothing that was counted.
func (s *sinceSeen) instead(c, x *Change) {
	if s.as {
		return
	}
	if c != nil {
		s.result.Since.add(c, -1)
	}
	s.result.Since.add(x, 1)
}

// differsAs reports whether c was taken back for another user agent.
func (s *sinceSeen) differsAs(c *Change) bool {
	return c.Effect == Otherwise && (s.result.Old.Agent != s.result.New.Agent || s.result.Old.Identity != s.result.New.Identity)
}

// last is what was seen at an address, the last first.
func (s *sinceSeen) last(c *Change, e *SeenLast) (last []LastSight) {
	if c.Old != nil && c.Old.seen() {
		last = append(last, s.result.old.lastSight(c.Old, s.asked))
	}
	if e != nil && (len(last) == 0 || e.Behind) {
		last = append(last, e.Sights...)
	}
	return last
}

// lastSight is a sight of an audit, with what named the file that lists the address.
func (s *Snapshot) lastSight(o *Observation, asked Asked) LastSight {
	f := &s.Tallies[o.Sitemap].Sitemap
	last := LastSight{Seen: *o, Sitemap: f.URL, Asked: asked}
	for up := s.parent(o.Sitemap); up >= 0; up = s.parent(up) {
		f = &s.Tallies[up].Sitemap
		last.Above = append(last.Above, f.URL)
	}
	last.NamedBy = f.NamedBy
	return last
}

// met compares what is seen now with the last sight that it can be compared with.
func (s *sinceSeen) met(c *Change, e *SeenLast, last []LastSight) error {
	now := askedOf(&s.result.New)
	page := false // a page was seen before, or that there is none
	for i := range last {
		was := last[i].Seen
		was.Address, was.Sitemap = c.Address, 0
		differ := last[i].Asked.differ(&now)
		if a, b := differ.comparable(&was, c.New); !a || !b {
			page = page || was.Verdict != Disallowed
			continue
		}
		x := between(&was, c.New, &differ)
		if c.Effect == NotCompared || e != nil && e.Fell {
			s.instead(c, &x)
		}
		s.add(&x)
		return s.behind(c, last)
	}
	switch {
	case len(last) == 0 && c.Old == nil && slices.Contains(c.Kinds, NewlyListed):
		x := newlyListed(c.New, &Differ{}, true)
		s.add(&x)
	case !page && c.New.Verdict.Problem():
		x := Change{Address: c.Address, Effect: Worse, Kinds: []ChangeKind{NewProblem, FirstSeen}, Old: c.Old, New: c.New}
		if len(last) > 0 {
			x.Old = &last[0].Seen
		}
		s.instead(c, &x)
		s.add(&x)
	case page: // it was asked otherwise: what was seen then still stands
		return s.leave(c.Address, true, slices.DeleteFunc(last, forbids))
	case len(last) == 0:
		s.verdict(c)
	}
	return s.behind(c, last)
}

func forbids(s LastSight) bool { return s.Seen.Verdict == Disallowed }

// behind keeps what was seen before robots.txt stood before it.
func (s *sinceSeen) behind(c *Change, last []LastSight) error {
	if c.New.Verdict != Disallowed {
		return nil
	}
	return s.leave(c.Address, true, slices.DeleteFunc(last, forbids))
}

// left takes an address that is listed no more, c where that is a change of the two audits: with a problem that is better, unless its entry was
// to be removed.
func (s *sinceSeen) left(c *Change, address string, last []LastSight) error {
	if len(last) == 0 {
		return nil
	}
	i := max(0, slices.IndexFunc(last, func(x LastSight) bool { return x.Seen.Verdict.Problem() }))
	was := last[i].Seen
	was.Address, was.Sitemap = address, 0
	x := delisted(&was, &Differ{}, true)
	s.instead(c, &x)
	if x.Effect != Better || was.Fix == Drop {
		return s.away(&SeenLast{Address: address, Away: 1, Corrected: x.Effect == Better}, last)
	}
	s.add(&x)
	return nil
}

// away keeps what was seen of an address that is not listed, without that its leaving counted.
func (s *sinceSeen) away(e *SeenLast, last []LastSight) error {
	if e.Away > KeptAway {
		return nil
	}
	return s.leaveAs(e, last)
}

// leave keeps what was seen for the audits that come.
func (s *sinceSeen) leave(address string, behind bool, last []LastSight) error {
	return s.leaveAs(&SeenLast{Address: address, Behind: behind}, last)
}

// leaveAs keeps what was seen as the Sights of e, where anything was.
func (s *sinceSeen) leaveAs(e *SeenLast, last []LastSight) error {
	if len(last) == 0 {
		return nil
	}
	last = slices.Clone(last[:min(len(last), mostSights)])
	for i := range last {
		last[i].Seen.Address, last[i].Seen.Sitemap = "", 0
	}
	e.Sights = last
	return s.keep(e)
}

// add counts a change that is reported.
func (s *sinceSeen) add(c *Change) {
	s.verdict(c)
	if c.Effect != Worse && c.Effect != Better {
		return
	}
	s.result.Effects[c.Effect]++
	if s.result.Parts[c.Effect] == nil {
		s.result.Parts[c.Effect] = map[ChangeKind]int{}
	}
	s.result.Parts[c.Effect][c.Kind()]++
	for _, k := range c.Kinds {
		s.result.Kinds[k]++
	}
	s.result.first(c)
}

// mostNewest bounds Diff.Newest for each verdict.
const mostNewest = 10

// verdict counts a change to another verdict.
func (s *sinceSeen) verdict(c *Change) {
	if c.New == nil || c.Effect == Better || c.Old != nil && c.Old.Verdict == c.New.Verdict {
		return
	}
	v := c.New.Verdict
	s.result.NewVerdicts[v]++
	if len(s.result.Newest[v]) < mostNewest {
		s.result.Newest[v] = append(s.result.Newest[v], *c)
	}
}
