package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"sitemend/crawler/audit"
)

// Causes are told lane by lane, in a lane those of the most entries first: what could not
// be checked comes last, however many entries that are.
func TestCausesLaneByLane(t *testing.T) {
	var causes audit.Causes
	n := 0
	for _, x := range []struct {
		verdict audit.Verdict
		action  audit.Action
		rows    int
	}{
		{audit.Unverified, audit.Keep, 30}, {audit.Moved, audit.Replace, 12}, {audit.NotFound, audit.Drop, 20}, {audit.Loop, audit.Keep, 1},
		{audit.SpellingBounce, audit.Keep, 7}, {audit.Temporary, audit.Keep, 3}, {audit.OK, audit.Keep, 99},
	} {
		for range x.rows {
			n++
			r := audit.Row{Entry: audit.Entry{N: n, Loc: fmt.Sprint("http://a.example/", n)}, Verdict: x.verdict, Fix: audit.Fix{Action: x.action}}
			causes.Add(&r)
		}
	}
	var got []string
	for _, c := range causes.List() {
		got = append(got, fmt.Sprint(c.Group.Lane(), " ", c.Verdict, " ", c.Count))
	}
	want := []string{"upload not-found 20", "upload moved 12", "decide temporary 3", "decide loop 1", "spelling spelling-bounce 7", "unseen unverified 30"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// What was not checked, or is right in itself, is no error.
func TestErrorRate(t *testing.T) {
	for _, v := range audit.Verdicts() {
		c := audit.Counts{Entries: 4, Verdicts: map[audit.Verdict]int{v: 4}}
		if (c.ErrorRate() != 0) != v.Problem() {
			t.Errorf("the error rate of %s is %v", v, c.ErrorRate())
		}
	}
}
