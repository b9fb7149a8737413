package address_test

import (
	"testing"

	"sitemend/crawler/address"
)

// BenchmarkAddress does what an audit does many times with each entry.
func BenchmarkAddress(b *testing.B) {
	const listed, moved = "https://www.shop.example/category-12/product-4711(b)?ref=a&id=4711", "https://www.shop.example/category-12/product-4711%28b%29?ref=a&id=4711"
	base := address.Wire(listed)
	slash, reasons := address.Wire("https://www.shop.example/category-12/product-4711/"), address.Compare(base, address.Wire(moved))
	for name, do := range map[string]func(){
		"wire":      func() { address.Wire(listed) },
		"parse":     func() { _, _ = address.Parse(listed) },
		"parse any": func() { _, _ = address.Parse("HTTPS://www.Shop.example:443/a b") },
		"resolve":   func() { _, _ = address.Resolve(base, moved) },
		"path":      func() { _, _ = address.Resolve(base, moved[24:]) },
		"align":     func() { address.Align(listed, moved) },
		"compare":   func() { address.Compare(base, address.Wire(moved)) },
		"slash":     func() { address.Compare(slash, address.Wire(slash.String()[:len(slash.String())-1])) },
		"relate":    func() { address.Relate(base, slash, reasons) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
