package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// summary.json has the causes of the report, in its words and its order: also one that follows
// no rule says where its entries are.
func TestSummaryJSONHasTheCausesOfTheReport(t *testing.T) {
	result := shop()
	of := func(v audit.Verdict, g audit.Group, n int, locs ...string) audit.Cause {
		c := audit.Cause{Key: string(v), Verdict: v, Group: g, Count: n, Examples: locs}
		for _, loc := range locs {
			c.From.See(address.Wire(loc))
		}
		return c
	}
	result.Causes = []audit.Cause{
		of(audit.Noindex, audit.TakenOut, 4, "https://a.example/hidden/1/", "https://a.example/hidden/2/"),
		of(audit.Temporary, audit.NeedsDecision, 60, "https://a.example/stock/1/", "https://a.example/stock/2/"),
	}
	var b bytes.Buffer
	if err := WriteSummaryJSON(t.Context(), &b, result); err != nil {
		t.Fatal(err)
	}
	var s struct {
		Causes []struct{ ID, Title, Pattern, Rule, Who string }
	}
	if err := json.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	en := messages.Of("en")
	for _, c := range s.Causes {
		got = append(got, fmt.Sprintf("%s: %s: %s, %s (%s)", c.ID, c.Title, c.Pattern, c.Rule, c.Who))
	}
	for _, l := range conclude.Of(result, conclude.Options{}).Lanes {
		for _, c := range l.Causes {
			want = append(want, fmt.Sprintf("%s: %s: %s, %s (%s)", c.ID, c.Title.Plain(en), c.Pattern.Text(), c.Pattern.Text(), c.Who.Plain(en)))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the causes are\n%q, want\n%q", got, want)
	}
	if s.Causes[0].Title != "Page says noindex, removed (meant?)" || s.Causes[0].Rule != "/hidden/*/" {
		t.Errorf("the first is %+v", s.Causes[0])
	}
}
