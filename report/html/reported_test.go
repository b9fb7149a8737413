package html

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	xhtml "golang.org/x/net/html"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// advices are what a study's export is told, by class.
var advices = []struct {
	share  int
	class  audit.Class
	advice audit.Advice
	make   func(s *study, p string) (audit.Row, audit.Verdict)
}{
	{700, audit.RedirectsAsItShould, audit.AdviceRedirects, func(s *study, p string) (audit.Row, audit.Verdict) {
		return s.trail("http://www.shop.example"+p, "301", site+p, "200"), audit.Moved
	}},
	{60, audit.RedirectsAsItShould, audit.AdviceTemporary, func(s *study, p string) (audit.Row, audit.Verdict) {
		return s.trail(site+p, "302", site+p+"?ref=sale", "200"), audit.Temporary
	}},
	{100, audit.FineNow, audit.AdviceFine, func(s *study, p string) (audit.Row, audit.Verdict) { return s.trail(site+p, "200"), audit.OK }},
	{40, audit.NotInSitemapBroken, audit.AdviceGone, func(s *study, p string) (audit.Row, audit.Verdict) { return s.trail(site+p, "404"), audit.NotFound }},
	{40, audit.InSitemapCorrected, audit.AdviceUpload, func(s *study, p string) (audit.Row, audit.Verdict) {
		return s.trail("http://www.shop.example"+p+"/ja", "301", site+p+"/ja", "200"), audit.Moved
	}},
	{20, audit.InSitemapNeedsYou, audit.AdviceSeed, func(s *study, p string) (audit.Row, audit.Verdict) {
		return s.trail(site+p+"%284%29", "200"), audit.SpellingBounce
	}},
	{15, audit.InSitemapNeedsYou, audit.AdviceRepair, func(s *study, p string) (audit.Row, audit.Verdict) {
		return s.trail(site+p, "301", site+p+"/", "301"), audit.Loop
	}},
	{15, audit.NotReproducible, audit.AdviceUnseen, func(s *study, p string) (audit.Row, audit.Verdict) { return s.trail(site+p, "403"), audit.Unverified }},
	{10, audit.NotReproducible, audit.AdviceGoogles, func(s *study, p string) (audit.Row, audit.Verdict) { return s.trail(site+p, "200"), audit.OK }},
}

// reporting is a study with an export of n addresses.
func reporting(entries, n int) *audit.Result {
	s := newStudy(entries)
	sc := &audit.SearchConsole{Exports: []audit.ReportedExport{{Name: "/home/me/shop.example-Coverage-Drilldown-2026-11-21.zip", Addresses: n,
		Faults: []audit.SitemapFault{{Name: "Rows that could not be read", Severity: "warning", Count: 2, Key: "export-unread", Args: []string{"2", "17"}}}}}}
	var rows []audit.ReportedRow
	for i := range n {
		at := s.rand.IntN(1000)
		k := 0
		for at -= advices[0].share; at >= 0; at -= advices[k].share {
			k++
		}
		if i < len(advices) {
			k = i
		}
		r := s.reported(k)
		sc.Add(&r)
		rows = append(rows, r)
	}
	for _, loc := range hostile {
		r := audit.ReportedRow{Row: s.listed(loc, 1), Class: audit.InSitemapNeedsYou, Advice: audit.AdviceSeed, To: loc, Join: audit.ByLoc, Sitemaps: []string{loc}}
		r.Entry.Reported = audit.Reported{Is: true, Reason: audit.Label(loc), Crawled: loc}
		sc.Add(&r)
		rows = append(rows, r)
	}
	return s.told.WithReported(sc, func() iter.Seq2[audit.ReportedRow, error] {
		return func(yield func(audit.ReportedRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}
	})
}

func (s *study) reported(k int) audit.ReportedRow {
	a := advices[k]
	row, v := a.make(s, s.path())
	s.finish(&row, v)
	r := audit.ReportedRow{Row: row, Class: a.class, Advice: a.advice, To: row.Final.String()}
	r.Entry.Reported = audit.Reported{Is: true, Reason: audit.LabelRedirect, Crawled: "2026-11-02"}
	if a.advice == audit.AdviceGoogles {
		r.Entry.Reported.Reason = audit.LabelCrawled
	}
	if v == audit.SpellingBounce {
		r.To = strings.NewReplacer("%28", "(", "%29", ")").Replace(row.Address.String())
	}
	if a.class == audit.InSitemapCorrected || a.class == audit.InSitemapNeedsYou {
		r.Join, r.Sitemaps = audit.ByLoc, []string{site + "/product-sitemap.xml"}
	}
	return r
}

func reportedPage(t *testing.T, entries, n int, lang string) string {
	t.Helper()
	told := reporting(entries, n)
	return pageOf(t, told, Options{Lang: lang, Written: writtenOf(told)})
}

// The section opens with the sentence that matters, and shows the first 200
// addresses without a script, those that need a person first.
func TestReportedSection(t *testing.T) {
	told := reporting(60, 6543)
	doc := parse(t, pageOf(t, told, Options{Lang: "en"}))
	section := byID(doc, "reported")
	if section == nil {
		t.Fatal("there is no section")
	}
	text := strings.Join(strings.Fields(textOf(section)), " ")
	for _, want := range []string{
		fmt.Sprintf("The upload corrects %s of the 6,553 addresses Google reports.", messages.Number(told.SearchConsole.Upshots[audit.UpshotFixed])),
		"shop.example-Coverage-Drilldown-2026-11-21.zip 6,543", "By the reason Google gives", "2 rows could not be read", "The first 200,", "Asked in another spelling,",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not say %q", want)
		}
	}
	if strings.Contains(text, "/home/me") {
		t.Error("the section tells where the export lies")
	}
	rows := 0
	for n := range byID(doc, "reported-static").Descendants() {
		if n.Data == "tr" {
			rows++
		}
	}
	if rows != 201 {
		t.Errorf("%d rows without a script, want 200 and the head", rows)
	}
	if doc := parse(t, studyPage(t, 60, "en")); byID(doc, "reported") != nil {
		t.Error("a page without an export has the section")
	}
}

