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

func ExampleReadable() {
	text := address.Readable("http://shop.example/wiki.cgi?mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD%284%29")
	fmt.Println(text.Text, text.Charset)
	// Output: http://shop.example/wiki.cgi?mod_cacheでWikiを高速化(4) euc-jp
}
