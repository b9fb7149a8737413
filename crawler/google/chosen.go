package google

import (
	"context"
	"maps"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// ChooseURLs chooses at most n URLs of an audit to inspect: one entry of each cause that needs a
// decision, then of each other, then of each verdict, then second ones of each in turn, within one in
// sitemap order. What was not crawled, and what is no URL, is not
// chosen; open is called with each other one, in sitemap order, and says whether it may be asked. It
// holds n URLs of each cause and verdict at most.
func ChooseURLs(ctx context.Context, t *audit.Result, n int, open func(address.Address) bool) (out []address.Address, err error) {
	verdicts := audit.Verdicts()
	byGroup, seen, causes := map[int][]address.Address{}, map[address.Address]bool{}, len(t.Causes)
	for file := range t.Files {
		for r, err := range t.Rows(ctx, file) {
			if err != nil {
				return nil, err
			}
			if r.Address.IsZero() || r.Verdict == audit.Skipped || seen[r.Address] || !open(r.Address) {
				continue
			}
			groups := []int{causes + slices.Index(verdicts, r.Verdict)}
			if at := t.CauseOf(r); at >= 0 && r.Group() == audit.NeedsDecision {
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
	for turn := range n {
		for _, group := range slices.Sorted(maps.Keys(byGroup)) {
			if of := byGroup[group]; turn < len(of) && len(out) < n && seen[of[turn]] {
				out, seen[of[turn]] = append(out, of[turn]), false
			}
		}
	}
	return out, nil
}
