package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	xhtml "golang.org/x/net/html"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

func reportedPage(t *testing.T, entries, n int, lang string) string {
	t.Helper()
	result := fixture.Reporting(entries, n)
	return pageOf(t, result, Options{Lang: lang, Written: writtenOf(result)})
}

// The section opens with the sentence that matters, and leads to the addresses.
func TestReportedSection(t *testing.T) {
	result := fixture.Reporting(60, 6543)
	doc := parse(t, pageOf(t, result, Options{Lang: "en"}))
	section := byID(doc, "reported")
	if section == nil {
		t.Fatal("there is no section")
	}
	text := strings.Join(strings.Fields(textOf(section)), " ")
	for _, want := range []string{
		fmt.Sprintf("The upload fixes %s of the 6,553 URLs Google reports.", messages.Number(result.SearchConsole.Upshots[audit.UpshotFixed])),
		"shop.example-Coverage-Drilldown-2026-11-21.zip 6,543", "By the reason Google gives", "2 rows could not be read", "List the 6,553 URLs",
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
