package report

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

func summaryOf(t *testing.T, result *audit.Result, o Summary) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSummary(&b, result, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// large is the audit of the contract's example.
func large() *audit.Result {
	c := audit.Counts{Entries: 5000, Verdicts: map[audit.Verdict]int{audit.OK: 3898, audit.Moved: 951, audit.Respelled: 61, audit.NotFound: 41, audit.Noindex: 14,
		audit.Temporary: 18, audit.Loop: 13, audit.Unverified: 4}, Actions: map[audit.Action]int{audit.Merge: 43, audit.Drop: 55}, Unseen: map[string]int{"403": 4}, Notes: map[audit.Note]int{},
		Groups: map[audit.Group]map[string]int{
			audit.Fine:          {"ok": 3898},
			audit.Corrected:     {"moved": 908, "respelled": 61, "merged": 43},
			audit.TakenOut:      {"not-found": 41, "noindex": 14},
			audit.NeedsDecision: {"temporary": 18, "loop": 13},
			audit.NotChecked:    {"unverified": 4}}}
	stock := audit.Cause{Verdict: audit.Temporary, Group: audit.NeedsDecision, Count: 18, Answers: map[int]int{302: 18}}
	for _, p := range []string{"https://www.example.com/stock/1 https://www.example.com/sale", "https://www.example.com/stock/2 https://www.example.com/sale"} {
		from, to, _ := strings.Cut(p, " ")
		stock.From.See(address.Wire(from))
		stock.To.See(address.Wire(to))
	}
	return audit.MakeResult(audit.Result{
		Info: audit.Info{Targets: []string{"https://www.example.com"}, Identity: "googlebot", Started: checked, Ended: checked.Add(14 * time.Minute), Duration: 13*time.Minute + 40*time.Second, Requests: 6204,
			Agent: "Mozilla/5.0 (compatible; Googlebot/2.1)"},
		Counts: c,
		Files:  []audit.File{{Sitemap: audit.Sitemap{Kind: "index"}}, {Changed: true, BelongsAt: "https://www.example.com/sitemap.xml"}, {Changed: true, BelongsAt: "https://www.example.com/sitemap.xml"}, {}},
		Causes: []audit.Cause{
			{Verdict: audit.Moved, Group: audit.Corrected, Count: 908, Rule: "http:// -> https://", Terms: []pattern.Term{{Name: "scheme", From: "http://", To: "https://"}}},
			{Verdict: audit.Respelled, Group: audit.Corrected, Count: 61, Terms: []pattern.Term{{Name: "decoded", From: "%7E", To: "~"}}},
			{Verdict: audit.Moved, Group: audit.Corrected, Count: 43, Trait: audit.Repeated},
			{Verdict: audit.NotFound, Group: audit.TakenOut, Count: 41, Answers: map[int]int{404: 41}},
			{Verdict: audit.Noindex, Group: audit.TakenOut, Count: 14},
			stock, {Verdict: audit.Loop, Group: audit.NeedsDecision, Count: 13, Rule: "/a/*"},
			{Verdict: audit.Unverified, Group: audit.NotChecked, Count: 4, Terms: []pattern.Term{{Name: "unseen", From: "403"}}}},
		Proof: audit.Proof{Entries: 4902, Direct: 4867, NeedDecision: 31, NotChecked: 4},
	}, nil, nil)
}

// Nothing that a site, a file or a user gave reaches the terminal as a control.
func TestSummaryCannotSteerTheTerminal(t *testing.T) {
	const evil = "x\x1b]0;owned\a\u009b2J\u202e\xff\r\n"
	result := large()
	result.Info.Targets = []string{"http://" + evil}
	result.Info.Agent, result.Info.Identity = evil, evil
	result.Info.RobotsBad, result.Info.Abandoned = []string{evil}, map[string]int{evil: 403}
	result.Counts.Unseen = map[string]int{evil: 1}
	result.Causes = []audit.Cause{{Group: audit.NeedsDecision, Rule: evil + "->", Terms: []pattern.Term{{Name: "host", From: evil}}, Count: 1}, {Group: audit.NeedsDecision, Verdict: evil}}
	result.Files[1].Sitemap = audit.Sitemap{AnsweredAt: evil, Faults: []audit.SitemapFault{{Name: evil, Severity: "error"}}}
	result.Files[1].Moved, result.Files[1].BelongsAt = true, evil
	for _, line := range strings.Split(summaryOf(t, result, Summary{Written: Written{Dir: evil, Files: []string{"report.html"}}}), "\n") {
		if strings.IndexFunc(line, hidden) >= 0 {
			t.Errorf("line %q holds a control", line)
		}
	}
}
