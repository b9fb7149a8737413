package conclude_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// A report is n addresses that are reported for a reason and come to the same.
type report struct {
	n      int
	reason audit.Label
	class  audit.Class
	advice audit.Advice
}

func reporting(reports []report, change func(*audit.SearchConsole)) *audit.Result {
	sc := &audit.SearchConsole{}
	for _, x := range reports {
		for range x.n {
			r := audit.ReportedRow{Class: x.class, Advice: x.advice}
			r.Entry.Reported.Reason = x.reason
			sc.Add(&r)
		}
	}
	if change != nil {
		change(sc)
	}
	return audit.MakeResult(audit.Result{SearchConsole: sc}, nil, nil)
}

// What is reported is told as in the brief: one sentence, a row for what becomes of the
// addresses, and a table by Google's reason; and no more than was seen.
func TestReported(t *testing.T) {
	const redirect, gone, soft = audit.LabelRedirect, audit.LabelNotFound, audit.LabelSoft404
	shop := []report{{160, redirect, audit.InSitemapCorrected, audit.AdviceUpload}, {22, redirect, audit.InSitemapNeedsYou, audit.AdviceRepair},
		{89, redirect, audit.NotInSitemapBroken, audit.AdviceGone}, {3, redirect, audit.RedirectsAsItShould, audit.AdviceRedirects},
		{2, redirect, audit.FineNow, audit.AdviceFine}, {20, gone, audit.InSitemapNeedsYou, audit.AdviceRepair},
		{30, gone, audit.NotInSitemapBroken, audit.AdviceGone}, {10, soft, audit.NotReproducible, audit.AdviceGoogles}}
	for name, c := range map[string]struct {
		reports []report
		change  func(*audit.SearchConsole)
		lang    string
		lead    string
		ends    []string
		reasons []string
		remarks []string
	}{
		"the shop": {reports: shop, lead: "The upload corrects 160 of the 336 addresses Google reports. 42 need your decision. For the other 134 there is nothing to change in the sitemap.",
			ends:    []string{"160 Fixed by the same upload", "42 Need your decision", "119 Not in your sitemap, lead to no page", "10 Answer 200 to us", "5 Need nothing"},
			reasons: []string{"Page with redirect 276 [160 22 89 0 5]", "Not found (404) 50 [0 20 30 0 0]", "Soft 404 10 [0 0 0 10 0]"}},
		"in Japanese": {reports: shop, lang: "ja", lead: "Googleが報告する336件のうち、160件はアップロードで修正されます。42件は判断が必要です。残る134件は、サイトマップを変えても変わりません。",
			ends:    []string{"160 同じアップロードで修正", "42 判断が必要", "119 サイトマップになく、ページに届かない", "10 こちらには200を返す", "5 対応不要"},
			reasons: []string{"ページにリダイレクトがあります 276 [160 22 89 0 5]", "見つかりませんでした(404) 50 [0 20 30 0 0]", "ソフト 404 10 [0 0 0 10 0]"}},
		"nothing to upload": {reports: []report{{3, "", audit.FineNow, audit.AdviceFine}, {1, "", audit.NotReproducible, audit.AdviceUnseen}},
			lead: "3 of the 4 addresses Google reports need nothing. 1 could not be checked.", ends: []string{"1 Not checked", "3 Need nothing"}, reasons: []string{"The export gives no reason 4 [1 3]"}},
		"no sitemap": {reports: []report{{2, "x\u202ey", audit.NotInSitemapBroken, audit.AdviceGone}}, change: func(sc *audit.SearchConsole) { sc.NoSitemap = true },
			lead: "Google reports 2 addresses.", ends: []string{"2 In no sitemap that was read, lead to no page"}, reasons: []string{`x\u202Ey 2 [2]`},
			remarks: []string{"No sitemap was read: whether one lists these addresses is not known."}},
		"a sitemap that could not be read": {reports: []report{{1, redirect, audit.InSitemapCorrected, ""}, {2, redirect, audit.NotInSitemapBroken, ""}},
			change: func(sc *audit.SearchConsole) {
				sc.Unread, sc.OtherSite = 1, 2
				sc.Exports = []audit.ReportedExport{{Name: "/home/me/x.zip", Addresses: 3}}
			},
			lead: "The upload corrects 1 of the 3 addresses Google reports.", ends: []string{"1 Fixed by the same upload", "2 In no sitemap that was read, lead to no page"}, reasons: []string{"Page with redirect 3 [1 2]"},
			remarks: []string{"1 sitemap could not be read whole: what it lists is not known.", "2 are of another site than the audited one, and were not crawled."}},
	} {
		words := messages.Of(c.lang)
		r := conclude.ReportedOf(reporting(c.reports, c.change))
		var ends, reasons, remarks []string
		for _, e := range r.Ends {
			ends = append(ends, fmt.Sprint(e.Count, " ", e.Title.In(words)))
			if e.Text.IsZero() || e.Short.IsZero() || e.Part.IsZero() {
				t.Errorf("%s: nothing is said of %s", name, e.Upshot)
			}
		}
		for _, x := range r.Reasons {
			reasons = append(reasons, fmt.Sprint(x.Name.In(words), " ", x.Count, " ", x.Counts))
		}
		for _, x := range r.Remarks {
			remarks = append(remarks, x.In(words))
		}
		if got := r.Lead().In(words); got != c.lead {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.lead)
		}
		for what, both := range map[string][2][]string{"ends": {ends, c.ends}, "reasons": {reasons, c.reasons}, "remarks": {remarks, c.remarks}} {
			if !slices.Equal(both[0], both[1]) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", name, what, both[0], both[1])
			}
		}
		for _, x := range r.Exports {
			if strings.Contains(x.In(words), "/home") {
				t.Errorf("%s: it tells where an export lies", name)
			}
		}
	}
	if conclude.ReportedOf(result(groups{audit.Fine: {"ok": 1}})) != nil {
		t.Error("an audit without an export reports something")
	}
}

