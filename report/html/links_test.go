package html_test

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/html"
)

// The section of links says what pages link to, in each language, and is not there without them.
// What a page links to cannot become markup.
func TestLinksSection(t *testing.T) {
	render := func(l *audit.Linked) string {
		result := audit.MakeResult(audit.Result{Linked: l}, func(int) iter.Seq2[audit.Row, error] { return func(func(audit.Row, error) bool) {} }, nil)
		var b bytes.Buffer
		p, err := html.New(t.Context(), &b, result, html.Options{Lang: "en"})
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if strings.Contains(render(nil), `id="links"`) {
		t.Error("there is a section without links")
	}
	l := &audit.Linked{Pages: 412, Fine: 400, Old: map[audit.Verdict]audit.LinkCount{audit.Moved: {Targets: 1}}}
	old := audit.LinkRow{Kind: audit.LinkedOld, Target: "https://shop.example/<b>old", Verdict: audit.Moved, RedirectsTo: "https://shop.example/new",
		LinkTo: "https://shop.example/new", Pages: 412, Template: 412, Examples: []string{"https://shop.example/\u202epage"}}
	old.Places[audit.InFooter] = 412
	l.First[audit.LinkedOld], l.Kinds[audit.LinkedOld].Targets = []audit.LinkRow{old}, 1
	l.First[audit.LinkedUnlisted] = []audit.LinkRow{{Kind: audit.LinkedUnlisted, Target: "https://shop.example/x", Verdict: audit.OK, Pages: 1}}
	l.Kinds[audit.LinkedUnlisted].Targets = 201
	l.First[audit.Unlinked] = []audit.LinkRow{{Kind: audit.Unlinked, Target: "https://shop.example/lonely", Verdict: audit.OK, Sitemap: "https://shop.example/sitemap.xml", Line: 7}}
	l.Kinds[audit.Unlinked].Targets = 1
	page := strings.ReplaceAll(render(l), "<wbr>", "")
	if strings.Contains(page, "\u202e") || strings.Contains(page, "<b>old") {
		t.Error("what a site links to is not shown as text")
	}
	for _, want := range []string{`href="#links"`, "412 pages, all in the footer; 100% of them by their template", "412ページ(すべてフッター内)、テンプレートによるもの100%",
		"https://shop.example/new", "Link to this URL", "It answers 200: list it", "200 more are in links.csv", "https://shop.example/lonely", "https://shop.example/sitemap.xml"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}
