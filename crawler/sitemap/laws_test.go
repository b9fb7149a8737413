package sitemap

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fragments are parts of broken and valid sitemaps.
var fragments = []string{
	"<urlset>", "</urlset>", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "<sitemapindex>", "<s:urlset>", "<rss>", "<feed>", "<item>", "</item>", "<entry>", "</entry>",
	"<url>", "</url>", "<url>", "</url>", "<sitemap>", "</sitemap>", "<s:url>", "</s:url>", "<loc>", "</loc>", "<loc>", "</loc>", "<s:loc>", "<loc/>", "<url/>", "<loc><url>", "</url></loc>",
	"<link>", "</link>", `<link href="http://l/"/>`, `<link hreflang="de" href="http://l/de"/>`, `<link hreflang=fr href=http://l/fr>`, "<link href>", "<link href=>", "<link href=http://m/>", "<link href=", "<feed><entry>", "<feed><entry><link href= http://n/", `<x:link href='http://a/&amp;'/>`, `<x:link href=http://a/&amp; >`, "<lastmod>", "</lastmod>", "2026-01-01",
	"<image:image>", "</image:image>", "<image:loc>", "</image:loc>", "<b>", "</b>", "<b", "<", ">", "&", "&amp;", "&#32;", ";", "]]>", "<![CDATA[", "<!--", "-->", "<?x", "?>", "<!DOCTYPE x [", "]>", "\"", "'",
	"http://a/", "http://b/?x&y", " ", "\n", "\r\n", "\t", "\u3000", "\u00a0", "\xe3\x81", "é", "\x00", "#",
	"<url><loc>http://c/</loc></url>\n", " <url>\n  <loc> http://d/ </loc>\n </url>\r\n", "<url><loc><![CDATA[http://e/]]></loc></url>",
}

func someFile(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 40).Draw(t, "file"), ""))
}

// The entries of a file do not depend on how its bytes arrive, and without edits it stays the same.
func TestRewriteNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := someFile(rt)
		entries, _, _ := readAll(bytes.NewReader(file), Options{})
		sameInSmallSteps(t, file, entries)
		var out bytes.Buffer
		res, _ := Rewrite(bytes.NewReader(file), &out, unedited)
		if !bytes.Equal(out.Bytes(), file) || res.Entries != len(entries) {
			rt.Fatalf("%q became %q, %d entries, %+v", file, out.Bytes(), len(entries), res)
		}
	})
}

// Read finds in an edited file what was edited into it.
func TestRewriteReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := someFile(rt)
		entries, _, err := readAll(bytes.NewReader(file), Options{})
		if err != nil {
			return
		}
		editedReadsBack(t, file, entries, newRandom(rapid.Uint64().Draw(rt, "seed")))
	})
}
