package report

import (
	"bytes"
	"encoding/csv"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
)

// Where a build answered, entries.csv and entries.xlsx end with the rules that did, one as the
// other; elsewhere they have no such column.
func TestTheColumnOfRules(t *testing.T) {
	row := audit.Row{Entry: audit.Entry{Loc: "https://a.example/old", Line: 3}, Verdict: audit.Moved}
	for _, at := range []audit.RuleAt{{File: "_redirects", Line: 12}, {File: "netlify.toml", Line: 3}, {}} {
		row.Trail.Steps = append(row.Trail.Steps, audit.Step{Hop: audit.Hop{Request: audit.Request{URL: "https://a.example/old"}, Status: 301, Rule: at}})
	}
	for _, build := range []*audit.Build{nil, {}} {
		result := audit.MakeResult(audit.Result{Build: build, Files: []audit.File{{Sitemap: audit.Sitemap{URL: "https://a.example/sitemap.xml"}}}, Counts: audit.Counts{Entries: 1}},
			func(int) iter.Seq2[audit.Row, error] {
				return func(yield func(audit.Row, error) bool) { yield(row, nil) }
			}, nil)
		var text, book bytes.Buffer
		if err := Write(t.Context(), &text, "csv", result, Options{Lang: "en"}); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), &book, "xlsx", result, Options{Lang: "en"}); err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text.String(), bom))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		f, err := excelize.OpenReader(&book)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.GetRows("Entries")
		if err != nil || len(got) != 2 || !slices.Equal(got[0], want[0]) {
			t.Fatalf("%v: the heads are %q, want %q", err, got, want[0])
		}
		at := slices.Index(got[0], "rules")
		if (at >= 0) != (build != nil) {
			t.Errorf("with a build %v the rules are column %d", build != nil, at)
		}
		if at >= 0 && (at != len(got[0])-1 || got[1][at] != want[1][at] || got[1][at] != "_redirects:12 netlify.toml:3") {
			t.Errorf("the rules are %q, in entries.csv %q", got[1][at], want[1][at])
		}
	}
}
