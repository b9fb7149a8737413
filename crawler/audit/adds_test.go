package audit_test

import (
	"fmt"
	"maps"
	"testing"
)

// A parameter that redirects add to ten addresses or more, which are otherwise those that are listed,
// is no new address of these pages: it may be a test for cookies.
func TestAddedParameter(t *testing.T) {
	for _, x := range []struct {
		n           int
		adds, wants string
	}{
		{9, "?gate=1", "moved query | replace http://a.example/p0?gate=1"},
		{10, "?gate=1", "moved query | keep | session"},
		{10, "/?gate=1", "moved query slash | keep | session"},
		{10, "/", "moved slash | replace http://a.example/p0/"},
	} {
		s := &site{web: web{}}
		var locs []string
		for i := range x.n {
			l := fmt.Sprintf("http://a.example/p%d", i)
			maps.Copy(s.web, parseWeb(t, l+" 301 "+l+x.adds+"\n"+l+x.adds+" 200\n"))
			locs = append(locs, l)
		}
		s.list(map1, locs...)
		if got := rowsOf(t, s.evaluate(t, rules()), 0); got[0] != x.wants {
			t.Errorf("%d, %s: %s, want %s", x.n, x.adds, got[0], x.wants)
		}
	}
}
