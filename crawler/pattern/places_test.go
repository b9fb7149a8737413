package pattern_test

import (
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// The place with more findings comes first, even with millions of them.
func TestPlacesOfMillions(t *testing.T) {
	const many, fewer = 3_000_000, 1_100_000
	var p pattern.Places[string]
	finding := "not-found"
	for in, n := range map[string]int{"*.html": many, "/old/*": fewer} {
		at := address.Wire("https://shop.example/x.html")
		if in == "/old/*" {
			at = address.Wire("https://shop.example/old/x")
		}
		for range n {
			p.See(at, &finding)
		}
	}
	p.Choose()
	both := address.Wire("https://shop.example/old/x.html")
	if got := p.At(both, finding); got != "*.html" {
		t.Errorf("it is in %q, with %d findings, want *.html with %d", got, p.Entries(got), many)
	}
}
