package report

import "slices"

// shares divides room for most places among groups of findings: each gets what
// it has, and where that is too much, the large ones are cut to the same number
// so that no small group goes unseen. The order of keys changes nothing.
func shares[K comparable](counts map[K]int, most int) map[K]int {
	sizes := make([]int, 0, len(counts))
	for _, n := range counts {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	cut, left := most, most
	for i, n := range sizes {
		if even := left / (len(sizes) - i); n > even {
			cut = even
			break
		}
		left -= n
	}
	out := make(map[K]int, len(counts))
	for k, n := range counts {
		out[k] = min(n, cut)
	}
	return out
}
