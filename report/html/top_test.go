package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// The parts of a bar fill it, in order, and none is too narrow to be seen.
func TestBarPartsFillTheBar(t *testing.T) {
	for _, counts := range [][]int{{1}, {1307, 1154, 246}, {999_999, 1}, {1, 999_999, 1, 1}, {0, 5, 0, 5}, {0, 0, 7}} {
		end, gaps := 0.0, 0
		sum := 0
		for _, n := range counts {
			sum += n
		}
		parts := barParts(counts, kinds, sum)
		for i, p := range parts {
			x, w := number100(t, p.X), number100(t, p.W)
			if x < end-.01 || x > end+.01 || w < leastPart-.01 || p.At != min(int(x), 99) || p.Gap != (i > 0) {
				t.Errorf("%v: part %d is %+v, after %v", counts, i, p, end)
			}
			end = x + w
			if p.Gap {
				gaps++
			}
		}
		if end < 99.9 || end > 100.1 || gaps != len(parts)-1 {
			t.Errorf("%v: the bar ends at %v, with %d gaps", counts, end, gaps)
		}
	}
	if barParts([]int{0, 0}, kinds, 0) != nil {
		t.Error("a bar of nothing")
	}
}

func number100(t *testing.T, s string) float64 {
	t.Helper()
	var n float64
	for i, part := range strings.Split(strings.TrimSuffix(s, "%"), ".") {
		v := 0.0
		for _, c := range part {
			v = v*10 + float64(c-'0')
		}
		if i == 1 {
			v /= 1000
		}
		n += v
	}
	return n
}

// The first action leads to the one file, or to the folder that has all; where the page is
// served to the archive. What a site sends is no link.
func TestWhereActionsLead(t *testing.T) {
	result := &audit.Result{Files: make([]audit.File, 3)}
	for _, c := range []struct {
		names  []string
		served string
		want   string
	}{
		{[]string{"sitemaps/a.example/x/s.xml"}, "", "sitemaps/a.example/x/s.xml"},
		{[]string{"sitemaps/a.example/x/s.xml", "sitemaps/a.example/x/t.xml"}, "", "sitemaps/a.example/x/"},
		{[]string{"sitemaps/a.example/x/s.xml", "", "sitemaps/a.example/y.xml"}, "", "sitemaps/a.example/"},
		{[]string{"sitemaps/a.example/s.xml", "sitemaps/b.example/s.xml"}, "", "sitemaps/"},
		{[]string{"sitemaps/a.example/s x?.xml"}, "", "sitemaps/a.example/s%20x%3F.xml"},
		{[]string{"a:b"}, "", "./a:b"},
		{[]string{"sitemaps/a.example/s.xml"}, "files/", "files/sitemaps.zip"},
	} {
		o := Options{Served: c.served, Written: func(f int) string {
			if f < len(c.names) {
				return c.names[f]
			}
			return ""
		}}
		upload := &conclude.Conclusion{Actions: []conclude.Action{{Kind: conclude.DoUpload, Target: "#files"}, {Kind: conclude.DoRepair, Target: "https://a.example/sitemap.xml"}}}
		got := actionViews(result, upload, o)
		if got[0].Href != c.want || got[1].Href != "" {
			t.Errorf("%q: leads to %q, want %q; and to %q", c.names, got[0].Href, c.want, got[1].Href)
		}
	}
}

