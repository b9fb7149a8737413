package page

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestBreaks(t *testing.T) {
	for _, want := range []string{
		"", "https://shop.example/|a-b/|c.html", "https://shop.example/|old?|id=|kettle&|lang=|de", "/old/|* → /|new/|*",
		"//cdn.example/|", "2026-11-22, 404 and kyoto-65430", "/カテゴリ/|茶碗/|急須.html", "a??|b", "?|a=|b",
	} {
		if got := strings.TrimSuffix(strings.Join(breaks(strings.ReplaceAll(want, "|", "")), "|"), "|"); got != strings.TrimSuffix(want, "|") {
			t.Errorf("lines end as in %q, want %q", got, want)
		}
	}
}

func TestBarIsFull(t *testing.T) {
	for _, counts := range [][]int{{1}, {1307, 1154, 246}, {999_999, 1}, {1, 999_999, 1, 1}, {0, 5, 0, 5}, {0, 0, 7}} {
		end, whole, of := "0.000%", 0, map[string]int{}
		for i, n := range counts {
			of[Kinds[i]] = n
			whole += n
		}
		for _, s := range Bar(of, whole) {
			x, w := thousandths(t, s.X), thousandths(t, s.W)
			if before := thousandths(t, end); x < before-1 || x > before+1 || w < 400 || s.Gap != (x > 0) {
				t.Errorf("%v: %+v stands after %s", counts, s, end)
			}
			end = percent(float64(x+w) / 1000)
		}
		if all := thousandths(t, end); all < 99_990 || all > 100_010 {
			t.Errorf("%v: the bar ends at %s", counts, end)
		}
	}
	if len(Bar(nil, 0)) != 0 {
		t.Error("a bar of nothing")
	}
}

func thousandths(t *testing.T, s string) int {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(math.Round(1000 * x))
}
