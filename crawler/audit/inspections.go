package audit

import (
	"context"
	"maps"
	"slices"
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

// ChooseInspections chooses at most n addresses to inspect: one entry of each cause that needs a
// decision, then of each other, then of each verdict, then second ones of each in turn, within one in
// sitemap order. Entries that are fine come last.
// What was not crawled, and what is no address, is not chosen; open is called with each other one,
// in sitemap order, and says whether it may be asked. It holds n addresses of each cause and
// verdict at most.
func (t *Result) ChooseInspections(ctx context.Context, n int, open func(address.Address) bool) (out []address.Address, err error) {
	byGroup, seen, causes := map[int][]address.Address{}, map[address.Address]bool{}, len(t.Causes)
	for file := range t.Files {
		for r, err := range t.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			if r.Address.IsZero() || r.Verdict == Skipped || seen[r.Address] || !open(r.Address) {
				continue
			}
			groups := []int{causes + int(verdictNumber(r.Verdict))}
			if at := t.CauseOf(r); at >= 0 && r.Group() == NeedsDecision {
				groups = append(groups, at-causes)
			} else if at >= 0 {
				groups = append(groups, at)
			}
			for _, group := range groups {
				if len(byGroup[group]) < n {
					byGroup[group], seen[r.Address] = append(byGroup[group], r.Address), true
				}
			}
		}
	}
	for turn := range 2 * n {
		for _, group := range slices.Sorted(maps.Keys(byGroup)) {
			at, of := turn, byGroup[group]
			if group == causes+int(verdictNumber(OK)) {
				at -= n
			}
			if at >= 0 && at < len(of) && len(out) < n && seen[of[at]] {
				out, seen[of[at]] = append(out, of[at]), false
			}
		}
	}
	return out, nil
}
