package serve

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An address is found as listed, in wire form and as people read it.
func TestSearchFinds(t *testing.T) {
	s := newSite(t, shops())
	const category = "https://shop.example/カテゴリ?a=(1)"
	const euc = "http://wiki.example/?高速化(4)"
	heading := regexp.MustCompile(`<h2 class="addr"[^>]*><bdi[^>]*>([^<]*)</bdi>( <span class="sm">)?`)
	for query, want := range map[string][]string{
		"https://shop.example/gone": {"https://shop.example/gone"},
		"HTTPS://Shop.Example/GONE": {"https://shop.example/gone"},
		"/gone":                     {"https://shop.example/gone"},
		" gone ":                    {"https://shop.example/gone"},
		"カテゴリ":                      {category},
		"%E3%82%AB":                 {category},
		"https://shop.example/%E3%82%AB%E3%83%86%E3%82%B4%E3%83%AA?a=(1)": {category},
		"https://shop.example/%e3%82%ab%e3%83%86%e3%82%b4%e3%83%aa?a=%28": {category},
		"高速化":    {euc},
		"%b9%E2": {euc},
		"http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29": {euc},
		`\u202E`:                   nil,
		"nowhere":                  nil,
		"https://shop.example/new": {"https://shop.example/new"},
	} {
		body := unbroken(ask(s, "GET", "search?q="+escapedQuery(query)))
		var got []string
		for _, m := range heading.FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", query, got, want)
		}
	}
}

func escapedQuery(q string) string {
	return strings.NewReplacer("%", "%25", " ", "+", "&", "%26", "#", "%23", `\`, "%5C").Replace(q)
}
