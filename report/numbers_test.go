package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
)

// allRows are the rows of an audit.
func allRows(t *testing.T, a *audit.Result) (rows []audit.Row) {
	t.Helper()
	for i := range a.Files {
		for r, err := range a.Rows(t.Context(), i) {
			if err != nil {
				t.Fatal(err)
			}
			var row audit.Row
			row.Keep(r)
			rows = append(rows, row)
		}
	}
	return rows
}

// explained is an audit of rows in one sitemap, each a cause of its own.
func explained(rows []audit.Row) *audit.Result {
	a := result([][]audit.Row{rows})
	for _, r := range rows {
		if g := r.Group(); g.Lane() != "" {
			a.Causes = append(a.Causes, audit.Cause{Verdict: r.Verdict, Group: g, Count: 1, Sitemaps: 1,
				Key: string(r.Verdict), Examples: []string{r.Entry.Loc}})
		}
	}
	return a
}

// writings are an audit as the terminal, summary.md and summary.json tell it.
func writings(t *testing.T, a *audit.Result) (terminal, markdown, machine string) {
	t.Helper()
	var md, js bytes.Buffer
	if err := Write(t.Context(), &md, "md", a, Options{Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummaryJSON(t.Context(), &js, a); err != nil {
		t.Fatal(err)
	}
	return summaryOf(t, a, Summary{Lang: "en"}), md.String(), js.String()
}

// several is one of a thing before a word for several.
var several = regexp.MustCompile(`(?m)(?:^|[^\d,.])(1 (?:\w+ )?(?:entries|files|addresses|causes|` +
	`faults|sitemaps|links|warnings|errors|edits|places|are|were|need|have|answer)\b.*)`)

// One of a thing is said as one, in the terminal and in summary.md, whatever became of it.
func TestOneIsSaidAsOne(t *testing.T) {
	for _, r := range allRows(t, shop()) {
		a := explained([]audit.Row{r})
		date := audit.SitemapFault{Name: "Invalid date", Severity: "warning", Line: 3}
		a.Files[0].Sitemap.Faults = []audit.SitemapFault{date}
		terminal, markdown, _ := writings(t, a)
		for where, text := range map[string]string{"the terminal": terminal, "summary.md": markdown} {
			if m := several.FindStringSubmatch(text); m != nil {
				t.Errorf("%s: %s says %q", r.Verdict, where, m[1])
			}
		}
	}
}

// number is the first number that a pattern finds; 0 where there is none.
func number(text, pattern string) int {
	m := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	return n
}

// The same thing has the same number in the terminal, in summary.md and in summary.json.
func TestWritingsAgree(t *testing.T) {
	rows := allRows(t, shop())
	for times := range 30 { // so many rows of each verdict, in another mixture each time
		var some []audit.Row
		for i, r := range rows {
			some = append(some, slices.Repeat([]audit.Row{r}, (times*7+i*3)%5)...)
		}
		if len(some) == 0 {
			continue
		}
		a := explained(some)
		s := conclude.SharesOf(a.Counts.Total)
		terminal, markdown, machine := writings(t, a)
		var parsed struct {
			Entries int
			Groups  map[string]int
		}
		if err := json.Unmarshal([]byte(machine), &parsed); err != nil {
			t.Fatal(err)
		}
		total := func(groups ...audit.Group) (n int) {
			for _, g := range groups {
				n += parsed.Groups[string(g)]
			}
			return n
		}
		for what, numbers := range map[string][]int{
			"entries": {s.Entries, parsed.Entries,
				number(markdown, `, ([\d,]+) entr`), number(terminal, `, ([\d,]+) entr`)},
			"fixed": {s.Fix, total(audit.Corrected, audit.TakenOut),
				number(markdown, `^### (?:Fixed|Changed) by the upload \(([\d,]+)\)`),
				max(0, number(terminal, `^Upload .* fix(?:es)? ([\d,]+)`)) + max(0, number(terminal, `([\d,]+) removed, noindex`))},
			"decide": {s.Decide, total(audit.NeedsDecision),
				number(markdown, `^### Needs your decision \(([\d,]+)\)`),
				number(terminal, `^Decide +([\d,]+) entr`)},
			"unseen": {s.Unseen, total(audit.NotChecked),
				number(markdown, `^### Not checked \(([\d,]+)\)`),
				number(terminal, `^Unseen +([\d,]+) entr`)},
		} {
			if len(slices.Compact(numbers)) != 1 {
				t.Errorf("%s: %v in\n%s\n%s", what, numbers, terminal, markdown)
			}
		}
		p := number(terminal, `^Clean .*?(\d+)(?:\.\d)? % today`)
		if p > 0 && !strings.Contains(markdown, fmt.Sprintf("**%d", p)) {
			t.Errorf("the terminal says %d %% are clean, and summary.md\n%s", p, markdown)
		}
	}
}
