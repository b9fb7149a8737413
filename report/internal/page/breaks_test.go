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
		"/ja/|%E3%83%AA|%e3%83%aa|%E3%83%AA|%20|%C3%A9|%41|%E3%83%AA|%F0%9F%8D%B5",
		"/ja/|%83%8A|%83%8A|%83%8A|%83%8A|%83%8A|%83%8A|%83", // Shift_JIS
		"/ja/|%A4%C7W%A4%F2|%B9%E2|%C2%AE|%B2%BD|%28|%30",    // EUC-JP
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
		// At the end of a text a line ends there or at the beginning of the next, which is the
		// same.
		if said, want := strings.ReplaceAll(strings.Join(cut, "'"), "|'", "'|"), strings.ReplaceAll(want, "|'", "'|"); said != want {
			t.Errorf("lines end as in %q, want %q", said, want)
		}
	}
}

// The addresses of a sentence stand between brackets.
func TestWordParts(t *testing.T) {
	for _, want := range []string{
		"",
		"Not found (404/410)",
		"Moved from [/product.php] to [/products/kettle-blue-]",
		"[/product.php]から[/products/blue-]へ移動",
		"[https://a.example/]から[/b/、]へ移動",
	} {
		var got strings.Builder
		for _, p := range wordParts(strings.NewReplacer("[", "", "]", "").Replace(want)) {
			if p.Address {
				p.Text = "[" + p.Text + "]"
			}
			got.WriteString(p.Text)
		}
		if got.String() != want {
			t.Errorf("%s: the addresses are found as in %s", want, got.String())
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
