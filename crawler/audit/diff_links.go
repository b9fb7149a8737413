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
	// read the pages that link to it.
	New, Gone, Both, NotCompared int
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
		func(ctx context.Context) error { return p.pair(ctx, shelf()) }, p.readPages, p.count,
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
	marks  sketch.Numbers // of their targets: linkedBy and unreadBy
}

// linkSides are what lies under the key of a row: which audit has it.
var linkSides = [2]string{"old", "new"}

// linkedBy is set of a target to which a page links that the audit of a side read.
func linkedBy(side int) uint32 { return 1 << side }

// unreadBy is set of a target where the audit of a side did not read the whole of a page which
// links to it in the other audit.
func unreadBy(side int) uint32 { return 4 << side }

// pair counts the targets that both audits have, and puts the others on the shelf of single ones.
func (p *linkPairing) pair(ctx context.Context, rows Shelf) error {
	for side, l := range p.sides {
		for r, err := range l.Rows(ctx) {
			if err == nil && p.out.Compared(r.Kind) {
				err = rows.Add(string(rune(r.Kind))+r.Target, linkSides[side])
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
		if LinkKind(key[0]) != Unlinked {
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
		side, c := slices.Index(linkSides[:], r[1]), &p.out.Kinds[r[0][0]]
		comparable := p.comparable(LinkKind(r[0][0]), r[0][1:], side)
		if LinkKind(r[0][0]) == Unlinked {
			entry, err := entries[1-side].find(r[0][1:])
			if err != nil {
				return err
			}
			comparable = entry != nil
		}
		switch {
		case !comparable:
			c.NotCompared++
		case side == 0:
			c.Gone++
		default:
			c.New++
		}
	}
	return nil
}

// comparable reports whether the other audit would have the target of a row of one side, if it were
// there as it was: pages of it still link to the target, and both have an answer for it, or
// neither; or the other audit read all pages that link to it here, or saw that it is not old. An
// entry that no page links to is compared where it is an entry of both (count): one that was
// written in place of another is not new among these, and one that was taken out is not linked now.
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
