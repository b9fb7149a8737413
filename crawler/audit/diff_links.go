package audit

import (
	"context"
	"slices"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// A LinkChange is what changed of the rows of a kind about links.
type LinkChange struct {
	Then, Now LinkCount
	// New and Gone are how many targets one audit alone has in the kind, Both how many both have.
	// NotCompared are those that one alone has where the other did not crawl the target, or did not
	// read the pages that link to it. Written are entries that no page links to and that the older
	// audit wrote in place of others, if it read no page that linked to them either: it had them not
	// in the kind, but they are not new in it.
	New, Gone, Both, NotCompared, Written int
}

// A LinkedDiff is what changed of the links of pages.
type LinkedDiff struct {
	// InOld and InNew report whether the older and the newer audit read links. All else is zero
	// unless both did.
	InOld, InNew bool
	// OldPages and NewPages are how many pages were read: all that is said rests on these.
	OldPages, NewPages int
	// OldAsked and NewAsked report which audit crawled what pages link to and no sitemap lists.
	OldAsked, NewAsked bool
	// Kinds has of a kind that was not compared (Compared) how many there were and are.
	Kinds [linkKinds]LinkChange
}

// LinkKinds returns the kinds in the order of the outputs. The caller owns the slice.
func LinkKinds() []LinkKind { return []LinkKind{LinkedOld, LinkedUnlisted, Unlinked} }

// Compared reports whether the rows of a kind were compared. Where one audit alone crawled the
// addresses that no sitemap lists, it alone can know that they redirect or may be listed.
func (x *LinkedDiff) Compared(k LinkKind) bool {
	return x.InOld && x.InNew && (k == Unlinked || x.OldAsked == x.NewAsked)
}

// CompareLinks compares what the links of pages say; old and new are nil where the audit read none.
// It holds one row at a time, some 20 bytes for each page and for each target that one audit alone
// has; all else lies on shelves meanwhile. It returns the first error of the audits or a shelf, and
// ctx's once that ends. It is called once at most.
func (d *Diff) CompareLinks(ctx context.Context, old, new *Linked, shelf func() Shelf) error {
	if old == nil && new == nil {
		return nil
	}
	x := &LinkedDiff{InOld: old != nil, InNew: new != nil}
	d.Linked = x
	if old == nil || new == nil {
		return nil
	}
	x.OldPages, x.NewPages, x.OldAsked, x.NewAsked = old.Pages, new.Pages, old.Asked, new.Asked
	for _, k := range LinkKinds() {
		x.Kinds[k].Then, x.Kinds[k].Now = old.Kinds[k], new.Kinds[k]
	}
	p := &linkPairing{out: x, sides: [2]*Linked{old, new}, single: shelf(), seen: [2]*Snapshot{&d.old, &d.new}}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return p.pair(ctx, shelf()) }, p.readPages, p.seeWritten, p.count,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// linkPairing pairs the rows of two audits. What only one of them has may be new or gone, or what
// the other could not know: that no sitemap lists an address any more does not mend a link to it.
type linkPairing struct {
	out    *LinkedDiff
	sides  [2]*Linked
	seen   [2]*Snapshot
	single Shelf          // rows that one audit alone has: its side, under kind and target
	marks  sketch.Numbers // of their targets: linkedBy, unreadBy and writtenThen
}

// linkSides are what lies under the key of a row: which audit has it.
var linkSides = [2]string{"old", "new"}

// linkedBy is set of a target to which a page links that the audit of a side read.
func linkedBy(side int) uint32 { return 1 << side }

// unreadBy is set of a target where the audit of a side did not read the whole of a page which
// links to it in the other audit.
func unreadBy(side int) uint32 { return 4 << side }

// writtenThen is set of a target that the older audit wrote in place of an entry.
const writtenThen uint32 = 16

// pair counts the targets that both audits have, and puts the others on the shelf of single ones.
func (p *linkPairing) pair(ctx context.Context, rows Shelf) error {
	for side, l := range p.sides {
		for r, err := range l.Rows(ctx) {
			if err == nil && p.out.Compared(r.Kind) {
				err = rows.Add(string(rune(r.Kind))+wireOf(r.Target), linkSides[side])
			}
			if err != nil {
				return err
			}
		}
	}
	last, sides := "", map[string]bool{}
	for r, err := range Until(ctx, rows.Sorted()) {
		if err == nil && r[0] != last {
			err = p.end(last, sides)
			last = strings.Clone(r[0])
			clear(sides)
		}
		if err != nil {
			return err
		}
		sides[strings.Clone(r[1])] = true
	}
	return p.end(last, sides)
}

// end takes a row with the audits that have it; none for "".
func (p *linkPairing) end(key string, in map[string]bool) error {
	if len(in) == len(linkSides) {
		p.out.Kinds[key[0]].Both++
		return nil
	}
	for side := range in {
		if LinkKind(key[0]) != Unlinked || side == linkSides[1] { // else no page decides
			p.marks.At(sketch.Hash(key[1:]))
		}
		return p.single.Add(key, side)
	}
	return nil
}

// readPages sees which pages link to the targets that one audit alone has, and whether both read
// them.
func (p *linkPairing) readPages(ctx context.Context) error {
	if p.marks.Len() == 0 {
		return nil
	}
	var whole sketch.Numbers // pages, with a bit for each side
	for side, l := range p.sides {
		for page, err := range l.Read(ctx) {
			if err != nil {
				return err
			}
			if read, _ := whole.At(sketch.Hash(page.URL)); page.Whole {
				*read |= 1 << side
			}
		}
	}
	for side, l := range p.sides {
		for page, err := range l.Read(ctx) {
			if err != nil {
				return err
			}
			read, _ := whole.Get(sketch.Hash(page.URL))
			p.mark(&page, side, read&(1<<(1-side)) != 0)
		}
	}
	return nil
}

// mark marks the targets of a page that the audit of a side read; both reports whether the other
// read all of it, too.
func (p *linkPairing) mark(page *LinkedPage, side int, both bool) {
	for target := range page.Targets {
		hash := sketch.Hash(target)
		if _, single := p.marks.Get(hash); !single || target == page.URL {
			continue
		}
		marks, _ := p.marks.At(hash)
		*marks |= linkedBy(side)
		if !both {
			*marks |= unreadBy(1 - side)
		}
	}
}

// seeWritten sees which targets the older audit wrote in place of an entry.
func (p *linkPairing) seeWritten(ctx context.Context) error {
	sights := p.seen[0].Sights
	if p.marks.Len() == 0 || sights == nil {
		return nil
	}
	for s, err := range Until(ctx, sights()) {
		if err != nil {
			return err
		}
		hash := sketch.Hash(s.Written)
		if _, single := p.marks.Get(hash); s.Written == "" || !single {
			continue
		}
		marks, _ := p.marks.At(hash)
		*marks |= writtenThen
	}
	return nil
}

// count counts the targets that one audit alone has.
func (p *linkPairing) count(ctx context.Context) error {
	var entries [2]sightCursor
	for side := range entries {
		if sights := p.seen[side].Sights; sights != nil { // nil where the entries were not compared
			defer entries[side].open(sights())()
		}
	}
	for r, err := range Until(ctx, p.single.Sorted()) {
		if err != nil {
			return err
		}
		kind, target, side := LinkKind(r[0][0]), r[0][1:], slices.Index(linkSides[:], r[1])
		c := &p.out.Kinds[kind]
		if kind != Unlinked {
			*c.alone(side, p.comparable(kind, target, side))++
			continue
		}
		entry, err := entries[1-side].find(target)
		if err != nil {
			return err
		}
		*p.unlinked(c, target, side, entry != nil)++
	}
	return nil
}

// alone returns the count of a target that the audit of a side alone has.
func (c *LinkChange) alone(side int, comparable bool) *int {
	switch {
	case !comparable:
		return &c.NotCompared
	case side == 0:
		return &c.Gone
	}
	return &c.New
}

// unlinked returns the count of an entry of one side that no page of it links to; listed reports
// whether it is an entry of the other audit, too. One that the newer audit alone lists, for the
// older one wrote it in place of another, is not new if no page linked to it then either. One that
// was taken out is not linked now.
func (p *linkPairing) unlinked(c *LinkChange, target string, side int, listed bool) *int {
	marks, _ := p.marks.Get(sketch.Hash(target))
	switch {
	case listed || side == 0 || marks&writtenThen == 0:
		return c.alone(side, listed)
	case marks&linkedBy(0) == 0:
		return &c.Written
	}
	return c.alone(side, marks&unreadBy(1) == 0)
}

// comparable reports whether the other audit would have the target of a row of one side, if it were
// there as it was: pages of it still link to the target, and both have an answer for it, or
// neither; or the other audit read all pages that link to it here, or saw that it is not old.
func (p *linkPairing) comparable(k LinkKind, target string, side int) bool {
	other := 1 - side
	marks, _ := p.marks.Get(sketch.Hash(target))
	known, old := p.sides[other].Sight(target)
	if marks&linkedBy(other) != 0 {
		here := k == LinkedOld
		if !here {
			here, _ = p.sides[side].Sight(target)
		}
		return here == known
	}
	return marks&unreadBy(other) == 0 || k == LinkedOld && known && !old
}
