package sitemap_test

import (
	"io"
	"strings"
	"testing"

	"sitemend/crawler/sitemap"
)

// An element with more than 1,000 alternates keeps all of them, with and without Assets.
func TestManyLinksOfAnElementStay(t *testing.T) {
	link := `<xhtml:link rel="alternate" hreflang="de" href="https://a.example/old"/>`
	image := `<image:image><image:loc>https://a.example/old</image:loc></image:image>`
	for _, c := range []struct {
		links, images int
		assets        bool
		relinked      int
	}{
		{1000, 0, false, 1000}, {1001, 0, false, 0},
		{1000, 0, true, 1000}, {1001, 0, true, 0},
		{1000, 4000, true, 5000}, {1000, 4001, true, 0},
		{1000, 4001, false, 1000},
		{0, 1001, true, 1001},
	} {
		in := "<urlset xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\"><url><loc>https://a.example/</loc>" +
			strings.Repeat(link, c.links) + strings.Repeat(image, c.images) + "</url></urlset>"
		seen := 0
		edits := sitemap.Edits{Assets: c.assets,
			Entry: func(int, []byte) (sitemap.Edit, error) { return sitemap.Edit{Action: sitemap.Keep}, nil },
			Links: func(links []sitemap.Link) ([]sitemap.Edit, error) {
				seen = len(links)
				all := make([]sitemap.Edit, len(links))
				for i := range all {
					all[i] = sitemap.Edit{Action: sitemap.Replace, Loc: "https://a.example/new"}
				}
				return all, nil
			}}
		got, err := sitemap.Rewrite(strings.NewReader(in), io.Discard, edits)
		if err != nil || got.Relinked != c.relinked || seen != c.relinked {
			t.Errorf("%+v: %d of %d links, %v", c, got.Relinked, seen, err)
		}
	}
}
