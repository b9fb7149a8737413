package audit_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// An outcome that is kept makes of each entry the row that Judge makes of it.
func TestOutcomeIsAsJudged(t *testing.T) {
	kept := map[audit.Action]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s, info := drawSite(rt)
		for _, e := range s.entries {
			want, got, ok := audit.BothWays(s.web, e, &info.Rules)
			if !ok {
				continue
			}
			kept[want.Fix.Action]++
			if !reflect.DeepEqual(got, want) {
				rt.Fatalf("%s\ngot  %+v\nwant %+v", e.Loc, got, want)
			}
		}
	})
	for _, action := range []audit.Action{audit.Keep, audit.Replace, audit.Drop} {
		if kept[action] == 0 {
			t.Errorf("no entry with the action %s was compared", action)
		}
	}
}
