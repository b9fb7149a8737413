package audit

import (
	"slices"
)

// An Effect says in a word what a change means.
type Effect string

// The effects. Every address of two audits has exactly one.
const (
	Worse       Effect = "worse"
	Better      Effect = "better"
	Applied     Effect = "applied"      // a correction of the older audit is in the sitemaps: the address that it removed or replaced
	Written     Effect = "written"      // listed in place of one or more that are Applied
	Otherwise   Effect = "changed"      // changed, neither worse nor better
	Same        Effect = "same"         // as before; such changes are counted, not listed
	NotCompared Effect = "not-compared" // not seen in one of the audits, or in neither
)

// Effects returns all effects, the worst first.
func Effects() []Effect {
	return []Effect{Worse, Better, Otherwise, Applied, Written, NotCompared, Same}
}

// A ChangeKind says what is different.
type ChangeKind string

// The kinds of change, the most telling first. An address has as many as hold.
const (
	CorrectedSince  ChangeKind = "corrected"           // the older audit corrects it, and the sitemaps are corrected so
	CorrectedUnseen ChangeKind = "corrected-unchecked" // so, too, but what is listed in its place was not seen
	LeftWithEntry   ChangeKind = "left-with-entry"     // named beside entries, each of which the older audit removes and the sitemaps have no more
	Undone          ChangeKind = "undone"              // a problem that a correction had taken out is listed again; of SinceSeen alone
	NewProblem      ChangeKind = "new-problem"         // a problem now, none before or not listed before
	Fixed           ChangeKind = "fixed"               // a problem before, none now or no longer listed
	OtherVerdict    ChangeKind = "verdict"             // any other change of the verdict
	BecameTemporary ChangeKind = "became-temporary"
	BecamePermanent ChangeKind = "became-permanent"
	MoreHops        ChangeKind = "more-hops"
	FewerHops       ChangeKind = "fewer-hops"
	OtherTarget     ChangeKind = "target"  // ends elsewhere, or names another canonical
	OtherStatus     ChangeKind = "status"  // the same verdict by another status
	WrittenSince    ChangeKind = "written" // listed in place of an address that is corrected
	NewlyListed     ChangeKind = "joined"
	NoLongerListed  ChangeKind = "left"
	ListedBeside    ChangeKind = "left-beside"    // no entry now, but named beside one, as an alternate, image or video
	AsEntry         ChangeKind = "as-entry"       // an image or video in one audit, an entry in the other, which judged it as a page
	FirstSeen       ChangeKind = "first-seen"     // seen now, not seen before
	NoLongerSeen    ChangeKind = "no-longer-seen" // seen before, not seen now
	NeverSeen       ChangeKind = "never-seen"     // seen in neither
)

var changeKinds = []ChangeKind{CorrectedSince, CorrectedUnseen, LeftWithEntry, Undone, NewProblem, Fixed, OtherVerdict, BecameTemporary, BecamePermanent, MoreHops, FewerHops, OtherTarget, OtherStatus,
	WrittenSince, NewlyListed, ListedBeside, NoLongerListed, AsEntry, FirstSeen, NoLongerSeen, NeverSeen}

// ChangeKinds returns all kinds, the most telling first. The caller owns the
// slice.
func ChangeKinds() []ChangeKind { return slices.Clone(changeKinds) }

// A Change is one address in two audits.
type Change struct {
	Address string
	Effect  Effect
	Kinds   []ChangeKind // in the order of ChangeKinds; nil for Same
	// Old and New are what was seen; nil where the address was not listed.
	Old, New *Observation
}

// Kind returns the most telling kind of the change, "" for Same.
func (c *Change) Kind() ChangeKind {
	if len(c.Kinds) == 0 {
		return ""
	}
	return c.Kinds[0]
}

// between compares what two audits saw at the address of both. d says in what
// the audits were asked differently.
func between(old, new *Observation, d *Differ) Change {
	c := Change{Address: new.Address, Old: old, New: new}
	a, b := d.comparable(old, new)
	switch {
	case !a && !b:
		c.Effect, c.Kinds = NotCompared, []ChangeKind{NeverSeen}
	case !a:
		c.Effect, c.Kinds = NotCompared, []ChangeKind{FirstSeen}
	case !b:
		c.Effect, c.Kinds = NotCompared, []ChangeKind{NoLongerSeen}
	default:
		was, is := *old, *new
		d.align(&was, &is)
		c.Effect = Same
		c.verdict(&was, &is)
		c.way(&was, &is)
	}
	slices.SortFunc(c.Kinds, func(x, y ChangeKind) int { return slices.Index(changeKinds, x) - slices.Index(changeKinds, y) })
	c.unjudged(d)
	return c
}

