package main

import (
	"slices"
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
	for word, to := range formatFor {
		if !slices.Contains(report.Formats(), to) || slices.Contains(report.Formats(), word) {
			t.Errorf("%s: %s", word, to)
		}
	}
}
