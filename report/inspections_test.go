package report

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// TestGoogleInSummary holds that summary.json counts what Google's index says of each address once,
// every address in one of the counts, and has no google where it was not asked.
func TestGoogleInSummary(t *testing.T) {
	later, before := checked.Add(time.Hour), checked.Add(-time.Hour)
	fine := func(line int, loc string) audit.Row {
		return entry(line, loc, audit.OK, kept("keep-ok"), walk(audit.EndAnswer, loc+" 200"))
	}
	rows := []audit.Row{
		fine(1, "https://a.example/seen"), fine(2, "https://a.example/seen"), fine(3, "https://a.example/old"), fine(4, "https://a.example/(4)"), fine(5, "https://a.example/other"),
		fine(6, "https://a.example/new"), fine(7, "https://a.example/failed"), fine(8, "https://a.example/not-asked"),
		entry(9, "https://a.example/unseen", audit.Unverified, kept("keep-unverified"), walk(audit.EndUnseen, "https://a.example/unseen 403")),
	}
	result := result([][]audit.Row{rows})
	summary := func() map[string]json.RawMessage {
		var b strings.Builder
		if err := WriteSummaryJSON(t.Context(), &b, result); err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := summary()["google"]; got != nil {
		t.Errorf("google was not asked, and summary.json has %s", got)
	}
	said := map[string]audit.Inspection{
		"seen":   {State: audit.LabelIndexed, LastCrawl: later},
		"old":    {State: audit.LabelNotFound, LastCrawl: before},
		"(4)":    {State: audit.LabelIndexed, LastCrawl: later, Canonical: "https://a.example/%284%29"},
		"other":  {State: audit.LabelNotFound, LastCrawl: later},
		"new":    {State: audit.LabelUnknown},
		"failed": {Failure: "400: no such address"},
		"unseen": {State: audit.LabelIndexed, LastCrawl: later},
	}
	result.Inspections = &audit.Inspections{By: map[string]audit.Inspection{}, Left: 3, Again: checked}
	for path, in := range said {
		in.URL = "https://a.example/" + path
		result.Inspections.By[in.URL] = in
	}
	var got googleSummary
	if err := json.Unmarshal(summary()["google"], &got); err != nil {
		t.Fatal(err)
	}
	want := googleSummary{Asked: 7, Agrees: 1, Older: 1, Other: 1, Differs: 1, NotCrawled: 1, NotCompared: 1, Failed: 1, Left: 3, Again: "2026-11-21T10:02:11Z"}
	states := got.States
	if got.States = nil; !maps.Equal(states, map[string]int{"Submitted and indexed": 3, "Not found (404)": 2, "URL is unknown to Google": 1}) || !equalGoogle(got, want) {
		t.Errorf("summary.json has %+v, states %v, want %+v", got, states, want)
	}
}

func equalGoogle(a, b googleSummary) bool {
	one, _ := json.Marshal(a)
	two, _ := json.Marshal(b)
	return string(one) == string(two)
}
