package sitemap_test

import (
	"strings"
	"testing"

	"sitemend/crawler/sitemap"
)

// A sitemap of news is one of which most entries have the element for it.
func TestSitemapsOfNews(t *testing.T) {
	const news = `<news:news><news:title>x</news:title></news:news>`
	for body, want := range map[string]bool{
		"<url><loc>http://a.example/1</loc>" + news + "</url><url><loc>http://a.example/2</loc>" + news + "</url>": true,
		"<url><loc>http://a.example/1</loc>" + news + "</url><url><loc>http://a.example/2</loc></url>":             false,
		"<url><loc>http://a.example/1</loc></url>":                                                                 false,
	} {
		text := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">` + body + `</urlset>`
		info, err := sitemap.Read(strings.NewReader(text), sitemap.Options{}, func(sitemap.Entry) error { return nil })
		if err != nil || info.News != want {
			t.Errorf("%s: %v, %v", body, info.News, err)
		}
	}
}
