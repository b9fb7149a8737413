package audit_test

import (
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// What is reported adds up by class, by what it comes to and by reason, however many reasons
// an export has.
func TestReportedAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sc audit.SearchConsole
		n := rapid.IntRange(0, 300).Draw(t, "addresses")
		reasons := rapid.IntRange(1, 60).Draw(t, "reasons")
		for i := range n {
			r := audit.ReportedRow{Class: rapid.SampledFrom(audit.Classes()).Draw(t, "class"),
				Advice: rapid.SampledFrom([]audit.Advice{audit.AdviceGoogles, audit.AdviceWhoAsks, audit.AdviceUnseen, audit.AdviceOtherSite}).Draw(t, "advice")}
			r.Entry.Reported.Reason = audit.Label(rune('a' + i%reasons))
			sc.Add(&r)
		}
		result := sc.Reasons()
		if len(result) > 21 || sc.WhoAsks > sc.Upshots[audit.UpshotAnswers] {
			t.Fatalf("%d reasons, %+v", len(result), sc)
		}
		classes, addresses, upshots := 0, 0, map[audit.Upshot]int{}
		for _, n := range sc.Classes {
			classes += n
		}
		for i, x := range result {
			addresses += x.Addresses
			sum := 0
			for u, n := range x.Upshots {
				upshots[u] += n
				sum += n
			}
			if sum != x.Addresses || x.Rest != (i == 20) || i > 0 && !x.Rest && result[i-1].Addresses < x.Addresses {
				t.Fatalf("reason %d: %+v", i, x)
			}
		}
		if classes != n || addresses != n || sc.Addresses != n {
			t.Fatalf("%d addresses, %d by class, %d by reason", n, classes, addresses)
		}
		for _, u := range audit.Upshots() {
			if upshots[u] != sc.Upshots[u] {
				t.Fatalf("%s: %d by reason, %d in all", u, upshots[u], sc.Upshots[u])
			}
		}
	})
}