// Numbered steps stand on lines of their own; other numbers split nothing.
func TestNumberedSteps(t *testing.T) {
	for text, want := range map[string][]string{
		"1. Ask. 2. Wait (1.5 s). 3. Go.": {"1. Ask.", "2. Wait (1.5 s).", "3. Go."},
		"1. 直す。2. 待つ。":                    {"1. 直す。", "2. 待つ。"},
		"Use version 2. 3. is wrong.":     {"Use version 2. 3. is wrong."},
	} {
		if got := numberedSteps(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, lang := range messages.Langs() {
		if do := messages.Of(lang).Verdict(audit.SpellingBounce).Do; len(numberedSteps(do)) != 3 {
			t.Errorf("%s: %q", lang, numberedSteps(do))
		}
	}
}

// All faults of a name are one row, errors first. The upload mends those of an address that
// is edited: not what was wrong elsewhere, and not where a line has several entries.
func TestFaultsByKind(t *testing.T) {
	const s = "https://a.example/sitemap.xml"
	fault := func(name, severity string, line, count int) audit.SitemapFault {
		return audit.SitemapFault{Sitemap: s, Line: line, Name: name, Severity: severity, Count: count, Key: audit.FaultAsSaid, Args: []string{name}}
	}
	faults := []audit.SitemapFault{fault("Invalid date", "warning", 3, 0), fault("URL not allowed", "warning", 3, 0), fault("URL not allowed", "warning", 7, 0),
		fault("URL not allowed", "warning", 9, 0), fault("URL not allowed", "warning", 0, 40), fault("HTTP error", "error", 0, 0)}
	result := &audit.Result{Files: []audit.File{{Sitemap: audit.Sitemap{URL: s, Faults: faults}}}}
	for written, want := range map[bool][]int{true: {1, 42, 1}, false: {1, 43, 1}} {
		l := newFaultList(result)
		for _, line := range []int{3, 5, 7, 9, 9} {
			row := audit.Row{Entry: audit.Entry{Line: line}, Fix: audit.Fix{Action: audit.Replace}}
			if line == 7 {
				row.Fix.Action = audit.Keep
			}
			l.see(0, &row, written)
		}
		v := l.view(written)
		var names []string
		var after []int
		for _, k := range v.Kinds {
			names, after = append(names, k.English), append(after, k.After)
		}
		if got := strings.Join(names, ", "); got != "HTTP error, URL not allowed, Invalid date" {
			t.Errorf("the kinds are %s", got)
		}
		if !slices.Equal(after, want) || v.Today != 45 || v.After != want[0]+want[1]+want[2] {
			t.Errorf("written %v: after the upload %v of %d, want %v", written, after, v.Today, want)
		}
		if k := v.Kinds; v.AtMost != written || k[1].AtMost != written || k[0].AtMost || k[2].AtMost {
			t.Errorf("written %v: of which kinds the number is the most: %v, %v, %v, in sum %v", written, k[0].AtMost, k[1].AtMost, k[2].AtMost, v.AtMost)
		}
		places := []string{"sitemap.xml:3", "sitemap.xml:7", "sitemap.xml:9", "sitemap.xml (40)"}
		if written { // only those that remain
			places = places[1:]
		}
		if got := v.Kinds[1].Places; !slices.Equal(got, places) {
			t.Errorf("written %v: the places are %q, want %q", written, got, places)
		}
	}
}

// Faults that count rows go with the rows that are edited, and what stands within an entry goes
// where that is removed. What is gone is no row of the table.
func TestFaultsThatTheUploadMends(t *testing.T) {
	const s = "https://a.example/sitemap.xml"
	fault := func(name, key string, count int) audit.SitemapFault {
		return audit.SitemapFault{Sitemap: s, Line: 2, Name: name, Severity: "warning", Count: count, Key: key, Args: []string{"9", name, ""}}
	}
	result := &audit.Result{Files: []audit.File{{Changed: true, Sitemap: audit.Sitemap{URL: s, Faults: []audit.SitemapFault{
		fault("Sitemap contains URLs which are blocked by robots.txt", "blocked", 3), fault("Duplicate URL", "duplicates", 2),
		fault("Invalid date", "lastmod", 0)}}}}}
	row := func(line int, v audit.Verdict, a audit.Action, notes ...audit.Note) audit.Row {
		return audit.Row{Entry: audit.Entry{Line: line}, Verdict: v, Notes: notes, Fix: audit.Fix{Action: a}}
	}
	rows := []audit.Row{row(4, audit.Disallowed, audit.Keep), row(6, audit.Disallowed, audit.Drop), row(8, audit.Disallowed, audit.Keep),
		row(10, audit.OK, audit.Keep, audit.Duplicate), row(12, audit.Moved, audit.Merge, audit.Duplicate),
		row(14, audit.OK, audit.Merge, audit.Duplicate)}
	for upload, want := range map[bool]string{
		true:  "6 today, 3 after, at most true: Sitemap contains URLs which are blocked by robots.txt 2 false [sitemap.xml:2 (2)], Invalid date 1 true [sitemap.xml:2]; Corrected by the upload: Duplicate URL (2).",
		false: "6 today, 6 after, at most false: Sitemap contains URLs which are blocked by robots.txt 3 false [sitemap.xml:2 (3)], Duplicate URL 2 false [sitemap.xml:2 (2)], Invalid date 1 false [sitemap.xml:2]; ",
	} {
		l := newFaultList(result)
		for i := range rows {
			l.see(0, &rows[i], upload)
		}
		v := l.view(upload)
		var kinds []string
		for _, k := range v.Kinds {
			kinds = append(kinds, fmt.Sprint(k.English, " ", k.After, " ", k.AtMost, " ", k.Places))
		}
		if got := fmt.Sprintf("%d today, %d after, at most %v: %s; %s", v.Today, v.After, v.AtMost, strings.Join(kinds, ", "), v.Mended.In("en")); got != want {
			t.Errorf("upload %v:\n%s, want\n%s", upload, got, want)
		}
	}
}

// What is right as listed counts as clean, so the causes explain the others; alone it is told.
func TestCausesExplainWhatIsNotClean(t *testing.T) {
	lane := func(l audit.Lane, n int) conclude.Lane {
		return conclude.Lane{Lane: l, Count: n, Causes: make([]conclude.Cause, 1)}
	}
	for _, c := range []struct {
		lanes           []conclude.Lane
		causes, entries int
	}{
		{[]conclude.Lane{lane(audit.Upload, 6), lane(audit.Decide, 8), lane(audit.Spelling, 40)}, 2, 14},
		{[]conclude.Lane{lane(audit.Spelling, 40)}, 1, 40},
	} {
		if causes, entries := explained(c.lanes); causes != c.causes || entries != c.entries {
			t.Errorf("%d causes explain %d entries, want %d and %d", causes, entries, c.causes, c.entries)
		}
	}
}

// The files say what the first screen says: how many URLs are clean today and after the upload, and
// nothing of a site that scripts fill.
func TestFilesSayWhatTheFirstScreenSays(t *testing.T) {
	result := fixture.Shop()
	v := newFilesView(result, Options{Written: writtenOf(result)})
	if got := v.Sum.Today.In("en") + ", " + v.Sum.After.In("en"); got != "1,307 / 2,707, 2,461 / 2,707" || v.Sum.Edits != 1154 || v.Sum.Decide != 246 {
		t.Errorf("the sum is %s: %+v", got, v.Sum)
	}
	c := audit.Counts{Entries: 60, Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 60}}, Notes: map[audit.Note]int{audit.NeedsJavaScript: 30}}
	if v := newFileView(0, &audit.File{Counts: c}, "sitemap.xml", Options{Written: func(int) string { return "" }}); v.Today != nil {
		t.Errorf("%q is said of pages that scripts fill", v.Today.In("en"))
	}
}

