package sitemap

import (
	"strings"
	"testing"
)

// Each case is a file whose entries are replaced by http://new/ with the date D.
func TestLastmodIsWritten(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"in its place":    {"<urlset><url><loc>http://a/</loc><lastmod>2020-01-01T10:00Z</lastmod></url></urlset>", "<urlset><url><loc>http://new/</loc><lastmod>D</lastmod></url></urlset>"},
		"space around it": {"<urlset><url><loc>http://a/</loc><lastmod>\n 2020 \n</lastmod></url></urlset>", "<urlset><url><loc>http://new/</loc><lastmod>\n D \n</lastmod></url></urlset>"},
		"self-closing":    {"<urlset><url><loc>http://a/</loc><lastmod a='>' /></url></urlset>", "<urlset><url><loc>http://new/</loc><lastmod>D</lastmod></url></urlset>"},
		"none":            {"<urlset><url><loc>http://a/</loc><priority>1</priority></url></urlset>", "<urlset><url><loc>http://new/</loc><lastmod>D</lastmod><priority>1</priority></url></urlset>"},
		"none, on lines":  {"<urlset>\r\n\t<url>\r\n\t\t<loc>http://a/</loc>\r\n\t</url>\r\n</urlset>", "<urlset>\r\n\t<url>\r\n\t\t<loc>http://new/</loc>\r\n\t\t<lastmod>D</lastmod>\r\n\t</url>\r\n</urlset>"},
		"a prefix":        {"<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'><s:url><s:loc >http://a/</s:loc></s:url></s:urlset>", "<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'><s:url><s:loc >http://new/</s:loc><s:lastmod>D</s:lastmod></s:url></s:urlset>"},
		"an index":        {"<sitemapindex><sitemap><loc>http://a/</loc><lastmod>2020</lastmod></sitemap></sitemapindex>", "<sitemapindex><sitemap><loc>http://new/</loc><lastmod>D</lastmod></sitemap></sitemapindex>"},
		"two URLs":        {"<urlset><url><loc>http://a/</loc><loc>http://b/</loc><lastmod>2020</lastmod></url></urlset>", "<urlset><url><loc>http://new/</loc><loc>http://new/</loc><lastmod>2020</lastmod></url></urlset>"},
		"no end tag":      {"<urlset><url><loc>http://a/</loc><lastmod>2020</lastmod></urlset>", "<urlset><url><loc>http://new/</loc><lastmod>2020</lastmod></urlset>"},
	} {
		var out strings.Builder
		edits := Edits{Entry: func(int, []byte) (Edit, error) {
			return Edit{Action: Replace, Loc: "http://new/", Lastmod: "D"}, nil
		}}
		if _, err := Rewrite(strings.NewReader(c.in), &out, edits); err != nil || out.String() != c.want {
			t.Errorf("%s: %v\n %q, want\n %q", name, err, out.String(), c.want)
		}
	}
}

// Copies of an element stand behind it, each with another address.
func TestMoreAddresses(t *testing.T) {
	for name, c := range map[string]struct{ in, date, want string }{
		"on lines":    {"<sitemapindex>\n\t<sitemap>\n\t\t<loc> http://a/ </loc>\n\t</sitemap>\n</sitemapindex>", "", "<sitemapindex>\n\t<sitemap>\n\t\t<loc> http://a/ </loc>\n\t</sitemap>\n\t<sitemap>\n\t\t<loc> http://b/?x&amp;y </loc>\n\t</sitemap>\n\t<sitemap>\n\t\t<loc> http://c/ </loc>\n\t</sitemap>\n</sitemapindex>"},
		"on one":      {"<sitemapindex><sitemap><loc>http://a/</loc></sitemap></sitemapindex>", "", "<sitemapindex><sitemap><loc>http://a/</loc></sitemap><sitemap><loc>http://b/?x&amp;y</loc></sitemap><sitemap><loc>http://c/</loc></sitemap></sitemapindex>"},
		"CDATA":       {"<sitemapindex><sitemap><loc><![CDATA[http://a/]]></loc></sitemap></sitemapindex>", "", "<sitemapindex><sitemap><loc><![CDATA[http://a/]]></loc></sitemap><sitemap><loc><![CDATA[http://b/?x&y]]></loc></sitemap><sitemap><loc><![CDATA[http://c/]]></loc></sitemap></sitemapindex>"},
		"with a date": {"<sitemapindex><sitemap><lastmod>2020</lastmod><loc>http://a/</loc></sitemap></sitemapindex>", "D", "<sitemapindex><sitemap><lastmod>D</lastmod><loc>http://a/</loc></sitemap><sitemap><lastmod>D</lastmod><loc>http://b/?x&amp;y</loc></sitemap><sitemap><lastmod>D</lastmod><loc>http://c/</loc></sitemap></sitemapindex>"},
		"two URLs":    {"<sitemapindex><sitemap><loc>http://a/</loc><loc>http://z/</loc></sitemap></sitemapindex>", "", ""},
	} {
		var out strings.Builder
		edits := Edits{Entry: func(int, []byte) (Edit, error) {
			return Edit{Lastmod: c.date, More: []string{"http://b/?x&y", "http://c/"}}, nil
		}}
		r, err := Rewrite(strings.NewReader(c.in), &out, edits)
		want, added := c.want, 2
		if want == "" {
			want, added = c.in, 0
		}
		if err != nil || r.Added != added || out.String() != want {
			t.Errorf("%s: %v, %+v\n %q, want\n %q", name, err, r, out.String(), want)
		}
	}
}
