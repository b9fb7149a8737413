package page_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/report/internal/page"
)

// The sides of a pair differ where their pieces say so, and there alone.
func TestSides(t *testing.T) {
	for _, x := range []struct{ from, to, listed, written string }{
		{"https://a.example/product.php?id=7", "https://a.example/products/7/", "https://a.example/[-product.php?id=]7", "https://a.example/[+products/]7[+/]"},
		{"http://a.example/", "https://a.example/", "[-http]://a.example/", "[+https]://a.example/"},
		{"https://a.example/%e3%81x", "https://a.example/%E3%81x", "https://a.example/[~%e3]%81x", "https://a.example/[~%E3]%81x"},
		{"https://a.example/%284%29", "https://a.example/(4)", "https://a.example/[~%28]4[~%29]", "https://a.example/[~(]4[~)]"},
		{"https://a.example/x", "https://a.example/x", "https://a.example/x", "https://a.example/x"},
	} {
		listed, written := page.Sides(x.from, x.to)
		if got := marked(listed); got != x.listed {
			t.Errorf("%s to %s: listed %s, want %s", x.from, x.to, got, x.listed)
		}
		if got := marked(written); got != x.written {
			t.Errorf("%s to %s: written %s, want %s", x.from, x.to, got, x.written)
		}
	}
}

func marked(list []page.Piece) string {
	var b strings.Builder
	for _, p := range list {
		if p.Same() {
			b.WriteString(p.Text())
		} else {
			b.WriteString("[" + string(p) + "]")
		}
	}
	return b.String()
}

// Each side spells its own address, whatever the two are.
func TestSidesSpellTheirAddresses(t *testing.T) {
	part := rapid.SampledFrom([]string{"/", "?", "&", "a", "b=", "%28", "(", "%e3", "%E3", "%", "%2", "x.html", "http://h", "https://h", ":8080"})
	rapid.Check(t, func(t *rapid.T) {
		from, to := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "from"), ""), strings.Join(rapid.SliceOfN(part, 1, 12).Draw(t, "to"), "")
		listed, written := page.Sides(from, to)
		for i, list := range [][]page.Piece{listed, written} {
			want := [2]string{from, to}[i]
			var b strings.Builder
			for _, p := range list {
				b.WriteString(p.Text())
			}
			if b.String() != want {
				t.Fatalf("%q to %q: a side spells %q, want %q", from, to, b.String(), want)
			}
		}
	})
}
