package page

import (
	"slices"
	"strings"
	"testing"
)

// A line ends at the joints of an address. | is where it may, ' where one text ends and the next
// begins.
func TestBreaks(t *testing.T) {
	for _, want := range []string{
		"",
		"https://shop.example/|a-b/|c.html",
		"https://shop.example/|old-shop/|page?|id=|kettle&|lang=|deu",
		"Moved from /product.php to /products/|kettle-blue-",
		"/old/* → /new/*",
		"//cdn.example/|ab/",
		"2026-11-22 to 2026-11-29, 404, and kyoto-65430",
		"/%E3%83%AA/",
		"/ja/|%E3|%83|%AA|%E3|%83|%AA|%E3|%83|%AA|%E3|%83|%AA|%E3|%83|%AA",
		"http://'www.'shop.example/|'kettles/'|blue/",
		"/'products/|'kettle-'*'/",
		"/カテゴリ/|茶碗/|急須.html",
	} {
		in := strings.ReplaceAll(want, "|", "")
		texts := strings.Split(in, "'")
		got := Breaks(texts...)
		var cut []string
		for _, lines := range got {
			cut = append(cut, strings.Join(lines, "|"))
		}
		// At the end of a text a line ends there or at the beginning of the next, which is the same.
		if said, want := strings.ReplaceAll(strings.Join(cut, "'"), "|'", "'|"), strings.ReplaceAll(want, "|'", "'|"); said != want {
			t.Errorf("lines end as in %q, want %q", said, want)
		}
	}
}

// Whatever texts there are: of each stand its own bytes, in order.
func FuzzBreaks(f *testing.F) {
	f.Add("https://shop.example/a-b?", "c=%E3%83%AA%E3%83%AA%E3%83%AA%E3%83%AA%E3%83%AA%E3%83%AA")
	f.Fuzz(func(t *testing.T, one, two string) {
		got := Breaks(one, two)
		if said := []string{strings.Join(got[0], ""), strings.Join(got[1], "")}; !slices.Equal(said, []string{one, two}) {
			t.Errorf("%q and %q became %q", one, two, got)
		}
	})
}
