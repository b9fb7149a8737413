package audit_test

import (
	"slices"
	"testing"

	"sitemend/crawler/audit"
)

// What a verdict is stands in one table, and nothing of it is left open: who adds a verdict
// says all of it, or is told here what is missing.
func TestFactsOfVerdictsAreWhole(t *testing.T) {
	seen := map[audit.Verdict]bool{}
	for _, v := range audit.Verdicts() {
		f := v.Facts()
		if f.Verdict != v || seen[v] {
			t.Errorf("%s: its facts are those of %q", v, f.Verdict)
		}
		seen[v] = true
		if !slices.Contains(audit.Groups(), f.Group) {
			t.Errorf("%s: group %q", v, f.Group)
		}
		if !slices.Contains([]string{"generator", "server", "cms", "nobody"}, f.Who) {
			t.Errorf("%s: who %q", v, f.Who)
		}
		if !slices.Contains([]string{"error", "warning", "note"}, f.Severity) {
			t.Errorf("%s: severity %q", v, f.Severity)
		}
		if !slices.Contains([]audit.Action{audit.Keep, audit.Replace, audit.Drop}, f.Fix) {
			t.Errorf("%s: fix %q", v, f.Fix)
		}
		if !slices.Contains([]audit.Lead{audit.LeadUnknown, audit.LeadItself, audit.LeadAway, audit.LeadRound, audit.LeadNowhere}, f.Leads) {
			t.Errorf("%s: leads %q", v, f.Leads)
		}
		if f.Problem && (f.Severity == "note" || f.Indexable == "yes") {
			t.Errorf("%s: a problem that is none: %+v", v, *f)
		}
	}
	if f := audit.Verdict("from-another-version").Facts(); f.Fix != audit.Keep || f.Problem {
		t.Errorf("a word that is no verdict: %+v", *f)
	}
}
