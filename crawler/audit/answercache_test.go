package audit_test

import (
	"fmt"
	"testing"

	"sitemend/crawler/audit"
)

// lookUps is a web that counts how often each answer is looked up.
type lookUps struct {
	web
	of map[audit.Request]int
}

func (l lookUps) Hop(r audit.Request) (audit.Hop, bool) {
	l.of[r]++
	return l.web.Hop(r)
}

// Entries in turns of 40 sections: what a section answers an address that cannot exist is looked
// up once, however many answers are at hand.
func TestMissingPageIsLookedUpOnce(t *testing.T) {
	const origin, missing = "http://a.example", "no-such-page"
	rules := audit.Rules{MissingPath: missing, Sections: map[string][]string{}}
	mem := lookUps{web{}, map[audit.Request]int{}}
	answer := func(url string, status int) {
		r := audit.Request{URL: url}
		mem.web[r] = audit.Hop{Request: r, Status: status}
	}
	answer(origin+"/"+missing, 404)
	var places []string
	for s := range 40 {
		place := fmt.Sprintf("s%d", s)
		rules.Sections[origin] = append(rules.Sections[origin], place)
		places = append(places, origin+"/"+place+"/")
		answer(places[s]+missing, 404)
	}
	cache := audit.NewAnswerCache(mem, 1)
	for n := range 400 {
		loc := fmt.Sprintf("%s%d", places[n%len(places)], n)
		answer(loc, 200)
		row := audit.Judge(cache, audit.Entry{N: n, Loc: loc}, &rules, audit.Want{})
		if row.Verdict != audit.OK {
			t.Fatalf("%s is %s", loc, row.Verdict)
		}
	}
	for _, place := range append(places, origin+"/") {
		if n := mem.of[audit.Request{URL: place + missing}]; n != 1 {
			t.Errorf("%s%s was looked up %d times", place, missing, n)
		}
	}
}
