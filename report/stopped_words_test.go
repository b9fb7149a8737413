package report

import (
	"encoding/json"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"sitemend/crawler/audit"
)

// stoppedShop is an audit that was stopped, with an entry that was not crawled.
func stoppedShop() *audit.Result {
	result := shop()
	result.Info.Ended, result.Info.Partial = time.Time{}, true
	return result
}

// wrote is a format of an audit.
func wrote(t *testing.T, format string, result *audit.Result) string {
	t.Helper()
	var b strings.Builder
	if err := Write(t.Context(), &b, format, result, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An audit without an end never says that a site is clean, nor anything of every address or of all:
// in no format. Those with sentences open with that it was stopped, and how to go on.
func TestNoFormatCallsAStoppedAuditWhole(t *testing.T) {
	result := stoppedShop()
	said := map[string]string{}
	var b strings.Builder
	if err := WriteSummary(&b, result, Summary{}); err != nil {
		t.Fatal(err)
	}
	said["summary"] = b.String()
	b.Reset()
	if err := WriteSummaryJSON(t.Context(), &b, result); err != nil {
		t.Fatal(err)
	}
	said["summary.json"] = strings.Replace(b.String(), `"clean":`, "", 1)
	for _, format := range []string{"csv", "jsonl", "junit", "sarif", "md"} {
		said[format] = wrote(t, format, result)
	}
	whole := regexp.MustCompile(`(?i)[^\n]*(\bclean\b|every URL (?:is|answers)|\ball \d|100 %)[^\n]*`)
	for name, text := range said {
		if line := whole.FindString(text); line != "" {
			t.Errorf("%s says %q", name, line)
		}
	}
	for _, name := range []string{"summary", "md"} {
		if text := said[name]; !strings.Contains(text, "Stopped after 10 of 11 URLs.") || !strings.Contains(text, "sitemend audit ") {
			t.Errorf("%s does not say that it was stopped, and how to go on:\n%s", name, text)
		}
	}
}

const stoppedSaid = "The audit was stopped before its end. 10 of 11 URLs were crawled."

// A CI that reads JUnit is not green where an audit was stopped, whatever was seen until then.
func TestJUnitOfAStoppedAuditIsAnError(t *testing.T) {
	type counts struct {
		Tests   int `xml:"tests,attr"`
		Errors  int `xml:"errors,attr"`
		Skipped int `xml:"skipped,attr"`
	}
	var said struct {
		counts
		Suites []struct {
			counts
			Name  string `xml:"name,attr"`
			Cases []struct {
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
				Skipped *struct {
					Message string `xml:"message,attr"`
				} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(wrote(t, "junit", stoppedShop())), &said); err != nil {
		t.Fatal(err)
	}
	first := said.Suites[0]
	if said.Errors != 1 || first.Name != "sitemend.audit" || first.counts != (counts{2, 1, 1}) {
		t.Fatalf("%d errors; the first suite is %+v", said.Errors, first)
	}
	if got := first.Cases[0].Error; got == nil || !strings.HasPrefix(got.Message, stoppedSaid) {
		t.Errorf("the error is %+v", got)
	}
	if got := first.Cases[1].Skipped; got == nil || got.Message != "1 URL not crawled" {
		t.Errorf("skipped is %+v", got)
	}
	tests := 0
	for _, s := range said.Suites {
		tests += s.Tests
	}
	if tests != said.Tests {
		t.Errorf("%d tests, the suites have %d", said.Tests, tests)
	}
}

// A SARIF run of an audit that was stopped did not succeed, and says why.
func TestSARIFOfAStoppedAuditDidNotSucceed(t *testing.T) {
	var said struct {
		Runs []struct {
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []struct {
					Level   string
					Message struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(wrote(t, "sarif", stoppedShop())), &said); err != nil {
		t.Fatal(err)
	}
	run := said.Runs[0].Invocations[0]
	if run.ExecutionSuccessful || len(run.ToolExecutionNotifications) != 1 {
		t.Fatalf("it says %+v", run)
	}
	if n := run.ToolExecutionNotifications[0]; n.Level != "error" || !strings.HasPrefix(n.Message.Text, stoppedSaid) {
		t.Errorf("the notification is %+v", n)
	}
}

// The workbook of an audit that was stopped says so above its first table, which is whole.
func TestWorkbookOfAStoppedAuditSaysSo(t *testing.T) {
	book, err := excelize.OpenReader(strings.NewReader(wrote(t, "xlsx", stoppedShop())))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	lines, err := book.GetRows("URLs")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := book.GetTables("URLs")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(lines[0][0], stoppedSaid) || lines[1][0] != "sitemap" || len(lines) != 13 || tables[0].Range != "A2:AA13" {
		t.Errorf("%d lines in %s, the first is %q, below it %q", len(lines), tables[0].Range, lines[0][0], lines[1][0])
	}
}
