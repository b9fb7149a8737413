package sitemap_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/sitemap"
)

// An element with more than 1,000 alternates keeps all of them.
func TestManyLinksOfAnElementStay(t *testing.T) {
	link := `<xhtml:link rel="alternate" hreflang="de" href="https://a.example/old"/>`
	for links, relinked := range map[int]int{1000: 1000, 1001: 0} {
		in := `<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://a.example/</loc>` + strings.Repeat(link, links) + "</url></urlset>"
		edits := sitemap.Edits{
			Entry: func(int, []byte) (sitemap.Edit, error) { return sitemap.Edit{}, nil },
			Links: func(links []sitemap.Link) ([]sitemap.Edit, error) {
				return slices.Repeat([]sitemap.Edit{{Action: sitemap.Replace, Loc: "https://a.example/new"}}, len(links)), nil
			}}
		got, err := sitemap.Rewrite(strings.NewReader(in), io.Discard, edits)
		if err != nil || got.Relinked != relinked {
			t.Errorf("%d links: %+v, %v", links, got, err)
		}
	}
}
