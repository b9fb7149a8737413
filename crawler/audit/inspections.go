package audit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
)

// Inspections are what Google's index says of some addresses of an audit.
type Inspections struct {
	// By is by the wire form of the address.
	By map[string]Inspection
	// Left is how many more were chosen and not asked, for the day's quota of a property was
	// used up; it begins anew at Again.
	Left  int
	Again time.Time
}

// of returns what is known of an address, nil for nothing. i may be nil.
func (i *Inspections) of(a address.Address) *Inspection {
	if i == nil {
		return nil
	}
	in, ok := i.By[a.String()]
	if !ok {
		return nil
	}
	return &in
}

// A Chosen is an address to inspect.
type Chosen struct {
	Address address.Address
	// First is the first answer of its trail; it has no Status and no Fault where there is none.
	First Hop
}

// ChooseInspections chooses at most n addresses to inspect: one entry of each cause that needs a
// decision, then of each that is corrected, then of each verdict, then second ones of each in turn.
// Within one they go by a hash of the address, so that they are the same each time. Entries that are
// fine come last.
// What was not crawled, and what is no address, is not chosen; open is called with each other one,
// in sitemap order, and says whether it may be asked. It holds n addresses of each cause and
// verdict at most.
func (t *Result) ChooseInspections(ctx context.Context, n int, open func(Chosen) bool) ([]Chosen, error) {
	c := chooser{n: n, result: t, groups: make([]nominees, len(t.Causes)+len(verdicts))}
	for file := range t.Files {
		for r, err := range t.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			if r.Address.IsZero() || r.Verdict == Skipped {
				continue
			}
			if x := chosen(r); open(x) {
				c.see(r, x)
			}
		}
	}
	return c.choose(), nil
}

// chooser is the state of one choice.
type chooser struct {
	n      int
	result *Result
	groups []nominees // of the causes, then of the verdicts in their order
}

// nominees are the first n of a group.
type nominees []nominee

type nominee struct {
	Chosen
	hash uint64
}

// chosen is a row as it is chosen.
func chosen(r *Row) Chosen {
	x := Chosen{Address: r.Address}
	if len(r.Trail.Steps) > 0 {
		h := &r.Trail.Steps[0].Hop
		x.First = Hop{Request: h.Request, Status: h.Status, Fault: h.Fault, Location: h.Location, At: h.At}
	}
	return x
}

// see nominates a row in its cause and in its verdict.
func (c *chooser) see(r *Row, chosen Chosen) {
	x := nominee{Chosen: chosen, hash: xxhash.Sum64String(r.Address.String())}
	if at := c.result.CauseOf(r); at >= 0 {
		c.groups[at].add(x, c.n)
	}
	at := slices.IndexFunc(verdicts, func(f Facts) bool { return f.Verdict == r.Verdict })
	c.groups[len(c.result.Causes)+at].add(x, c.n)
}

// add keeps the first n of the group.
func (g *nominees) add(x nominee, n int) {
	*g = append(*g, x)
	if len(*g) >= 2*n+16 {
		g.sort()
		*g = (*g)[:min(n, len(*g))]
	}
}

// sort sorts the group, each address once.
func (g *nominees) sort() {
	slices.SortFunc(*g, func(a, b nominee) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.Address.String(), b.Address.String()))
	})
	*g = slices.CompactFunc(*g, func(a, b nominee) bool { return a.Address == b.Address })
}

// order returns the groups in the order in which they have their turn, and those whose entries
// are fine, which come last.
func (c *chooser) order() (turns, fine []nominees) {
	for _, wanted := range [][]Group{{NeedsDecision}, {Corrected, TakenOut}} {
		for i := range c.result.Causes {
			if slices.Contains(wanted, c.result.Causes[i].Group) {
				turns = append(turns, c.groups[i])
			}
		}
	}
	for i, f := range verdicts {
		g := c.groups[len(c.result.Causes)+i]
		if f.Verdict == OK {
			fine = append(fine, g)
		} else {
			turns = append(turns, g)
		}
	}
	return turns, fine
}

// choose takes one of each group in turn.
func (c *chooser) choose() (chosen []Chosen) {
	for i := range c.groups {
		c.groups[i].sort()
	}
	taken := map[address.Address]bool{}
	turns, fine := c.order()
	for _, groups := range [][]nominees{turns, fine} {
		for left := true; left && len(chosen) < c.n; {
			left = false
			for i := range groups {
				for len(groups[i]) > 0 && taken[groups[i][0].Address] {
					groups[i] = groups[i][1:]
				}
				if len(groups[i]) == 0 || len(chosen) == c.n {
					continue
				}
				x := groups[i][0]
				taken[x.Address], left = true, true
				chosen = append(chosen, x.Chosen)
			}
		}
	}
	return chosen
}
