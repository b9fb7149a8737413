package sitemap_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/sitemap"
)

// The links of a removed element are handed over as gone, those of one that stays to Links, and one
// that stays with more than are handed over is counted.
func TestRewriteHandsOverGoneLinks(t *testing.T) {
	link := `<xhtml:link rel="alternate" hreflang="de" href="http://a.example/%d"/>`
	var file strings.Builder
	file.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">`)
	for n, links := range []int{2, 1, 1001, 1001} {
		fmt.Fprintf(&file, "<url><loc>http://a.example/e%d</loc>", n)
		for i := range links {
			fmt.Fprintf(&file, link, 10000*n+i)
		}
		file.WriteString("</url>")
	}
	file.WriteString("</urlset>")
	var gone, stay []string
	edits := sitemap.Edits{
		Entry: func(n int, _ []byte) (sitemap.Edit, error) {
			return sitemap.Edit{Action: []sitemap.Action{sitemap.Drop, sitemap.Keep}[n%2]}, nil
		},
		Links: func(links []sitemap.Link) ([]sitemap.Edit, error) {
			for _, l := range links {
				stay = append(stay, l.Href)
			}
			return make([]sitemap.Edit, len(links)), nil
		},
		Gone: func(links []sitemap.Link) error {
			for _, l := range links {
				gone = append(gone, l.Href)
			}
			return nil
		},
	}
	result, err := sitemap.Rewrite(strings.NewReader(file.String()), io.Discard, edits)
	got := fmt.Sprint(gone, stay, result.Unhanded, result.Dropped)
	want := "[http://a.example/0 http://a.example/1] [http://a.example/10000] 1 2"
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
