package job

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report"
)

// What is named is something that can be given.
func TestMeantExists(t *testing.T) {
	for word, to := range meantFor {
		known := slices.Contains([]string{"problem", "any", "faults", "none"}, to) || slices.Contains(audit.Verdicts(), audit.Verdict(to))
		if _, err := parseFailOn([]string{to}); err != nil || !known {
			t.Errorf("%s: %s cannot be given: %v", word, to, err)
		}
		if _, err := parseFailOn([]string{word}); err == nil {
			t.Errorf("%s can be given", word)
		}
	}
	var said interface{ Hint() string }
	if err := fixItem(new(audit.Rules), "redirect=replace"); !errors.As(err, &said) || strings.Contains(said.Hint(), "did you mean problem") {
		t.Errorf("--fix: %v", err)
	}
	for word, to := range formatFor {
		if !slices.Contains(report.Formats(), to) || slices.Contains(report.Formats(), word) {
			t.Errorf("%s: %s", word, to)
		}
	}
}
