package audit

import (
	"context"
	"time"

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
// decision, then of each that is corrected, then of each verdict, then second ones of each in turn,
// within one in sitemap order. Entries that are fine come last.
// What was not crawled, and what is no address, is not chosen; open is called with each other one,
// in sitemap order, and says whether it may be asked. It holds n addresses of each cause and
// verdict at most.
func (t *Result) ChooseInspections(ctx context.Context, n int, open func(Chosen) bool) ([]Chosen, error) {
	groups := make([][]Chosen, len(t.Causes)+len(verdicts)) // of the causes, then of the verdicts in their order
	for file := range t.Files {
		for r, err := range t.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			if r.Address.IsZero() || r.Verdict == Skipped {
				continue
			}
			x := chosen(r)
			if !open(x) {
				continue
			}
			for _, at := range []int{t.CauseOf(r), len(t.Causes) + int(verdictNumber(r.Verdict)) - 1} {
				if at >= 0 && len(groups[at]) < n {
					groups[at] = append(groups[at], x)
				}
			}
		}
	}
	var turns [][]Chosen
	for _, decides := range []bool{true, false} {
		for i := range t.Causes {
			if g := t.Causes[i].Group; decides && g == NeedsDecision || !decides && (g == Corrected || g == TakenOut) {
				turns = append(turns, groups[i])
			}
		}
	}
	last := len(groups) - 1 // ok
	taken := map[address.Address]bool{}
	all := inTurn(taken, append(turns, groups[len(t.Causes):last]...)...)
	all = append(all, inTurn(taken, groups[last])...)
	return all[:min(n, len(all))], nil
}

// inTurn takes one of each group in turn, each address once.
func inTurn(taken map[address.Address]bool, groups ...[]Chosen) (all []Chosen) {
	for left := true; left; {
		left = false
		for i := range groups {
			for len(groups[i]) > 0 && taken[groups[i][0].Address] {
				groups[i] = groups[i][1:]
			}
			if len(groups[i]) > 0 {
				x := groups[i][0]
				taken[x.Address], left = true, true
				all = append(all, x)
			}
		}
	}
	return all
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