// An opened cause says where its examples stand, and which files have most of its entries.
func TestCausesSayWhere(t *testing.T) {
	result := fixture.Shop()
	text := textOf(parse(t, between(pageOf(t, result, Options{Written: writtenOf(result)}), `id="fixed"`, `id="decide"`)))
	for _, want := range []string{"sitemap-products-1.xml.gz:2803", "in 2 files", ": sitemap-pages.xml.gz 120 · sitemap-intl.xml.gz 106"} {
		if !strings.Contains(text, want) {
			t.Errorf("causes do not say %q in\n%s", want, text)
		}
	}
}

// The two spellings say how the other one was answered, and no status that was not seen.
func TestTwoSpellingsSayTheirAnswers(t *testing.T) {
	bounce := audit.Counts{Verdicts: map[audit.Verdict]int{audit.SpellingBounce: 1}}
	for want, c := range map[string]struct {
		counts  audit.Counts
		answers []int
	}{
		"301 back to yours": {bounce, []int{301, 200}}, "Redirects back to yours": {bounce, nil},
		"404, another answer": {audit.Counts{}, []int{404}}, "Another answer": {audit.Counts{}, []int{0}},
	} {
		v := newTwoView(&audit.Result{Counts: c.counts}, &conclude.Spelling{Listed: site + "/%28", Other: site + "/(", Answers: c.answers})
		if got := v.OtherSays.In("en"); got != want {
			t.Errorf("the other spelling %q, want %q", got, want)
		}
	}
}
