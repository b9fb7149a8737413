package address_test

import (
	"testing"

	"sitemend/crawler/address"
)

func BenchmarkCompare(b *testing.B) {
	for _, c := range []struct{ name, a, b string }{
		{"spelling", "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29", "https://www.example.com/wiki/wiki.cgi?page=%a4%c7Wiki(4)"},
		{"slash", "https://www.example.com/products/item-1024", "https://www.example.com/products/item-1024/"},
		{"moved", "https://www.example.com/products/item-1024.html", "https://www.example.com/shop/en/blue-shoes"},
		{"charset", "https://www.example.com/%E9%9D%92%E3%81%84%E9%9D%B4", "https://www.example.com/%C0%C4%A4%A4%B7%A4"},
	} {
		x, y := mustParse(b, c.a), mustParse(b, c.b)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Compare(x, y)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustParse(b, "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29")
	}
}
