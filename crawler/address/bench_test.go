package address_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
)

func BenchmarkCompare(b *testing.B) {
	for _, c := range []struct{ name, a, b string }{
		{"equal", "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29", "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29"},
		{"spelling", "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29", "https://www.example.com/wiki/wiki.cgi?page=%a4%c7Wiki(4)"},
		{"scheme", "http://www.example.com/products/item-1024.html", "https://www.example.com/products/item-1024.html"},
		{"slash", "https://www.example.com/products/item-1024", "https://www.example.com/products/item-1024/"},
		{"moved", "https://www.example.com/products/item-1024.html", "https://www.example.com/shop/en/blue-shoes"},
		{"moved japanese", "https://www.example.com/%E9%9D%92%E3%81%84%E9%9D%B4", "https://www.example.com/%E8%B5%A4%E3%81%84%E9%9D%B4/"},
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
	for _, c := range []struct{ name, loc string }{
		{"wire", "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29"},
		{"raw", "HTTPS://www.Example.com:443/wiki/../wiki.cgi?page=(日本語)#top"},
		{"idn", "https://日本語.example/"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := address.Parse(c.loc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSpell(b *testing.B) {
	a := mustParse(b, "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29")
	b.ReportAllocs()
	for b.Loop() {
		address.Googlebot.Spell(a)
	}
}

func BenchmarkResolve(b *testing.B) {
	a := mustParse(b, "https://www.example.com/wiki/wiki.cgi?page=%A4%C7Wiki%284%29")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := address.Resolve(a, "../shop/item?id=1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadable(b *testing.B) {
	for _, c := range []struct{ name, wire string }{
		{"ascii", "https://www.example.com/products/item-1024.html"},
		{"utf-8", "https://www.example.com/%E9%9D%92%E3%81%84%E9%9D%B4"},
		{"euc-jp", "https://www.example.com/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Readable(c.wire)
			}
		})
	}
}

func BenchmarkAlign(b *testing.B) {
	long := strings.Repeat("/segment%20of(it)", 120)
	from, to := "http://h.example"+long+"?a=1", "https://www.h.example/shop"+strings.ReplaceAll(long, "(", "%28")+"?a=2"
	b.ReportAllocs()
	for b.Loop() {
		address.Align(from, to)
	}
}
