package html_test

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/html"
	"sitemend/report/internal/conclude"
)

// counted is the first number that a pattern finds; -1 where there is none.
func counted(text, pattern string) int {
	m := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	return n
}

// In each state the page has the number of what is to be fixed and of what is to be decided that the
// audit counts: that of the terminal, of summary.md and of the list of audits.
func TestEveryStateHasOneNumber(t *testing.T) {
	for name, result := range html.States() {
		var page bytes.Buffer
		if err := html.Write(&page, result, html.Options{Lang: "en"}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		now := conclude.SharesOf(result.Counts.Total)
		for lane, want := range map[audit.Lane]int{audit.Upload: now.Fix, audit.Decide: now.Decide} {
			got := counted(page.String(), `lane=`+string(lane)+`">[^<]*<span[^>]*>[^<\d]*([\d,]+)`)
			if max(got, 0) != want {
				t.Errorf("%s: %s is %d, and the page says %d", name, lane, want, got)
			}
		}
	}
}