// unjudged takes back what was said to be worse or better where the audits asked
// under different names: a server may answer each as it likes.
func (c *Change) unjudged(d *Differ) {
	if !d.As || c.Effect == NotCompared {
		return
	}
	if c.Effect == Worse || c.Effect == Better {
		c.Effect = Otherwise
	}
	for i, k := range c.Kinds {
		if k == NewProblem || k == Fixed {
			c.Kinds[i] = OtherVerdict
		}
	}
	if c.Old == nil || c.New == nil { // it was not listed: nothing else says more
		c.Kinds = slices.DeleteFunc(c.Kinds, func(k ChangeKind) bool { return k == OtherVerdict })
	}
}

// verdict notes a change of the verdict. It decides what the change is: a page
// that is gone is no better for a shorter chain.
func (c *Change) verdict(old, new *Observation) {
	if old.Verdict == new.Verdict {
		return
	}
	kind := OtherVerdict
	switch was, is := old.Verdict.Problem(), new.Verdict.Problem(); {
	case is && !was:
		kind = NewProblem
	case was && !is:
		kind = Fixed
	}
	c.Kinds, c.Effect = append(c.Kinds, kind), turn(new.Verdict.Facts().gravity-old.Verdict.Facts().gravity)
}

// way notes how the way differs. Of one verdict, permanent is better than
// temporary, and then a shorter chain better than a longer one.
func (c *Change) way(old, new *Observation) {
	by := 0
	if old.Hops > 0 && new.Hops > 0 {
		switch {
		case new.Temporary && !old.Temporary:
			c.Kinds, by = append(c.Kinds, BecameTemporary), 1
		case old.Temporary && !new.Temporary:
			c.Kinds, by = append(c.Kinds, BecamePermanent), -1
		}
		longer := new.Hops - old.Hops
		switch {
		case longer > 0:
			c.Kinds = append(c.Kinds, MoreHops)
		case longer < 0:
			c.Kinds = append(c.Kinds, FewerHops)
		}
		if by == 0 {
			by = longer
		}
	}
	if old.Target != new.Target && old.Target != "" && new.Target != "" {
		c.Kinds = append(c.Kinds, OtherTarget)
	}
	if old.Verdict == new.Verdict && old.Status != new.Status {
		c.Kinds = append(c.Kinds, OtherStatus)
	}
	switch {
	case c.Effect != Same || len(c.Kinds) == 0:
	case new.Verdict.Facts().gravity == noPage:
		c.Effect = Otherwise
	default:
		c.Effect = turn(by)
	}
}

func turn(by int) Effect {
	switch {
	case by > 0:
		return Worse
	case by < 0:
		return Better
	}
	return Otherwise
}

// newlyListed is an address that only the newer audit lists. Where the older one did
// not read all files (known is false) it may have been listed before.
func newlyListed(new *Observation, d *Differ, known bool) Change {
	c := Change{Address: new.Address, New: new, Effect: Otherwise, Kinds: []ChangeKind{NewlyListed}}
	switch {
	case !known:
		c.Effect, c.Kinds = NotCompared, []ChangeKind{FirstSeen}
	case new.Verdict.Problem():
		c.Effect, c.Kinds = Worse, []ChangeKind{NewProblem, NewlyListed}
	}
	c.unjudged(d)
	return c
}

// delisted is an address that only the older audit lists.
func delisted(old *Observation, d *Differ, known bool) Change {
	c := Change{Address: old.Address, Old: old, Effect: Otherwise, Kinds: []ChangeKind{NoLongerListed}}
	switch {
	case !known:
		c.Effect, c.Kinds = NotCompared, []ChangeKind{NoLongerSeen}
	case old.Verdict.Problem():
		c.Effect, c.Kinds = Better, []ChangeKind{Fixed, NoLongerListed}
	}
	c.unjudged(d)
	return c
}
