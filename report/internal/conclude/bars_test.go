package conclude_test

import (
	"testing"

	"sitemend/report/internal/conclude"
)

// A share is written as 0 and 100 only where it is; near them it has a decimal.
func TestPercent(t *testing.T) {
	for _, x := range []struct {
		part, whole int
		want        string
	}{
		{0, 0, "0"}, {0, 1000, "0"}, {1000, 1000, "100"},
		{1, 3, "33"}, {2, 3, "67"}, {1, 2, "50"},
		{10, 1000, "1"}, {990, 1000, "99"}, {983, 1000, "98"}, {986, 1000, "99"}, {993, 1000, "99"}, {7, 1000, "1"},
		{997, 1000, "99.7"}, {3, 1000, "0.3"}, {995, 1000, "99.5"}, {5, 1000, "0.5"},
		{999_999, 1_000_000, "99.9"}, {1, 1_000_000, "0.1"},
	} {
		if got := conclude.Percent(x.part, x.whole); got != x.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", x.part, x.whole, got, x.want)
		}
	}
}
