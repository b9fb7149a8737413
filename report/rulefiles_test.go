package report_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"iter"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report"
)

// What rule files hold can neither calculate in a spreadsheet nor steer a terminal, and a rule
// with two faults has one line.
func TestRulesCSV(t *testing.T) {
	at := audit.RuleAt{File: "_redirects", Line: 3}
	rules := []audit.Rule{
		{RuleAt: at, Source: "=cmd()", Target: "@x\x1b[2J\u202e", Status: 302, Hits: 4, Findings: []audit.RuleFinding{
			{RuleAt: at, Fault: "rule-missing", Key: "rule-missing", Args: []string{"https://a.example/\x1b", "404"}},
			{RuleAt: at, Fault: "rule-temporary", Key: "rule-temporary", Args: []string{"302"}},
		}},
		{RuleAt: audit.RuleAt{File: "vercel.json"}, Source: "{", Findings: []audit.RuleFinding{{Fault: "rule-unread", Key: "rule-unread", Args: []string{"no JSON"}}}},
	}
	b := &audit.Build{Rules: func(context.Context) iter.Seq2[audit.Rule, error] {
		return func(yield func(audit.Rule, error) bool) {
			for _, r := range rules {
				if !yield(r, nil) {
					return
				}
			}
		}
	}}
	var out bytes.Buffer
	if err := report.WriteRulesCSV(t.Context(), &out, b, "en"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out.String(), "\uFEFF"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"file", "line", "source", "target", "status", "hits", "fault", "why"},
		{"_redirects", "3", "'=cmd()", `'@x\x1b[2J\u202e`, "302", "4", "rule-missing rule-temporary",
			`https://a.example/\x1b answers 404; no status is written, so the host answers 302, a temporary redirect`},
		{"vercel.json", "", "{", "", "", "0", "rule-unread", "the host ignores this: no JSON"},
	}
	for i := range want {
		if len(rows) != len(want) || strings.Join(rows[i], "|") != strings.Join(want[i], "|") {
			t.Fatalf("got\n%q\nwant\n%q", rows, want)
		}
	}
}
