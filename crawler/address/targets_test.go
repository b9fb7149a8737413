package address_test

import (
	"testing"

	"sitemend/crawler/address"
)

func TestSameTargets(t *testing.T) {
	for _, c := range []struct {
		a, b []string
		same bool
	}{
		{[]string{"http://shop.example"}, []string{"HTTP://SHOP.example:80/"}, true},
		{[]string{"http://a.example/a.xml", "http://a.example/b.xml"}, []string{"http://a.example/b.xml", "http://a.example/a.xml"}, true},
		{[]string{"http://a.example/a.xml"}, []string{"http://a.example/A.xml"}, false},
		{[]string{"http://a.example"}, []string{"https://a.example"}, false},
		{[]string{"http://a.example"}, []string{"http://a.example", "http://b.example"}, false},
		{[]string{"a.xml"}, []string{"A.xml"}, false},
		{nil, []string{"-"}, false},
	} {
		if got := address.SameTargets(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
