package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// Terminal, summary.md and summary.json tell causes in the order of the audit.
func TestOneOrderOfCauses(t *testing.T) {
	result := large()
	result.Causes = nil
	for i, g := range []audit.Group{audit.TakenOut, audit.Corrected, audit.NeedsDecision, audit.NeedsDecision, audit.OtherSpelling} {
		result.Causes = append(result.Causes, audit.Cause{Verdict: audit.Loop, Group: g, Count: 9 - i, Rule: fmt.Sprint("rule", i)})
	}
	var md, object strings.Builder
	if err := Write(t.Context(), &md, "md", result, Options{Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummaryJSON(t.Context(), &object, result); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"summary.json": object.String()} {
		var at []int
		for i := range result.Causes {
			at = append(at, strings.LastIndex(text, fmt.Sprint("rule", i))) // an action may name it, too
		}
		if slices.Contains(at, -1) || !slices.IsSorted(at) {
			t.Errorf("%s tells the causes at %v", name, at)
		}
	}
}
