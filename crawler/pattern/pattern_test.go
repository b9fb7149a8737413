package pattern_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// mined returns a miner that has seen the pairs of "from to" lines.
func mined(t testing.TB, text string) (*pattern.Miner, [][2]address.Address) {
	t.Helper()
	var all [][2]address.Address
	m := &pattern.Miner{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		pair := [2]address.Address{}
		for i, s := range []string{from, to} {
			a, err := address.Parse(s)
			if err != nil {
				t.Fatal(err)
			}
			pair[i] = a
		}
		all = append(all, pair)
		m.See(pair[0], pair[1], address.Compare(pair[0], pair[1]))
	}
	m.Choose()
	return m, all
}

// said returns the rule that all pairs follow; "" where one follows none.
func said(m *pattern.Miner, pairs [][2]address.Address) string {
	var prefix pattern.Prefix
	var rule *pattern.Rule
	for _, p := range pairs {
		r, _ := m.Explain(p[0], p[1], address.Compare(p[0], p[1]))
		if r == nil {
			return ""
		}
		rule = r
		prefix.See(r, p[0])
	}
	return pattern.Text(rule.Terms(&prefix))
}

func TestRulesOfRedirects(t *testing.T) {
	for want, line := range map[string]string{
		"http:// -> https://":                         "http://a.example/p%d https://a.example/p%[1]d",
		"a.example -> www.a.example":                  "http://a.example/p%d http://www.a.example/p%[1]d",
		"slash added at the end":                      "http://a.example/p%d http://a.example/p%[1]d/",
		".html removed":                               "http://a.example/p%d.html http://a.example/p%[1]d",
		"index.php removed":                           "http://a.example/p%d/index.php http://a.example/p%[1]d/",
		"%28 %29 -> ( )":                              "http://a.example/p%d_%%28x%%29 http://a.example/p%[1]d_(x)",
		"lower case":                                  "http://a.example/P%d http://a.example/p%[1]d",
		"/blog/* -> /news/*":                          "http://a.example/blog/p%d http://a.example/news/p%[1]d",
		"parameter ref removed":                       "http://a.example/p?ref=mail&id=%d http://a.example/p?id=%[1]d",
		"/old/* -> http://a.example/":                 "http://a.example/old/p%d http://a.example/",
		"http:// -> https://, slash added at the end": "http://a.example/p%d https://a.example/p%[1]d/",
	} {
		var lines strings.Builder
		for i := range 6 {
			fmt.Fprintf(&lines, line+"\n", i)
		}
		m, all := mined(t, lines.String())
		if got := said(m, all); got != want {
			t.Errorf("%s:\n got %q\nwant %q", line, got, want)
		}
	}
}

// Few redirects make no rule, except one about the spelling of an address: that describes two
// completely, but one does not make a rule.
func TestFewRedirectsHaveNoRule(t *testing.T) {
	const moves, written = "http://a.example/a/%d http://a.example/b/%[1]d\n", "http://a.example/%d https://a.example/%[1]d\n"
	for _, c := range []struct {
		line string
		n    int
		want string
	}{{moves, 4, ""}, {moves, 5, "/a/* -> /b/*"}, {written, 1, ""}, {written, 2, "http:// -> https://"}} {
		var lines strings.Builder
		for i := range c.n {
			fmt.Fprintf(&lines, c.line, i)
		}
		m, all := mined(t, lines.String())
		if got := said(m, all); got != c.want {
			t.Errorf("%d redirects follow %q, want %q", c.n, got, c.want)
		}
	}
}

// A rule that explains a pair leads from one address to the other, byte for byte.
func TestRulesReproduce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.StringMatching(`[a-zA-Z0-9%_.()-]{0,8}`)
		draw := func(label string) string {
			s := rapid.SampledFrom([]string{"http", "https"}).Draw(rt, label) + "://" + rapid.SampledFrom([]string{"a.example", "www.a.example"}).Draw(rt, label)
			for range rapid.IntRange(0, 3).Draw(rt, label) {
				s += "/" + part.Draw(rt, label)
			}
			if rapid.Bool().Draw(rt, label) {
				s += "?" + part.Draw(rt, label) + "=" + part.Draw(rt, label)
			}
			return s
		}
		var m pattern.Miner
		var all [][2]address.Address
		for range rapid.IntRange(1, 12).Draw(rt, "pairs") {
			from, err1 := address.Parse(draw("from"))
			to, err2 := address.Parse(draw("to"))
			if err1 != nil || err2 != nil {
				continue
			}
			for range rapid.IntRange(1, 6).Draw(rt, "times") {
				m.See(from, to, address.Compare(from, to))
			}
			all = append(all, [2]address.Address{from, to})
		}
		m.Choose()
		for _, p := range all {
			rule, id := m.Explain(p[0], p[1], address.Compare(p[0], p[1]))
			if rule == nil {
				continue
			}
			if got := rule.Apply(p[0]); got != p[1].String() {
				rt.Fatalf("%s leads to %s by %q, not to %s", p[0], got, rule.Key(), p[1])
			}
			if again, same := m.Explain(p[0], p[1], address.Compare(p[0], p[1])); same != id || again == nil {
				rt.Fatalf("asked again, %s has another rule", p[0])
			}
		}
	})
}

// A place is named where most of its addresses have the finding.
func TestPlaces(t *testing.T) {
	var p pattern.Places[string]
	gone := "404"
	at := func(path string) address.Address { return address.Wire("http://a.example" + path) }
	for i := range 20 {
		p.See(at(fmt.Sprintf("/tag/%d", i)), &gone)
		p.See(at(fmt.Sprintf("/page/%d", i)), nil)
	}
	p.Choose()
	if got := p.At(at("/tag/3"), gone); got != "/tag/*" || p.Entries(got) != 20 {
		t.Errorf("the place is %q with %d entries", got, p.Entries(got))
	}
	if got := p.At(at("/page/3"), gone); got != "" {
		t.Errorf("/page/3 is in %q", got)
	}
}

func ExampleMiner() {
	var m pattern.Miner
	lead := func(n int) (from, to address.Address) {
		return address.Wire(fmt.Sprintf("http://shop.example/item-%d", n)), address.Wire(fmt.Sprintf("https://shop.example/%d/", n))
	}
	for n := range 10 {
		from, to := lead(n)
		m.See(from, to, address.Compare(from, to))
	}
	m.Choose()
	from, to := lead(7)
	rule, _ := m.Explain(from, to, nil)
	fmt.Println(pattern.Text(rule.Terms(&pattern.Prefix{})))
	fmt.Println(rule.Apply(address.Wire("http://shop.example/item-5000")))
	// Output:
	// http:// -> https://, /item-* -> /*, slash added at the end
	// https://shop.example/5000/
}
