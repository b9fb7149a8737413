package audit

import (
	"context"
	"slices"
	"strings"
)

// A LinkChange is what changed of the rows of a kind about links.
type LinkChange struct {
	Then, Now LinkCount
	// New and Gone are how many targets one audit alone has in the kind, Both how many both have.
	New, Gone, Both int
}

// A LinkedDiff is what changed of the links of pages.
type LinkedDiff struct {
	// InOld and InNew report whether the older and the newer audit read links. All else is zero
	// unless both did.
	InOld, InNew bool
	// OldPages and NewPages are how many pages were read: all that is said rests on these.
	OldPages, NewPages int
	Kinds              [linkKinds]LinkChange
}

// LinkKinds returns the kinds in the order of the outputs. The caller owns the slice.
func LinkKinds() []LinkKind { return []LinkKind{LinkedOld, LinkedUnlisted, Unlinked} }

// CompareLinks compares what the links of pages say; old and new are nil where the audit read none.
// It holds one row at a time: all lie on a shelf meanwhile, by kind and target. It returns the first
// error of the rows or the shelf, and ctx's once that ends. It is called once at most.
func (d *Diff) CompareLinks(ctx context.Context, old, new *Linked, shelf func() Shelf) error {
	if old == nil && new == nil {
		return nil
	}
	x := &LinkedDiff{InOld: old != nil, InNew: new != nil}
	d.Linked = x
	if old == nil || new == nil {
		return nil
	}
	x.OldPages, x.NewPages = old.Pages, new.Pages
	rows := shelf()
	for side, l := range []*Linked{old, new} {
		for r, err := range l.Rows(ctx) {
			if err == nil {
				err = rows.Add(string(rune(r.Kind))+r.Target, linkSides[side])
			}
			if err != nil {
				return err
			}
		}
	}
	for _, k := range LinkKinds() {
		x.Kinds[k].Then, x.Kinds[k].Now = old.Kinds[k], new.Kinds[k]
	}
	last, sides := "", [2]bool{}
	for r, err := range Until(ctx, rows.Sorted()) {
		if err != nil {
			return err
		}
		if r[0] != last {
			x.count(last, sides)
			last, sides = strings.Clone(r[0]), [2]bool{}
		}
		sides[slices.Index(linkSides[:], r[1])] = true
	}
	x.count(last, sides)
	return nil
}

// linkSides are what lies under the key of a row: which audit has it.
var linkSides = [2]string{"old", "new"}

// count counts a target by which audits have it; none for "".
func (x *LinkedDiff) count(key string, in [2]bool) {
	if key == "" {
		return
	}
	c := &x.Kinds[key[0]]
	switch in {
	case [2]bool{true, true}:
		c.Both++
	case [2]bool{true, false}:
		c.Gone++
	default:
		c.New++
	}
}
