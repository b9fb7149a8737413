package report

import (
	"encoding/xml"
	"fmt"
	"iter"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
)

// repeated is an audit of one sitemap with so many entries of each verdict,
// whose rows are made as they are read.
func repeated(counts map[audit.Verdict]int) *audit.Result {
	base := result([][]audit.Row{{}})
	base.Counts = audit.Counts{Verdicts: counts, Groups: map[audit.Group]map[string]int{}}
	verdicts := slices.DeleteFunc(audit.Verdicts(), func(v audit.Verdict) bool { return counts[v] == 0 })
	make := func(v audit.Verdict, i int) audit.Row {
		from := fmt.Sprintf("http://shop.example/articles/2026/%07d/an-article-about-something?id=%d&lang=%%E6%%97%%A5", i, i)
		fix, trail := kept("answers 200"), walk(audit.EndAnswer, from+" 200")
		if v == audit.Moved {
			to := fmt.Sprintf("https://www.shop.example/news/%07d/an-article-about-something", i)
			fix, trail = replaced(to), walk(audit.EndAnswer, from+" 301 "+to, to+" 200")
		}
		r := entry(i+2, from, v, fix, trail)
		r.Trail.Steps[0].Hop.Page = audit.Page{Title: "An article about something " + fmt.Sprint(i), ContentType: "text/html; charset=utf-8"}
		return r
	}
	for _, v := range verdicts {
		r := make(v, 0)
		base.Counts.Entries += counts[v]
		base.Counts.Groups[r.Group()] = map[string]int{string(v): counts[v]}
	}
	base.Files[0].Counts = base.Counts
	return audit.MakeResult(*base, func(file int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) {
			n := 0
			if file > 0 {
				return
			}
			for _, v := range verdicts {
				for range counts[v] {
					if n++; !yield(make(v, n), nil) {
						return
					}
				}
			}
		}
	}, nil)
}

