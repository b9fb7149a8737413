package report

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	oasis "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

// of is an audit of one sitemap.
func of(kinds string) *fixture.Audit {
	a := fixture.New()
	a.List(fixture.Site+"/sitemap.xml", "urlset", kinds)
	return a
}

// wrote is a format of an audit.
func wrote(t *testing.T, format string, result *audit.Result) string {
	t.Helper()
	var b strings.Builder
	mustDo(t, Write(t.Context(), &b, format, result, Options{Lang: "en"}))
	return b.String()
}

// junitOf reads junit.xml back and checks its sums: what they say is there, and
// no two cases of a suite have the same name.
func junitOf(t *testing.T, result *audit.Result) (f junitFile) {
	t.Helper()
	mustDo(t, xml.Unmarshal([]byte(wrote(t, "junit", result)), &f))
	all := [3]int{f.Tests, f.Failures, f.Errors}
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
		all[0], all[1], all[2] = all[0]-s.Tests, all[1]-s.Failures, all[2]-s.Errors
	}
	if all != [3]int{} {
		t.Errorf("the sums of the file are %v more than those of its suites", all)
	}
	return f
}

// A clean audit is green; one that was stopped is not, whatever was seen until then.
func TestJUnit(t *testing.T) {
	clean := of("2 /ok/#/").Result()
	clean.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "Invalid date", Severity: "warning"}}
	if got := junitOf(t, clean); got.Tests != 2 || got.Failures+got.Errors != 0 {
		t.Errorf("got %+v", got)
	}
	stopped := of("10 /ok/#/; 1 /later/ skip")
	stopped.Info.Ended = time.Time{}
	got := junitOf(t, stopped.Result())
	if first := got.Suites[0].Cases[0]; got.Errors != 1 || first.Error == nil || !strings.HasPrefix(first.Error.Message, "Stopped after 10 of 11 URLs.") {
		t.Errorf("got %+v", got.Suites[0])
	}
	cut := junitOf(t, of("10 /ok/#/; 30000 /old/# 302 /new/# 200; 200 /loop/# 301 /loop/#/ 301 /loop/#").Result())
	if first := cut.Suites[0].Cases[0]; cut.Tests != maxCases+2 || first.Name != "and 10,200 more" {
		t.Errorf("%d cases, the first is %+v", cut.Tests, first)
	}
}

// Where no sitemap is written, no format says that something was removed.
func TestFormatsOfAPartSayWould(t *testing.T) {
	for _, format := range []string{"junit", "sarif", "md"} {
		said := wrote(t, format, of("1 /old/ 301 /new/ 200; 9 /ok/#/; 1 /gone/ 404; 1 /later/ skip").Result())
		if strings.Contains(said, "Corrected sitemap: removed") || strings.Contains(said, "Corrected sitemap: replaced") || !strings.Contains(said, "would be removed") && !strings.Contains(said, "can be removed") {
			t.Errorf("%s claims an edit, or does not say what would be removed: %s", format, said)
		}
	}
}

// A workbook has the entries in types of their own under a filter, and further sheets where one is full.
func TestXLSX(t *testing.T) {
	t.Cleanup(func() { sheetRows = 1 << 20 })
	sheetRows = 11
	result := of("14 /ok/#/; 1 /old/?a=1&b=(2) 301 /new 200,title==HYPERLINK(1)").Result()
	result.Linked = linkedTo(make([]string, 10)) // of three kinds
	f, err := excelize.OpenReader(strings.NewReader(wrote(t, "xlsx", result)))
	mustDo(t, err)
	defer f.Close()
	if got, want := f.GetSheetList(), []string{"URLs", "URLs (2)", "links", "links (4)", "links (5)"}; !slices.Equal(got, want) {
		t.Errorf("the sheets are %q, want %q", got, want)
	}
	lines, err := f.GetRows("URLs (2)")
	if err != nil || len(lines) != 6 || !strings.HasPrefix(entriesHead, lines[0][0]+" ") {
		t.Fatalf("got %d rows, %v: %q", len(lines), err, lines[0])
	}
	if names := f.GetDefinedName(); len(names) != 5 || names[0].RefersTo != "'URLs'!$A$1:$AA$11" {
		t.Errorf("filters %+v", names)
	}
	if panes, err := f.GetPanes("URLs"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	for cell, want := range map[string]excelize.CellType{"B6": excelize.CellTypeUnset, "G6": excelize.CellTypeUnset, "C6": excelize.CellTypeInlineString} {
		if got, _ := f.GetCellType("URLs (2)", cell); got != want {
			t.Errorf("%s is of type %v, want %v", cell, got, want) // a number has no type
		}
	}
	for cell, want := range map[string]string{"B6": "59", "C6": fixture.Site + "/old/?a=1&b=(2)", "G6": "301", "S6": "'=HYPERLINK(1)", "AA6": "2026-11-22 01:49:00"} {
		if got, _ := f.GetCellValue("URLs (2)", cell); got != want {
			t.Errorf("%s is %q, want %q", cell, got, want)
		}
	}
}

// The README has a row for each format and for each table that an audit may have, and the summary
// names a report where one format alone was written.
func TestEveryOutputIsNamed(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	mustDo(t, err)
	files := Tables()
	for _, f := range formats {
		files = append(files, f.file)
		var b strings.Builder
		mustDo(t, WriteSummary(&b, of("1 /").Result(), Summary{Written: Written{Dir: "out", Files: []string{"changes.csv", f.file, "summary.json"}}}))
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

// sarifSchema is the schema of OASIS for SARIF 2.1.0. go-sarif holds it in a
// constant that it does not export; it is read from that module's source, so that
// no copy of it lies here.
var sarifSchema = sync.OnceValues(func() (*gojsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(strings.TrimSpace(string(dir)) + "/schema.go")
	if err != nil {
		return nil, err
	}
	return gojsonschema.NewSchema(gojsonschema.NewStringLoader(strings.Split(string(source), "`")[1]))
})

// A finding keeps its fingerprint when its line moves, and no two have the same.
func TestSARIFFingerprints(t *testing.T) {
	prints := func(kinds string) map[string]bool {
		r, err := oasis.FromBytes([]byte(wrote(t, "sarif", of(kinds).Result())))
		mustDo(t, err)
		all := map[string]bool{}
		for _, x := range r.Runs[0].Results {
			id := x.PartialFingerprints["primaryLocationLineHash"]
			if all[id] || id == "" {
				t.Errorf("fingerprint %q twice or empty", id)
			}
			all[id] = true
		}
		return all
	}
	if before, after := prints("1 /a 500; 1 /b 500; 1 /a 500"), prints("5 /ok/#; 1 /a 500; 1 /b 500; 1 /a 500"); len(before) < 3 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("before %v, after %v", before, after)
	}
}
