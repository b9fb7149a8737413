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

// An advised is what a share of a study's export is told.
type advised struct {
	share  int
	class  audit.Class
	advice audit.Advice
	make   func(s *study, p string) (audit.Row, audit.Verdict)
}

// advices are what a study's export is told, by class.
var advices = []advised{
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
	return s.result.WithReported(sc, func() iter.Seq2[audit.ReportedRow, error] {
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
	result := reporting(entries, n)
	return pageOf(t, result, Options{Lang: lang, Written: writtenOf(result)})
}

// The section opens with the sentence that matters, and leads to the addresses.
func TestReportedSection(t *testing.T) {
	result := reporting(60, 6543)
	doc := parse(t, pageOf(t, result, Options{Lang: "en"}))
	section := byID(doc, "reported")
	if section == nil {
		t.Fatal("there is no section")
	}
	text := strings.Join(strings.Fields(textOf(section)), " ")
	for _, want := range []string{
		fmt.Sprintf("The upload corrects %s of the 6,553 addresses Google reports.", messages.Number(result.SearchConsole.Upshots[audit.UpshotFixed])),
		"shop.example-Coverage-Drilldown-2026-11-21.zip 6,543", "By the reason Google gives", "2 rows could not be read", "List the 6,553 addresses",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the section does not say %q", want)
		}
	}
	if strings.Contains(text, "/home/me") {
		t.Error("the section tells where the export lies")
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
		if !slices.Contains([]string{"h2", "p", "a", "span", "svg", "rect", "b", "h3", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "div", "wbr"}, n.Data) {
			t.Errorf("element %s", n.Data)
		}
	}
}

// The section leads to the addresses, which are among the entries; it fits a phone.
func TestReportedInBrowser(t *testing.T) {
	b := newBrowser(t)
	file := saved(t, "report.html", reportedPage(t, 300, 1000, "en"))
	b.Do(chromedp.EmulateViewport(1280, 900))
	b.open(file, "")
	b.Eval(`document.querySelector('#reported').scrollIntoView()`)
	b.Picture("reported-light", false)
	b.Do(chromedp.Click(chromedp.CSS("#reported .btn")))
	b.Until(`document.querySelector('[data-id=lane-reported]')?.ariaPressed === 'true'`)
	if got := b.Eval(`document.querySelectorAll('#reported img, #reported script, #reported bdi').length`); got != "0" {
		t.Errorf("%s elements came from an address", got)
	}
	b.Do(chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	for _, lang := range []string{"en", "ja"} {
		b.open(file, "#lang="+lang)
		if got := b.Eval(`document.documentElement.scrollWidth`); got != "390" {
			t.Errorf("at 390 px in %s it is %s px wide", lang, got)
		}
		b.Eval(`document.querySelector('#reported').scrollIntoView()`)
		b.Picture("reported-phone-"+lang, false)
	}
	for _, text := range b.Said() {
		t.Errorf("the console says %s", text)
	}
}
