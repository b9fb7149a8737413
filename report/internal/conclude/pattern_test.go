package conclude

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A pattern is readable, unless the escapes are what differs.
func TestPatternsAreReadable(t *testing.T) {
	const cup = "https://a.example/%E3%82%AB%E3%83%83%E3%83%97/"
	for _, c := range []struct{ from, to, text string }{
		{cup + "1", "https://a.example/cups/1", "/カップ/1 -> /cups/1"},
		{"https://a.example/old", "https://a.example/new", "/old -> /new"},
		{"https://a.example/%e3%82%ab", "https://a.example/%E3%82%AB", "/%e3%82%ab -> /%E3%82%AB"},
		{"https://a.example/cafe%CC%81", "https://a.example/caf%C3%A9", "/cafe%CC%81 -> /caf%C3%A9"},
	} {
		x := audit.Cause{Count: 1, Targets: 1, Examples: []audit.Example{{Listed: c.from, Final: c.to}}}
		x.From.See(address.Wire(c.from))
		x.To.See(address.Wire(c.to))
		if p := patternOf(&x); p.Text() != c.text {
			t.Errorf("got %q, want %q", p.Text(), c.text)
		}
	}
}

// However long the addresses are that have something in common, a pattern can be read.
func TestPatternsOfLongAddressesAreBounded(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", 4000) + "/%E3%82%AB" + strings.Repeat("y", 4000) + "/"
	x := audit.Cause{Count: 2, Targets: 2}
	for _, last := range []string{"1", "2"} {
		x.From.See(address.Wire(long + last))
		x.To.See(address.Wire("https://a.example/z/" + last))
	}
	p := patternOf(&x)
	if text := p.Text(); len(text) > 500 || !strings.HasPrefix(text, "/xxx") || !strings.HasSuffix(text, "/* -> /z/*") {
		t.Errorf("%d characters: %s", len(text), text)
	}
}
