package pattern_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

func shapeOf(locs ...string) *pattern.Shape {
	var s pattern.Shape
	for _, loc := range locs {
		s.See(address.Wire(loc))
	}
	return &s
}

func shapeText(s *pattern.Shape) string {
	origin, head, tail := s.Parts()
	if s.One() {
		return origin + head
	}
	return origin + head + "*" + tail
}

func TestShapes(t *testing.T) {
	for want, locs := range map[string]string{
		"https://a.example/products/*":       "https://a.example/products/blue https://a.example/products/red",
		"https://a.example/products/*/":      "https://a.example/products/blue/ https://a.example/products/red/",
		"https://a.example/product.php?id=*": "https://a.example/product.php?id=71 https://a.example/product.php?id=72",
		"https://a.example/blog/*.html":      "https://a.example/blog/x.html https://a.example/blog/y/z.html",
		"https://a.example/p/*/?color=red":   "https://a.example/p/a/?color=red https://a.example/p/b/?color=red",
		"https://a.example/*/feed":           "https://a.example/x/feed https://a.example/y/feed",
		"https://a.example/item-*":           "https://a.example/item-1 https://a.example/item-22",
		"https://a.example/a":                "https://a.example/a https://a.example/a",
		"https://a.example/a/*":              "https://a.example/a/ https://a.example/a/b/",
		"https://*/a":                        "https://a.example/a https://b.example/a",
		"*/a":                                "https://a.example/a http://a.example/a",
		"https://a.example/*":                "https://a.example/about https://a.example/team",
		"https://a.example/ja/*":             "https://a.example/ja/%E3%82%AB https://a.example/ja/%E3%82%AD",
		"https://a.example/wiki/index.php?*": "https://a.example/wiki/index.php?a=1 https://a.example/wiki/index.php?b=1",
		"https://a.example/only/one?x":       "https://a.example/only/one?x",
	} {
		if got := shapeText(shapeOf(strings.Fields(locs)...)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", locs, got, want)
		}
	}
}

// A shape covers each address that it saw, in whatever order they came.
func TestShapeLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		locs := rapid.SliceOfN(rapid.StringMatching(`https?://[ab]\.example/([ab]{0,2}/){0,2}[ab.?=-]{0,4}`), 1, 6).Draw(rt, "locs")
		s := shapeOf(locs...)
		for _, loc := range locs {
			a := address.Wire(loc)
			_, head, tail := s.Parts()
			if s.One() && a.Target() != head {
				rt.Fatalf("%s is not %s", loc, head)
			}
			if !strings.HasPrefix(a.Target(), head) || !strings.HasSuffix(a.Target()[len(head):], tail) {
				rt.Fatalf("%s is no %s*%s", loc, head, tail)
			}
		}
		slices.Reverse(locs)
		if turned := shapeText(shapeOf(locs...)); turned != shapeText(s) {
			rt.Fatalf("in another order it is %s, not %s", turned, shapeText(s))
		}
	})
}