// junitOf reads junit.xml back and checks its sums: what they say is there, and
// no two cases of a suite have the same name.
func junitOf(t *testing.T, result *audit.Result) junitFile {
	t.Helper()
	var f junitFile
	if err := xml.Unmarshal([]byte(wrote(t, "junit", result)), &f); err != nil {
		t.Fatal(err)
	}
	var all, sums junitFile
	for _, s := range f.Suites {
		names, failed, left := map[string]bool{}, 0, 0
		for _, c := range s.Cases {
			if c.Class != s.Name || names[c.Name] {
				t.Errorf("case %q of class %q in suite %q, or twice", c.Name, c.Class, s.Name)
			}
			names[c.Name] = true
			if c.Failure != nil {
				failed++
			}
			if c.Skipped != nil {
				left++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failed || s.Skipped != left {
			t.Errorf("suite %s says %d tests, %d failures, %d skipped; it has %d, %d, %d", s.Name, s.Tests, s.Failures, s.Skipped, len(s.Cases), failed, left)
		}
		sums.Tests, sums.Failures, sums.Errors = sums.Tests+s.Tests, sums.Failures+s.Failures, sums.Errors+s.Errors
	}
	if all.Tests, all.Failures, all.Errors = f.Tests, f.Failures, f.Errors; !reflect.DeepEqual(all, sums) {
		t.Errorf("the file says %+v; its suites %+v", all, sums)
	}
	return f
}

// wrote is a format of an audit.
func wrote(t *testing.T, format string, result *audit.Result) string {
	t.Helper()
	var b strings.Builder
	if err := Write(t.Context(), &b, format, result, Options{Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A clean audit is green; one that was stopped is not, whatever was seen until then.
func TestJUnit(t *testing.T) {
	ok := entry(3, "http://shop.example/", audit.OK, kept("answers 200"), walk(audit.EndAnswer, "http://shop.example/ 200"))
	clean := result([][]audit.Row{{ok}, {ok}})
	clean.Files[1].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}}
	if got := junitOf(t, clean); got.Tests != 3 || got.Failures+got.Errors != 0 || len(got.Suites) != 1 {
		t.Errorf("got %+v", got)
	}
	stopped := shop()
	stopped.Info.Ended, stopped.Info.Partial = time.Time{}, true
	got := junitOf(t, stopped)
	if first := got.Suites[0].Cases[0]; got.Errors != 1 || first.Error == nil || !strings.HasPrefix(first.Error.Message, "Stopped after 10 of 11 URLs.") {
		t.Errorf("got %+v", got.Suites[0])
	}
	cut := junitOf(t, repeated(map[audit.Verdict]int{audit.OK: 10, audit.Moved: 30_000, audit.Loop: 200}))
	if first := cut.Suites[0].Cases[0]; cut.Tests != maxCases+2 || first.Name != "and 10,200 more" {
		t.Errorf("%d cases, the first is %+v", cut.Tests, first)
	}
}

// Where no sitemap is written, no format says that something was removed.
func TestFormatsOfAPartSayWould(t *testing.T) {
	for _, format := range []string{"junit", "sarif", "md"} {
		a := shop()
		a.Info.Partial = true
		said := wrote(t, format, a)
		if strings.Contains(said, "Corrected sitemap: removed") || strings.Contains(said, "Corrected sitemap: replaced") {
			t.Errorf("%s claims an edit", format)
		}
		if !strings.Contains(said, "would be removed") && !strings.Contains(said, "can be removed") {
			t.Errorf("%s does not say what would be removed", format)
		}
	}
}

func bookOf(t *testing.T, result *audit.Result) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(strings.NewReader(wrote(t, "xlsx", result)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestXLSX(t *testing.T) {
	a := shop()
	f := bookOf(t, a)
	if got := f.GetSheetList(); !slices.Equal(got, []string{"URLs"}) {
		t.Errorf("sheets %q", got)
	}
	lines, err := f.GetRows("URLs")
	if err != nil || len(lines) != 12 || strings.Join(lines[0], ",") != strings.Join(entryColumns.names(), ",") {
		t.Fatalf("got %d rows, %v: %q", len(lines), err, lines[0])
	}
	if names := f.GetDefinedName(); len(names) != 1 || names[0].RefersTo != "'URLs'!$A$1:$AA$12" {
		t.Errorf("filters %+v", names)
	}
	if panes, err := f.GetPanes("URLs"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	for cell, want := range map[string]excelize.CellType{"B3": excelize.CellTypeUnset, "G3": excelize.CellTypeUnset, "C3": excelize.CellTypeInlineString} {
		if got, _ := f.GetCellType("URLs", cell); got != want {
			t.Errorf("%s is of type %v, want %v", cell, got, want) // a number has no type
		}
	}
	for cell, want := range map[string]string{"B3": "5", "C3": "http://shop.example/old?a=1&b=(2)", "G3": "301", "S2": `'=HYPERLINK("http://evil.example")`, "AA2": "2026-11-21 10:02:11", "AA12": ""} {
		if got, _ := f.GetCellValue("URLs", cell); got != want {
			t.Errorf("%s is %q, want %q", cell, got, want)
		}
	}
}

// Rows beyond what a sheet holds are in further sheets.
func TestXLSXSheets(t *testing.T) {
	t.Cleanup(func() { sheetRows = 1 << 20 })
	sheetRows = 11
	result := *shop()
	result.Linked = linkedTo(make([]string, 10)) // of three kinds
	f := bookOf(t, &result)
	if got, want := f.GetSheetList(), []string{"URLs", "URLs (2)", "links", "links (4)", "links (5)"}; !slices.Equal(got, want) {
		t.Errorf("the sheets are %q, want %q", got, want)
	}
	n := 0
	for _, sheet := range []string{"URLs", "URLs (2)"} {
		lines, err := f.GetRows(sheet)
		if err != nil || strings.Join(lines[0], ",") != strings.Join(entryColumns.names(), ",") {
			t.Fatalf("%s: %q, %v", sheet, lines, err)
		}
		n += len(lines) - 1
	}
	if n != 11 {
		t.Errorf("there are %d rows", n)
	}
}

// The same audit is the same bytes, in every format.
func TestFormatsAreReproducible(t *testing.T) {
	for _, format := range Formats()[1:] {
		first := wrote(t, format, shop())
		for range 3 {
			if wrote(t, format, shop()) != first {
				t.Errorf("%s: two outputs of one audit differ", format)
				break
			}
		}
	}
}

// The README has a row for each format and for each table that an audit may have, and the summary
// names a report where one format alone was written.
func TestEveryOutputIsNamed(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	files := Tables()
	for _, f := range formats {
		files = append(files, f.file)
		var b strings.Builder
		if err := WriteSummary(&b, shop(), Summary{Written: Written{Dir: "out", Files: []string{"changes.csv", f.file, "summary.json"}}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "out/"+f.file) {
			t.Errorf("with %s alone the summary does not name it:\n%s", f.name, b.String())
		}
	}
	for _, file := range files {
		if !regexp.MustCompile("(?m)^\\| (`[a-z]+` \\| )?`" + regexp.QuoteMeta(file) + "` \\|").Match(readme) {
			t.Errorf("README.md has no row for %s", file)
		}
	}
}
