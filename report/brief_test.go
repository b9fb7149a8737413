package report_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"sitemend/report"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// Whatever the site, the terminal has at most 14 lines of 100 columns, and summary.md 40 lines. A
// command or a path is longer where it has to be.
func TestSummariesAreShort(t *testing.T) {
	ruler, pasted := &runewidth.Condition{StrictEmojiNeutral: true}, regexp.MustCompile(`^  sitemend |/`)
	for _, s := range fixture.States() {
		for _, lang := range messages.Langs() {
			written := report.Written{Dir: "out", Files: []string{"report.html"}}
			var terminal, md bytes.Buffer
			if err := report.WriteSummary(&terminal, s.Result, report.Summary{Lang: lang, Written: written}); err != nil {
				t.Fatal(err)
			}
			if err := report.Write(t.Context(), &md, "md", s.Result, report.Options{Lang: lang}); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(terminal.String(), "\n"); n > 14 {
				t.Errorf("%s, %s: %d lines\n%s", s.Name, lang, n, terminal.String())
			}
			for line := range strings.Lines(terminal.String()) {
				if w := ruler.StringWidth(strings.TrimSuffix(line, "\n")); w > 100 && !pasted.MatchString(line) {
					t.Errorf("%s, %s: %d columns: %s", s.Name, lang, w, line)
				}
				if strings.Contains(line, "brief-") || regexp.MustCompile(`\{[a-z]+\}`).MatchString(line) {
					t.Errorf("%s, %s: no words: %s", s.Name, lang, line)
				}
			}
			if n := strings.Count(md.String(), "\n"); n > 40 {
				t.Errorf("%s, %s: summary.md has %d lines\n%s", s.Name, lang, n, md.String())
			}
		}
	}
}

// The numbers of a summary add up, and are those of the rows.
func TestNumbersAddUp(t *testing.T) {
	for _, s := range fixture.States() {
		c := conclude.Of(s.Result, conclude.Options{})
		if sum := c.Clean + c.Fix + c.Decide + c.Unseen + c.LeftOut; sum != c.Entries || c.Entries != s.Result.Counts.Entries {
			t.Errorf("%s: %d clean + %d fixed + %d to decide + %d unknown = %d of %d URLs", s.Name, c.Clean, c.Fix, c.Decide, c.Unseen+c.LeftOut, sum, c.Entries)
		}
		if c.Fix != c.Replaced+c.Removed.N || c.Decide != c.Decided.N || c.Unseen != c.Unknown.N {
			t.Errorf("%s: %d fixed of %d + %d; %d to decide of %d; %d unseen of %d", s.Name, c.Fix, c.Replaced, c.Removed.N, c.Decide, c.Decided.N, c.Unseen, c.Unknown.N)
		}
		bar := 0
		for _, x := range c.Bar {
			bar += x.Count
		}
		if bar != c.Entries && c.Crawled() > 0 && !c.Alarm.Leads {
			t.Errorf("%s: the bar has %d of %d URLs", s.Name, bar, c.Entries)
		}
	}
}

// Who uploads the folder with the corrected sitemaps is told which of them lack URLs.
func TestACopyThatLacksURLsIsNamed(t *testing.T) {
	seen := 0
	for _, s := range fixture.States() {
		for i := range s.Result.Files {
			f := &s.Result.Files[i]
			if !f.Changed || !f.Sitemap.InPart() || !s.Result.Writes() {
				continue
			}
			seen++
			var terminal bytes.Buffer
			if err := report.WriteSummary(&terminal, s.Result, report.Summary{Lang: "en"}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(terminal.String(), "\nDo not upload ") {
				t.Errorf("%s: nothing says that %s is not to be uploaded\n%s", s.Name, f.Sitemap.URL, terminal.String())
			}
		}
	}
	if seen == 0 {
		t.Error("no state has such a copy")
	}
}
