package serve_test

import (
	"context"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"sitemend/crawler/audit"
	"sitemend/report"
	reporthtml "sitemend/report/html"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// In each state the page, summary.md and the terminal open with one sentence or one share, name the
// same things to do, and have one number and one order of causes for each lane.
func TestOutputsOfAStateAgree(t *testing.T) {
	for _, s := range fixture.States() {
		t.Run(s.Name, func(t *testing.T) {
			page, md, terminal := readPage(t, s.Result), readMarkdown(t, s.Result), terminalOf(t, s.Result)
			if page.sentence != md.sentence {
				t.Errorf("the page opens with %q, summary.md with %q", page.sentence, md.sentence)
			}
			if !strings.Contains(terminal, page.sentence) && !page.shares(terminal) {
				t.Errorf("the terminal neither says %q nor its share:\n%s", page.sentence, terminal)
			}
			if !slices.Equal(page.actions, md.actions) {
				t.Errorf("the page says to do %q, summary.md %q", page.actions, md.actions)
			}
			if len(page.lanes) != len(md.lanes) {
				t.Errorf("the page has the lanes %v, summary.md %v", page.lanes, md.lanes)
			}
			for i := range min(len(page.lanes), len(md.lanes)) {
				if p, m := page.lanes[i], md.lanes[i]; p.entries != m.entries || !slices.Equal(p.causes, m.causes) {
					t.Errorf("lane %d of the page is %q, that of summary.md %q", i+1, p, m)
				}
				if !strings.Contains(terminal, page.lanes[i].entries) && !changes(terminal, page.lanes[i].entries) {
					t.Errorf("the terminal does not have the %s of lane %d:\n%s", page.lanes[i].entries, i+1, terminal)
				}
			}
		})
	}
}

// changes reports whether the terminal says that the upload changes so many entries: those it fixes,
// and those it removes for their noindex, which it asks about.
func changes(terminal, entries string) bool {
	sum := 0
	for _, line := range []string{`(?m)^(?:Upload|Would fix) .*?(?:fix(?:es)? )?([\d,]+)(?: entr|;| ·|$)`, `([\d,]+) (?:would be )?removed, noindex \(meant\?\)`} {
		m := regexp.MustCompile(line).FindStringSubmatch(terminal)
		if m == nil {
			return false
		}
		n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		sum += n
	}
	return messages.Number(sum) == entries
}

// opening is what an output says before its rows.
type opening struct {
	sentence string
	actions  []string
	lanes    []lane
}

type lane struct {
	entries string
	causes  []string
}

// shares reports whether the terminal has what the share of o's sentence leaves of 100 %, rounded.
func (o *opening) shares(terminal string) bool {
	bad := regexp.MustCompile(`(?:^|\. )([\d.]+) %`).FindStringSubmatch(o.sentence)
	clean := regexp.MustCompile(`(?m)^Clean.*?([\d.]+) % today`).FindStringSubmatch(terminal)
	if bad == nil || clean == nil {
		return false
	}
	b, _ := strconv.ParseFloat(bad[1], 64)
	c, _ := strconv.ParseFloat(clean[1], 64)
	return math.Abs(b+c-100) < 1
}

func readPage(t *testing.T, result *audit.Result) *opening {
	t.Helper()
	var b strings.Builder
	err := report.Write(t.Context(), &b, "html", result, report.Options{Lang: "en", HTML: func(ctx context.Context, w io.Writer, r *audit.Result) (report.Page, error) {
		return reporthtml.New(ctx, w, r, reporthtml.Options{Lang: "en", Written: func(f int) string { return r.Files[f].Name }})
	}})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	doc.Find(".vh, .acts h2 i, summary .pat").Remove()
	for _, lang := range messages.Langs() {
		if lang != "en" {
			doc.Find("." + lang).Remove()
		}
	}
	texts := func(s *goquery.Selection) (out []string) {
		s.Each(func(_ int, e *goquery.Selection) { out = append(out, strings.Join(strings.Fields(e.Text()), " ")) })
		return out
	}
	o := &opening{sentence: strings.Join(texts(doc.Find("h1")), " "), actions: texts(doc.Find(".acts h2"))}
	doc.Find(".lane").Each(func(_ int, e *goquery.Selection) {
		n := regexp.MustCompile(`\d[\d,]*`).FindString(e.Find("h2, h3").First().Text())
		o.lanes = append(o.lanes, lane{n, texts(e.Find("summary .t"))})
	})
	return o
}

func readMarkdown(t *testing.T, result *audit.Result) *opening {
	t.Helper()
	var b strings.Builder
	if err := report.Write(t.Context(), &b, "md", result, report.Options{Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	o, in := new(opening), false
	plain := func(s string) string { return html.UnescapeString(strings.ReplaceAll(s, `\`, "")) }
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSpace(line)
		sentence := regexp.MustCompile(`^\*\*(.+?)\*\*`).FindStringSubmatch(line)
		action := regexp.MustCompile(`^\d\. \*\*(.+?)\*\*`).FindStringSubmatch(line)
		heading := regexp.MustCompile(`^### .*\(([\d,]+)\)$`).FindStringSubmatch(line)
		switch cells := strings.Split(line, " | "); {
		case o.sentence == "" && sentence != nil:
			o.sentence = plain(sentence[1])
		case action != nil:
			o.actions = append(o.actions, plain(action[1]))
		case heading != nil:
			o.lanes, in = append(o.lanes, lane{entries: heading[1]}), true
		case strings.HasPrefix(line, "### "):
			in = false
		case in && len(cells) > 2 && regexp.MustCompile(`^\| [\d,]+$`).MatchString(cells[0]):
			l := &o.lanes[len(o.lanes)-1]
			l.causes = append(l.causes, plain(cells[1]))
		}
	}
	return o
}

func terminalOf(t *testing.T, result *audit.Result) string {
	t.Helper()
	var b strings.Builder
	if err := report.WriteSummary(&b, result, report.Summary{Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
