package html_test

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/html"
)

// The section of rules says what answered and what is wrong with the rules, and shows what
// rule files hold as text.
func TestRules(t *testing.T) {
	result := audit.MakeResult(audit.Result{Build: &audit.Build{
		Dir: "public", Origin: "https://www.example.com", Host: "gitlab-pages", Date: "2026-11",
		Files: []audit.RuleFile{{Name: "_redirects", Path: "public/_redirects", Rules: 3, Faults: map[string]int{"rule-loop": 1}, Errors: 1}},
		Findings: []audit.RuleFinding{{RuleAt: audit.RuleAt{File: "_redirects", Line: 7}, Fault: "rule-loop", Error: true,
			Text: "/<script> -> /\u202ex", Key: "rule-loop", Args: []string{"<b>"}}},
	}}, func(int) iter.Seq2[audit.Row, error] { return func(func(audit.Row, error) bool) {} }, nil)
	var b bytes.Buffer
	p, err := html.New(t.Context(), &b, result, html.Options{Lang: "en"})
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(b.String(), "<wbr>", "")
	if strings.Contains(page, "\u202e") {
		t.Error("the page has what turns the reading order")
	}
	for _, want := range []string{`href="#rules"`, "from public, answered as GitLab Pages, model of 2026-11", "3 rules, 1 fault: 1 leads in a circle (line 7)",
		"/&lt;script&gt; -&gt; /", "public/_redirects:7", "back to &lt;b&gt;", "ループして&lt;b&gt;に戻ります"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}
