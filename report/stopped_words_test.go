package report

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

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

const stoppedSaid = "Stopped after 10 of 11 URLs."

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
