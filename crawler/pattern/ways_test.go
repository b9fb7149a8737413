package pattern_test

import (
	"slices"
	"testing"

	"sitemend/crawler/pattern"
)

// A way leads to wider ones until there is none.
func TestWiderWays(t *testing.T) {
	for of, want := range map[pattern.Place][]pattern.Place{
		"a.example/a/b/* -> www.a.example/a/blue/*": {"a.example/a/* -> www.a.example/a/*", "a.example/* -> www.a.example/*"},
		"/a/b/* -> /c/*":                              {"/a/* -> /c/*"},
		"/show?lang=* -> /show/*":                     {"/* -> /show/*"},
		"/a/b/item.php?id=* -> /a/items/*":            {"/a/* -> /a/*"},
		"a.example/item?id=* -> www.a.example/item/*": {"a.example/* -> www.a.example/item/*", "a.example/* -> www.a.example/*"},
		"/tag/*": nil,
		"":       nil,
	} {
		var got []pattern.Place
		for p := of.Wider(); p != ""; p = p.Wider() {
			got = append(got, p)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", of, got, want)
		}
	}
}
