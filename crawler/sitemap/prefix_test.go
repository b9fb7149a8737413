package sitemap

import (
	"strings"
	"testing"
)

// A prefix is only a name: its namespace counts, and feeds often declare none.
func TestPrefixedElements(t *testing.T) {
	const own = "http://www.sitemaps.org/schemas/sitemap/0.9"
	for in, want := range map[string]string{
		`<rss xmlns:r="http://backend.userland.com/rss2"><channel><r:item><r:link>http://a/</r:link></r:item></channel></rss>`:                                      "http://a/",
		`<rss><channel><r:item><r:link>http://a/</r:link></r:item><r:item><link>http://b/</link></r:item></channel></rss>`:                                          "http://a/ http://b/",
		`<r:rss xmlns:r="urn:mine"><r:channel><r:link>http://x/</r:link><r:item><r:link>http://a/</r:link></r:item></r:channel></r:rss>`:                            "http://a/",
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:r="http://purl.org/rss/1.0/"><r:item><r:link>http://a/</r:link></r:item></rdf:RDF>`: "http://a/",
		`<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><item><a:link href="http://x/"/><link>http://a/</link></item></channel></rss>`:                         "http://a/",
		`<rss xmlns:p="urn:products"><channel><p:item><p:link>http://x/</p:link></p:item><item><link>http://a/</link></item></channel></rss>`:                       "http://a/",
		`<rss><channel><item><link>http://a/</link></item><r:item><r:link>http://b/</r:link></r:item><item><link>http://c/</link></item></channel></rss>`:           "http://a/ http://b/ http://c/",
		`<urlset xmlns="` + own + `" xmlns:s="` + own + `"><s:url><s:loc>http://a/</s:loc></s:url><url><loc>http://b/</loc></url></urlset>`:                         "http://a/ http://b/",
		`<feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://www.w3.org/2005/Atom"><a:entry><a:link href="http://a/"/></a:entry></feed>`:                      "http://a/",
		`<urlset xmlns="` + own + `" xmlns:o="urn:o"><o:url><o:loc>http://x/</o:loc></o:url><url><loc>http://a/</loc></url></urlset>`:                               "http://a/",
		`<rss><channel><r:item xmlns:r="http://purl.org/rss/1.0/"><r:link>http://a/</r:link></r:item></channel></rss>`:                                              "http://a/",
	} {
		entries, info := mustRead(t, strings.NewReader(in), Options{})
		var got []string
		for _, e := range entries {
			got = append(got, e.Loc)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nlists %q, want %q: %v", in, got, want, info.Faults)
		}
		out, res := mustRewrite(t, []byte(in), edits("http://new/"))
		if again, _ := mustRead(t, strings.NewReader(string(out)), Options{}); res.Replaced != 1 || again[0].Loc != "http://new/" {
			t.Errorf("%s\nis rewritten as %s", in, out)
		}
	}
}