func byID(doc *xhtml.Node, id string) *xhtml.Node {
	for n := range doc.Descendants() {
		if n.Type == xhtml.ElementNode && attr(n, "id") == id {
			return n
		}
	}
	return nil
}

// What an export or a site sends stays text in the section, too.
func TestReportedAddressesStayText(t *testing.T) {
	doc := parse(t, reportedPage(t, 20, 20, "en"))
	for n := range byID(doc, "reported").Descendants() {
		if n.Type != xhtml.ElementNode {
			continue
		}
		if !slices.Contains([]string{"h2", "p", "strong", "span", "svg", "use", "rect", "b", "h3", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "div", "bdi", "code", "script"}, n.Data) {
			t.Errorf("element %s", n.Data)
		}
		if n.Data == "script" && attr(n, "type") != "text/plain" && attr(n, "type") != "application/json" {
			t.Errorf("a script that runs: %q", n.FirstChild.Data)
		}
	}
}

func TestReportedInBrowser(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", reportedPage(t, 300, 1000, "en"))
	b.Do(chromedp.EmulateViewport(1280, 900))
	b.open(file, "")
	status := func() string {
		return b.Eval(`document.querySelector('#reported-app [role=status]').textContent`)
	}
	if got := status(); !strings.HasSuffix(got, "of 1,010 entries") && !strings.Contains(got, "1,010") {
		t.Errorf("all rows: %q", got)
	}
	if got := b.Eval(`document.querySelector('#reported-app tbody td .v').textContent`); got != "In your sitemap, needs a decision" {
		t.Errorf("the first row is %q", got)
	}
	b.Eval(`document.querySelector('#reported').scrollIntoView()`)
	b.Picture("reported-light", false)
	b.Do(chromedp.Click(chromedp.CSS("[data-id=rc-redirects-as-it-should]")))
	if got := b.Eval(`[...document.querySelectorAll('#reported-app tbody td .v')].filter(v => v.textContent !== 'Redirects, not in your sitemap').length`); got != "0" {
		t.Errorf("%s rows of other classes", got)
	}
	if got := b.Eval(`document.activeElement.dataset.id`); got != "rc-redirects-as-it-should" {
		t.Errorf("the focus went to %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS("#reported-app [data-nav=last]")))
	b.Until(`document.querySelector('#reported-app [data-nav=next]').disabled`)
	b.Do(chromedp.Click(chromedp.CSS("[data-id=rc-all]")), chromedp.SendKeys(chromedp.CSS("#rq"), "%284%29"))
	b.Until(`[...document.querySelectorAll('#reported-app tbody th')].every(th => th.textContent.includes('%284%29') || th.parentNode.textContent.includes('(4)'))`)
	if got := b.Eval(`document.querySelector('#reported-app tbody code').textContent.includes('(4)')`); got != "true" {
		t.Error("the second spelling does not stand in what to do")
	}
	b.Do(chromedp.Click(chromedp.CSS("#reported-app tbody a")))
	b.Until(`location.hash.includes('q=') && document.querySelector('#q').value.includes('%284%29')`)
	b.Do(chromedp.Click(chromedp.CSS("#lang")))
	b.Until(`document.querySelector('#reported-app').textContent.includes('サイトマップの記載は正しく')`)
	if got := b.Eval(`document.querySelectorAll('#reported img, #reported script:not([type])').length`); got != "0" {
		t.Errorf("%s elements came from an address", got)
	}
	b.Eval(`(() => { const s = document.querySelector('#theme'); s.value = 'dark'; s.dispatchEvent(new Event('change')); document.querySelector('#reported').scrollIntoView(); })()`)
	b.Picture("reported-dark-ja", false)
	fitsPhoneReported(b, file)
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}

func fitsPhoneReported(b *browser, file string) {
	b.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	for _, lang := range []string{"en", "ja"} {
		b.open(file, "#lang="+lang)
		if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
			b.T.Errorf("at 390 px in %s it is %s px wide", lang, got)
		}
		b.Eval(`document.querySelector('#reported').scrollIntoView()`)
		b.Picture("reported-phone-"+lang, false)
		b.Eval(`document.querySelector('#reported-app').scrollIntoView()`)
		b.Picture("reported-phone-rows-"+lang, false)
	}
	b.Do(chromedp.EmulateViewport(1280, 900))
}
