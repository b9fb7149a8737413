package address_test

import (
	"fmt"

	"sitemend/crawler/address"
)

func ExampleParse() {
	a, _ := address.Parse(" HTTP://user@Shop.Example:80/a/../日?q=(1)#top")
	fmt.Println(a)
	_, err := address.Parse("//shop.example/")
	fmt.Println(err)
	// Output:
	// http://shop.example/%E6%97%A5?q=(1)
	// no scheme: not an absolute URL: "//shop.example/"
}

func ExampleResolve() {
	base := address.Wire("https://shop.example/a/b?c")
	a, _ := address.Resolve(base, `\\www.shop.example\new #top`)
	fmt.Println(a)
	// Output: https://www.shop.example/new%20
}

func ExampleSpelling_Spell() {
	a := address.Wire("http://shop.example/wiki?page=%a4%c7%284%29")
	fmt.Println(address.Googlebot.Spell(a), address.Googlebot.Kinds(a))
	// Output: http://shop.example/wiki?page=%A4%C7(4) [( ) hex-case]
}

func ExampleCompare() {
	a := address.Wire("http://shop.example/wiki/%28a%29/index.html")
	b := address.Wire("https://www.shop.example/wiki/(a)/")
	fmt.Println(address.Compare(a, b))
	// Output: [index reserved scheme www]
}

func ExampleReadable() {
	text := address.Readable("http://shop.example/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29")
	fmt.Println(text.Text, text.Charset)
	// Output: http://shop.example/wiki.cgi?mod_cacheでWikiを高速化(4) euc-jp
}

func ExampleAlign() {
	for _, p := range address.Align("http://shop.example/%28a%29", "https://shop.example/(a)/") {
		fmt.Printf("%d %s\n", p.Kind, p.Text)
	}
	// Output:
	// 3 http
	// 2 https
	// 0 ://shop.example/
	// 1 (
	// 0 a
	// 1 )
	// 2 /
}
