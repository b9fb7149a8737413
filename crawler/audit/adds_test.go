package audit_test

import (
	"fmt"
	"maps"
	"testing"
)

// A parameter that redirects add to ten addresses or more, which are otherwise those that are listed,
// is no new address of these pages: it may be a test for cookies.
func TestAddedParameter(t *testing.T) {
	for n, want := range map[int]string{9: "moved query | replace http://a.example/p0?gate=1", 10: "moved query | keep | session"} {
		s := &site{web: web{}}
		var locs []string
		for i := range n {
			l := fmt.Sprintf("http://a.example/p%d", i)
			maps.Copy(s.web, parseWeb(t, l+" 301 "+l+"?gate=1\n"+l+"?gate=1 200\n"))
			locs = append(locs, l)
		}
		s.list(map1, locs...)
		if got := rowsOf(t, s.evaluate(t, rules()), 0); got[0] != want {
			t.Errorf("%d: %s, want %s", n, got[0], want)
		}
	}
}
