package audit_test

import (
	"slices"
	"testing"

	"sitemend/crawler/audit"
)

// What a verdict is stands in one table, and nothing of it is left open: who adds a verdict
// says all of it, or is told here what is missing.
func TestFactsOfVerdictsAreWhole(t *testing.T) {
	for _, v := range audit.Verdicts() {
		f := v.Facts()
		if f.Verdict != v || !slices.Contains(audit.Groups(), f.Group) || f.Severity == "" || f.Fix == "" || f.Leads == "" || f.Problem && (f.Severity == "note" || f.Indexable == "yes") {
			t.Errorf("%s: %+v", v, *f)
		}
	}
	if f := audit.Verdict("from-another-version").Facts(); f.Fix != audit.Keep || f.Problem {
		t.Errorf("a word that is no verdict: %+v", *f)
	}
}
