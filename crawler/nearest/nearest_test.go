package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/nearest"
)

func at(path string) address.Address { return address.Wire("https://shop.example" + path) }

// page parses a path and the title of its page, separated by a bar.
func page(text string) (address.Address, string) {
	path, title, _ := strings.Cut(text, " | ")
	return at(path), title
}

func TestThePageThatItBecame(t *testing.T) {
	for _, c := range []struct{ what, old, pages, want string }{
		{"the last segment", "/2019/blue-plates.html", "/shop/blue-plates\n/shop/red-plates", "/shop/blue-plates 1.00"},
		{"the last segment in another case", "/Blue-Plates", "/shop/blue-plates/", "/shop/blue-plates/ 1.00"},
		{"the last segment, escaped", "/old/%E7%9A%BF%E3%81%A8%E7%AE%B8", "/shop/%e7%9a%bf%e3%81%a8%e7%ae%b8", "/shop/%e7%9a%bf%e3%81%a8%e7%ae%b8 1.00"},
		{"an id", "/product.php?id=48151", "/shop/big-bowl-48151\n/shop/big-bowl-48152", "/shop/big-bowl-48151 1.00"},
		{"another id", "/shop/item/1001/reviews", "/shop/item/1002/reviews", ""},
		{"another id in the parameters", "/shop/big-bowls?id=48151", "/shop/big-bowls-new?id=48152", ""},
		{"another number", "/shop/old-bowl-17", "/shop/old-bowl-18", ""},
		{"a number that is gone", "/2019/03/05/blue-plates", "/blog/blue-plates", "/blog/blue-plates 1.00"},
		{"a date that changed", "/2019/03/05/blue-plates", "/2020/04/06/blue-plates", "/2020/04/06/blue-plates 1.00"},
		{"a year is no id", "/2019/a", "/news/2019", ""},
		{"two with the same name", "/old/contact", "/en/contact\n/de/contact", ""},
		{"a name that many have", "/a/index.html", "/b/index.html", ""},
		{"alike", "/shop/blue-plate", "/shop/blue-plates\n/shop/bowls", "/shop/blue-plates 0.80"},
		{"two as alike", "/shop/plate-blue-a", "/shop/plate-blue-b\n/shop/plate-blue-c", ""},
		{"not alike enough", "/shop/blue-plates-sale", "/imprint/shop", ""},
		{"by path and title", "/shop/blue-plates-old", "/shop/p17 | Blue plates, old shop\n/shop/p18 | Bowls", "/shop/p17 0.67"},
		{"a page that comes twice is one", "/2019/blue-plates.html", "/shop/blue-plates\n/shop/blue-plates", "/shop/blue-plates 1.00"},
		{"itself is none", "/shop/blue-plates", "/shop/blue-plates", ""},
		{"the root", "/", "/shop", ""},
	} {
		old, _ := page(c.old)
		f := nearest.New(1)
		if !f.Ask(7, old) || f.Ask(8, old) || f.Len() != 1 {
			t.Fatal("a Finder for one takes one")
		}
		for text := range strings.Lines(c.pages) {
			f.Page(page(strings.TrimSuffix(text, "\n")))
		}
		got := ""
		if m, ok := f.Found(7); ok {
			got = fmt.Sprintf("%s %.2f", m.Address.Target(), m.Similarity)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
		if _, ok := f.Found(8); ok {
			t.Errorf("%s: a page is named that nobody asked for", c.what)
		}
	}
}
