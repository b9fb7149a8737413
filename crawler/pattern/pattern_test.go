package pattern_test

import (
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

func ExamplePair() {
	lead := func(n int) pattern.Pair {
		from, to := address.Wire(fmt.Sprintf("http://shop.example/item-%d", n)), address.Wire(fmt.Sprintf("https://shop.example/%d/", n))
		return pattern.Pair{From: from, To: to, Reasons: address.Compare(from, to)}
	}
	one, two := lead(7), lead(5000)
	a, _ := one.IDs()
	b, _ := two.IDs()
	for level := range pattern.Levels {
		if a[level] == b[level] && a[level] != 0 {
			var shape pattern.Shape
			shape.See(one.From)
			shape.See(two.From)
			fmt.Println(pattern.Text(one.Form(level).Rule.Terms(&shape)))
			break
		}
	}
	// Output:
	// http:// -> https://, /item-* -> /*, slash added at the end
}

// An address as long as is requested at most has no rule, and costs little.
func TestEndlessAddressesCostLittle(t *testing.T) {
	from := address.Wire("https://a.example/" + strings.Repeat("a-", 4000))
	pair := pattern.Pair{From: from, To: address.Wire("https://a.example/" + strings.Repeat("b-", 4000))}
	if ids, _ := pair.IDs(); ids[pattern.LevelRule] != 0 {
		t.Error("there is a rule")
	}
}
