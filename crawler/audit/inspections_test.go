package audit_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// What Google's index says beside what an audit saw on 20 November, first on 10 November.
func TestAgreement(t *testing.T) {
	const older, newer = 5, 15 // days of November on which Google crawled
	for name, test := range map[string]struct {
		row       string // verdict, address, where it leads
		state     audit.Label
		canonical string
		crawled   int
		want      audit.Agreement
	}{
		"indexed":                              {"ok /a /a", audit.LabelIndexed, "/a", older, audit.Agrees},
		"another canonical":                    {"ok /a /a", audit.LabelIndexed, "/b", newer, audit.AgreesNot},
		"in another spelling":                  {"ok /a%28 /a%28", audit.LabelIndexed, "/a(", newer, audit.AgreesOther},
		"right as listed, bounced otherwise":   {"spelling-bounce /a%28 /a%28", audit.LabelIndexed, "/a%28", newer, audit.Agrees},
		"a redirect, then and now":             {"moved /a /b", audit.LabelRedirect, "/b", older, audit.Agrees},
		"indexed before it redirected":         {"moved /a /b", audit.LabelIndexed, "/a", older, audit.AgreesOlder},
		"indexed though it redirects":          {"moved /a /b", audit.LabelIndexed, "/a", newer, audit.AgreesNot},
		"not found, then":                      {"ok /a /a", audit.LabelNotFound, "", older, audit.AgreesOlder},
		"not found to Google alone":            {"ok /a /a", audit.LabelNotFound, "", newer, audit.AgreesNot},
		"noindex in Google's quotes":           {"noindex /a /a", audit.LabelOf("Excluded by ‘noindex’ tag"), "", newer, audit.Agrees},
		"robots.txt, indexed":                  {"disallowed /a ", audit.LabelIndexedBlocked, "/a", newer, audit.Agrees},
		"never crawled":                        {"ok /a /a", "URL is unknown to Google", "", 0, ""},
		"not seen by us":                       {"unverified /a /a", audit.LabelIndexed, "/a", newer, ""},
		"a canonical that is no address":       {"ok /a /a", audit.LabelIndexed, ":", newer, audit.Agrees},
		"the same address in capitals of host": {"ok /a /a", audit.LabelIndexed, "HTTPS://SHOP.example/a", newer, audit.Agrees},
	} {
		t.Run(name, func(t *testing.T) {
			f := strings.Split(test.row, " ")
			r := audit.Row{Verdict: audit.Verdict(f[0]), Address: parsed(t, "https://shop.example"+f[1]), Status: 500, CheckedAt: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
			if f[2] != "" {
				r.Final = parsed(t, "https://shop.example"+f[2])
			}
			in := audit.Inspection{URL: r.Address.String(), State: test.state, Canonical: test.canonical, Since: time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)}
			if strings.HasPrefix(in.Canonical, "/") {
				in.Canonical = "https://shop.example" + in.Canonical
			}
			if test.crawled > 0 {
				in.LastCrawl = time.Date(2026, 11, test.crawled, 0, 0, 0, 0, time.UTC)
			}
			if got := in.Agreement(&r); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if in.Failure = "Google answers 400"; in.Agreement(&r) != "" {
				t.Error("a failure says something")
			}
		})
	}
}

// chosenFrom returns what is chosen of rows, by path.
func chosenFrom(t *testing.T, rows []audit.Row, n int, open func(address.Address) bool) []string {
	t.Helper()
	causes := causesOf(rows)
	result := audit.Result{Files: []audit.File{{}}, Causes: causes.List()}
	result.Walk = func(context.Context, int, bool) iter.Seq2[*audit.Row, error] {
		return func(yield func(*audit.Row, error) bool) {
			for _, r := range rows {
				if !yield(&r, nil) {
					return
				}
			}
		}
	}
	chosen, err := result.ChooseInspections(t.Context(), n, open)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range chosen {
		paths = append(paths, strings.Trim(c.Path(), "/"))
	}
	return paths
}

func all(address.Address) bool { return true }

// kinds are the paths without their numbers.
func kinds(paths []string) string {
	var out []string
	for _, p := range paths {
		out = append(out, strings.TrimRight(p, "0123456789"))
	}
	return strings.Join(out, " ")
}

func mixedRows(t *testing.T) (rows []audit.Row) {
	for i := range 30 {
		rows = append(rows, answered(t, fmt.Sprintf("https://shop.example/fine%d", i), audit.OK, 200))
		rows = append(rows, redirected(t, fmt.Sprintf("http://shop.example/moved%d", i), fmt.Sprintf("https://shop.example/moved%d", i)))
	}
	for i := range 3 {
		rows = append(rows, answered(t, fmt.Sprintf("https://shop.example/loop%d", i), audit.Loop, 301))
		rows = append(rows, answered(t, fmt.Sprintf("https://shop.example/unseen%d", i), audit.Unverified, 403))
		rows = append(rows, answered(t, fmt.Sprintf("https://shop.example/left%d", i), audit.Skipped, 0))
	}
	return rows
}

// One of each cause that needs a decision, of each that is corrected, of each verdict; then second
// ones; fine entries last, and what was not crawled never.
func TestChooseInspections(t *testing.T) {
	rows := mixedRows(t)
	got := chosenFrom(t, rows, 9, all)
	if kinds(got) != "loop moved unseen loop moved unseen loop moved unseen" {
		t.Errorf("chosen: %s", kinds(got))
	}
	if everything := chosenFrom(t, rows, 1000, all); len(everything) != 66 || !strings.HasSuffix(kinds(everything), strings.Repeat(" fine", 30)) {
		t.Errorf("%d chosen: %s", len(everything), kinds(everything))
	}
	if again := chosenFrom(t, rows, 9, all); !slices.Equal(got, again) {
		t.Errorf("%v, then %v", got, again)
	}
	closed := func(a address.Address) bool { return a.Path() != "/"+got[0] }
	if again := chosenFrom(t, rows, 9, closed); slices.Contains(again, got[0]) || len(again) != 9 {
		t.Errorf("%s may not be asked: %v", got[0], again)
	}
}
