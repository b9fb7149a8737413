package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// SameTargets reports whether the targets of two audits are the same, in any order and however their
// URLs are spelt: "http://shop.example" is "http://SHOP.example/".
func SameTargets(a, b []string) bool {
	return slices.Equal(a, b) || len(a) == len(b) && slices.Equal(spelt(a), spelt(b))
}

// spelt returns targets in one spelling and order.
func spelt(targets []string) []string {
	out := slices.Clone(targets)
	for i, t := range out {
		if a, err := address.Parse(t); err == nil {
			out[i] = a.String()
		}
	}
	slices.Sort(out)
	return out
}
