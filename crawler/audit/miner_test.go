package audit

import (
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

func Example_miner() {
	m := miner[string, pattern.Shape, string]{See: func(g *mined[string, pattern.Shape], p *pattern.Pair, _ string) { g.Sum.See(p.From) }}
	for n := range 9 {
		from, to := address.Wire(fmt.Sprintf("http://shop.example/item-%d", n)), address.Wire(fmt.Sprintf("https://shop.example/%d/", n))
		m.Add("moved", 0, pattern.Pair{From: from, To: to, Reasons: address.Compare(from, to)}, "")
	}
	m.Add("gone", 0, pattern.Pair{From: address.Wire("http://shop.example/lost")}, "")
	m.Settle()
	for _, g := range m.Groups {
		fmt.Println(g.Kind, pattern.Text(g.Form.Terms(&g.Sum)))
	}
	// Output:
	// moved http:// -> https://, /item-* -> /*, slash added at the end
	// gone
}

// An address as long as is requested at most has no rule, and costs little.
func TestEndlessAddressesCostLittle(t *testing.T) {
	m := miner[string, int, string]{See: func(*mined[string, int], *pattern.Pair, string) {}}
	for range 20 {
		m.Add("moved", 0, pattern.Pair{From: address.Wire("https://a.example/" + strings.Repeat("a-", 4000)), To: address.Wire("https://a.example/" + strings.Repeat("b-", 4000))}, "")
	}
	m.Settle()
	for _, g := range m.Groups {
		if text := pattern.Text(g.Form.Terms(&pattern.Shape{})); strings.Contains(text, "a-") {
			t.Errorf("there is a rule: %s", text)
		}
	}
}
