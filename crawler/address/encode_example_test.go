package address_test

import (
	"fmt"

	"sitemend/crawler/address"
)

func ExampleEncodeValue() {
	page, _ := address.EncodeText("mod_cacheでWikiを高速化(4)", "euc-jp")
	fmt.Println("http://wiki.example/wiki/wiki.cgi?" + address.EncodeValue(page))
	// Output: http://wiki.example/wiki/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)
}

func ExampleEncodeText() {
	_, err := address.EncodeText("雪だるま☃", "euc-jp")
	fmt.Println(err)
	// Output: there is no ☃ (U+2603) in charset euc-jp at byte 12
}

func ExampleDecodeText() {
	octets := address.DecodeValue("mod_cache%A4%C7Wiki")
	name, _ := address.GuessCharset(octets, "wiki.example.jp")
	text, _ := address.DecodeText(octets, name)
	fmt.Println(text, name)
	// Output: mod_cacheでWiki euc-jp
}

func ExampleChoices() {
	a, _ := address.Parse("http://shop.example/a(1)?q=x%20y")
	choices := address.Choices(a)
	for _, c := range choices {
		fmt.Println(c.Spelt, c.Other, c.Why)
	}
	fmt.Println(address.Choose(a, choices))
	// Output:
	// ( %28 reserved
	// ) %29 reserved
	// %20 + space
	// http://shop.example/a%281%29?q=x+y
}
