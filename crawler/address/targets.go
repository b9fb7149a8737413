package address

import "slices"

// SameTargets reports whether the targets of two audits are the same, in any order and however their
// URLs are spelt: "http://shop.example" is "http://SHOP.example/".
func SameTargets(a, b []string) bool { return slices.Equal(SpeltTargets(a), SpeltTargets(b)) }

// SpeltTargets returns targets in one spelling and order: those of SameTargets are equal. The caller
// owns the slice.
func SpeltTargets(targets []string) []string {
	out := slices.Clone(targets)
	for i, t := range out {
		if a, err := Parse(t); err == nil {
			out[i] = a.String()
		}
	}
	slices.Sort(out)
	return out
}