// Whatever is reported, each text has its words, and the rows add up to what the lead says.
func TestReportedAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		advices := []audit.Advice{audit.AdviceGoogles, audit.AdviceWhoAsks, audit.AdviceUnseen}
		var reports []report
		n := 0
		for range rapid.IntRange(0, 30).Draw(t, "kinds") {
			x := report{rapid.IntRange(1, 30).Draw(t, "n"), audit.Label(rapid.SampledFrom([]string{"", "a", "b", "`c`", string(audit.LabelRedirect)}).Draw(t, "reason")),
				rapid.SampledFrom(audit.Classes()).Draw(t, "class"), rapid.SampledFrom(advices).Draw(t, "advice")}
			reports = append(reports, x)
			n += x.n
		}
		r := conclude.ReportedOf(reporting(reports, nil))
		sum, columns := 0, make([]int, len(r.Ends))
		for _, x := range r.Reasons {
			for i, k := range x.Counts {
				columns[i] += k
			}
		}
		for i, e := range r.Ends {
			sum += e.Count
			if columns[i] != e.Count {
				t.Fatalf("%s: %d in all, %d by reason", e.Upshot, e.Count, columns[i])
			}
		}
		if sum != n {
			t.Fatalf("%d addresses, the rows add up to %d", n, sum)
		}
		for _, lang := range messages.Langs() {
			words := messages.Of(lang)
			said := []conclude.Sentence{r.Lead(), r.Parts(), r.Heads.Count, r.Heads.End, r.Heads.Do, r.Heads.Reason, r.Heads.ByReason}
			for _, e := range r.Ends {
				said = append(said, e.Title, e.Short, e.Text)
			}
			for _, s := range said {
				if text := s.In(words); strings.ContainsAny(text, "{}") || strings.HasPrefix(text, "r-") {
					t.Fatalf("it says %q", text)
				}
			}
		}
	})
}

// A reason that no export of Search Console has is cut: it may be of any length.
func TestALongReasonIsCut(t *testing.T) {
	result := reporting([]report{{1, audit.Label(strings.Repeat("very long ", 400)), audit.FineNow, ""}, {2, "Page with redirect", audit.FineNow, ""}}, nil)
	for _, lang := range messages.Langs() {
		for _, r := range conclude.ReportedOf(result).Reasons {
			if got := r.Name.In(messages.Of(lang)); len([]rune(got)) > 120 || r.Count == 2 && strings.Contains(got, "…") {
				t.Errorf("%s: %d times %q", lang, r.Count, got)
			}
		}
	}
}
