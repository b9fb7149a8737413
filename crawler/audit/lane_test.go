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

// Every group but those of which there is nothing to settle is in a lane.
func TestLanes(t *testing.T) {
	for _, g := range audit.Groups() {
		if settled := g == audit.Fine || g == audit.LeftOut; slices.Contains(audit.Lanes(), g.Lane()) == settled {
			t.Errorf("%s is in lane %q", g, g.Lane())
		}
	}
}

// An audit is clean only where every entry is fine and no file has an error.
func TestClean(t *testing.T) {
	of := func(counts map[audit.Verdict]int, faults ...string) *audit.Result {
		result := audit.Result{Counts: audit.Counts{Verdicts: counts}, Files: []audit.File{{}}}
		for _, n := range counts {
			result.Counts.Entries += n
		}
		for _, severity := range faults {
			result.Files[0].Sitemap.Faults = append(result.Files[0].Sitemap.Faults, audit.SitemapFault{Severity: severity})
		}
		return &result
	}
	for _, v := range audit.Verdicts() {
		if result := of(map[audit.Verdict]int{audit.OK: 3, v: 1}); result.Clean() != (v == audit.OK) {
			t.Errorf("clean with %s: %v", v, result.Clean())
		}
		// What was not checked, or is right in itself, is no error.
		if result := of(map[audit.Verdict]int{v: 4}); (result.Counts.ErrorRate() != 0) != v.Problem() {
			t.Errorf("the error rate of %s is %v", v, result.Counts.ErrorRate())
		}
	}
	if of(nil).Clean() || of(map[audit.Verdict]int{audit.OK: 1}, "error").Clean() || !of(map[audit.Verdict]int{audit.OK: 1}, "warning").Clean() {
		t.Error("clean without an entry, with an error, or not with a warning")
	}
	for _, n := range []audit.Note{audit.NeedsJavaScript, audit.ScriptRedirect, audit.Truncated} {
		open := of(map[audit.Verdict]int{audit.OK: 1})
		if open.Counts.Notes = map[audit.Note]int{n: 1}; open.Clean() || !open.AllFine() {
			t.Errorf("clean with %s", n)
		}
	}
	back := of(map[audit.Verdict]int{audit.OK: 1})
	if back.Back.Unlisted = 1; back.Clean() || !back.AllFine() {
		t.Error("clean beside an address that is to be listed again")
	}
	partial := of(map[audit.Verdict]int{audit.OK: 1})
	if partial.Info.Partial = true; partial.Clean() {
		t.Error("a part is clean")
	}
}
