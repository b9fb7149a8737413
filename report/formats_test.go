package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
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

func TestJUnitOfACleanAuditIsGreen(t *testing.T) {
	ok := entry(3, "http://shop.example/", audit.OK, kept("answers 200"), walk(audit.EndAnswer, "http://shop.example/ 200"))
	a := result([][]audit.Row{{ok}, {ok}})
	a.Files[1].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}}
	got := junitOf(t, a)
	if got.Tests != 2 || got.Failures != 0 || len(got.Suites) != 1 {
		t.Errorf("got %+v", got)
	}
}

type junitFile struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Class   string    `xml:"classname,attr"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// junitOf reads junit.xml back and checks its sums: what they say is there, and
// no two cases of a suite have the same name.
func junitOf(t *testing.T, result *audit.Result) junitFile {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "junit", result, Options{}); err != nil {
		t.Fatal(err)
	}
	var f junitFile
	if err := xml.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	tests, failures := 0, 0
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
		tests, failures = tests+s.Tests, failures+s.Failures
	}
	if f.Tests != tests || f.Failures != failures {
		t.Errorf("the file says %d, %d; its suites %d, %d", f.Tests, f.Failures, tests, failures)
	}
	return f
}

// xunit is what the schema of Jenkins' xUnit plugin (junit-10.xsd) lets an element
// have: the plugin takes no file with more.
var xunit = map[string]string{
	"testsuites": "name time tests failures errors",
	"testsuite":  "name tests failures errors group time skipped timestamp hostname id package file log url",
	"testcase":   "name time classname group",
	"failure":    "type message",
	"skipped":    "type message",
	"system-out": "",
}

// What is written of sitemaps from the web is what the strictest reader takes; of a
// local file there are its name and line, too.
func TestJUnitKeepsToTheSchema(t *testing.T) {
	local := shop()
	local.Files[0].Sitemap.URL = "public/sitemap.xml"
	for name, x := range map[string]struct {
		result *audit.Result
		more   []string
	}{"web": {shop(), nil}, "local": {local, []string{"testcase file", "testcase line"}}} {
		var b bytes.Buffer
		if err := Write(t.Context(), &b, "junit", x.result, Options{}); err != nil {
			t.Fatal(err)
		}
		var more []string
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			e, _ := token.(xml.StartElement)
			allowed, known := xunit[e.Name.Local]
			if err != nil || e.Name.Local != "" && !known {
				t.Fatalf("%s: element %q, %v", name, e.Name.Local, err)
			}
			for _, a := range e.Attr {
				if pair := e.Name.Local + " " + a.Name.Local; !slices.Contains(strings.Fields(allowed), a.Name.Local) && !slices.Contains(more, pair) {
					more = append(more, pair)
				}
			}
		}
		if !slices.Equal(more, x.more) {
			t.Errorf("%s: beyond the schema there is %q, want %q", name, more, x.more)
		}
	}
}

// Where no sitemap is written, no format says that something was removed.
func TestFormatsOfAPartSayWould(t *testing.T) {
	for _, format := range []string{"junit", "sarif", "md"} {
		a := shop()
		a.Info.Partial = true
		var b strings.Builder
		if err := Write(t.Context(), &b, format, a, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, claim := range []string{"Corrected sitemap: removed", "Corrected sitemap: replaced", "| removed", "| replaced", "| corrected |"} {
			if strings.Contains(b.String(), claim) {
				t.Errorf("%s says %q", format, claim)
			}
		}
		if !strings.Contains(b.String(), "would be removed") && !strings.Contains(b.String(), "can be removed") {
			t.Errorf("%s does not say what would be removed", format)
		}
	}
}

func TestJUnitLimits(t *testing.T) {
	f := junitOf(t, repeated(map[audit.Verdict]int{audit.OK: 10, audit.Moved: 30_000, audit.Loop: 200}))
	got := map[string]int{}
	last := ""
	for _, s := range f.Suites {
		got[s.Name] = s.Tests
		last = s.Cases[len(s.Cases)-1].Name
	}
	if got["sitemend.loop"] != 200 || got["sitemend.moved"] != maxCases-200+1 || last != "and 10,200 more" {
		t.Errorf("got %v, the last case is %q", got, last)
	}
}

func bookOf(t *testing.T, result *audit.Result, lang string) *excelize.File {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "xlsx", result, Options{Lang: lang}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestXLSX(t *testing.T) {
	a := shop()
	a.Causes = []audit.Cause{{Verdict: audit.Moved, Group: audit.Corrected, Count: 908, Sitemaps: 2, Rule: "http:// -> https://", Terms: []pattern.Term{{Name: "scheme", From: "http://", To: "https://"}}, Examples: []string{"http://shop.example/" + strings.Repeat("1", 60), "=2"}}}
	f := bookOf(t, a, "en")
	if got := f.GetSheetList(); !slices.Equal(got, []string{"URLs", "Causes"}) {
		t.Errorf("sheets %q", got)
	}
	lines, err := f.GetRows("URLs")
	if err != nil || len(lines) != 12 || strings.Join(lines[0], ",") != strings.Join(entryColumns.names(), ",") {
		t.Fatalf("got %d rows, %v: %q", len(lines), err, lines[0])
	}
	tables, err := f.GetTables("URLs")
	if err != nil || len(tables) != 1 || tables[0].Range != "A1:AA12" {
		t.Errorf("tables %+v, %v", tables, err)
	}
	panes, err := f.GetPanes("URLs")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	if props, err := f.GetDocProps(); err != nil || props.Creator != "sitemend" || props.Created != "2026-11-21T10:02:11Z" {
		t.Errorf("properties %+v, %v", props, err)
	}
	if width, _ := f.GetColWidth("URLs", "C"); width != 60 {
		t.Errorf("the URL's column is %v wide", width)
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
	if high, _ := f.GetRowHeight("Causes", 2); high != 2*lineHeight {
		t.Errorf("a cause with an example of two lines is %v points high", high)
	}
	causes, err := f.GetRows("Causes")
	if err != nil || len(causes) != 2 || strings.Join(causes[1][:8], "|") != "Fixed|908|moved|http:// -> https://|http:// -> https://|2|Developer|Set the site's URL to the one that answers." || causes[1][9] != "'=2" {
		t.Errorf("causes %q, %v", causes, err)
	}
}

// Rows beyond what a sheet holds are in further sheets, each with its table; a sheet that does not have
// all rows of a side table says so below them, and where they are.
func TestXLSXSheets(t *testing.T) {
	rows, listed := sheetRows, listedRows
	t.Cleanup(func() { sheetRows, listedRows = rows, listed })
	sheetRows, listedRows = 5, 20
	result := *shop()
	result.Linked = linkedTo(make([]string, 10)) // of three kinds
	f := bookOf(t, &result, "en")
	n := 0
	for _, sheet := range f.GetSheetList() {
		lines, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		if sheet == "links" {
			if said, want := lines[len(lines)-1][0], "… links.csv"; said != want {
				t.Errorf("below the links stands %q, want %q", said, want)
			}
		}
		if !strings.HasPrefix(sheet, "URLs") {
			continue
		}
		if tables, _ := f.GetTables(sheet); len(tables) != 1 || strings.Join(lines[0], ",") != strings.Join(entryColumns.names(), ",") {
			t.Errorf("%s has no table", sheet)
		}
		n += len(lines) - 1
	}
	if n != 11 || len(f.GetSheetList()) != 5 {
		t.Errorf("%d rows in %q", n, f.GetSheetList())
	}
}

// The same audit is the same bytes, in every format.
func TestFormatsAreReproducible(t *testing.T) {
	for _, format := range Formats()[1:] {
		var first bytes.Buffer
		for range 4 {
			var b bytes.Buffer
			if err := Write(t.Context(), &b, format, shop(), Options{}); err != nil {
				t.Fatal(err)
			}
			if first.Len() == 0 {
				first.Write(b.Bytes())
			}
			if !bytes.Equal(first.Bytes(), b.Bytes()) {
				t.Errorf("%s: two outputs of one audit differ", format)
				break
			}
		}
	}
}

// A walk that breaks off leaves no temporary file and no half workbook.
func TestXLSXBreaksOff(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	full := errors.New("the store is damaged")
	a := audit.MakeResult(*shop(), func(int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) { yield(audit.Row{}, full) }
	}, nil)
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "xlsx", a, Options{}); !errors.Is(err, full) || b.Len() > 0 {
		t.Errorf("got %v, %d bytes", err, b.Len())
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
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
