package sitemap

import (
	"bytes"
	"strings"
	"testing"
)

// The edits of a case are in the order of its entries: "-" keeps, "x" drops, anything else is the
// address to write.
var rewrites = []struct{ name, in, edits, want string }{
	{"replace", `<urlset><url><loc>http://a/</loc></url></urlset>`, "https://b/?x=1&y='2'",
		`<urlset><url><loc>https://b/?x=1&amp;y=&apos;2&apos;</loc></url></urlset>`},
	{"white space stays", "<urlset><url><loc>\n\t http://a/ &#32;\u3000\n</loc></url></urlset>", "http://b/",
		"<urlset><url><loc>\n\t http://b/ &#32;\u3000\n</loc></url></urlset>"},
	{"CDATA", "<urlset><url><loc>\n<![CDATA[ http://a/ ]]>\n</loc></url></urlset>", "http://b/?x&y]]>",
		"<urlset><url><loc>\n<![CDATA[ http://b/?x&y]]]]><![CDATA[> ]]>\n</loc></url></urlset>"},
	{"empty", `<urlset><url><loc> </loc></url><url><s:loc/><loc x="1"/></url></urlset>`, "http://b/, http://c/?a&b",
		`<urlset><url><loc>http://b/ </loc></url><url><s:loc/><loc x="1">http://c/?a&amp;b</loc></url></urlset>`},
	{"drop with its line", "<urlset>\n  <url><loc>http://a/</loc></url>\n\t<url>\n <loc>http://b/</loc>\n</url> \r\n  <url><loc>http://c/</loc></url>\n</urlset>", "-, x, -",
		"<urlset>\n  <url><loc>http://a/</loc></url>\n  <url><loc>http://c/</loc></url>\n</urlset>"},
	{"drop all on a shared line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url><url><loc>http://c/</loc></url> \n</urlset>", "x, x, x", "<urlset>\n</urlset>"},
	{"drop the first ones of a line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url><!-- c -->\n</urlset>", "x, x", "<urlset>\n  <!-- c -->\n</urlset>"},
	{"drop on a shared line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url>\n <!-- c --><url><loc>http://c/</loc></url>\n</urlset>", "x, -, x",
		"<urlset>\n  <url><loc>http://b/</loc></url>\n <!-- c -->\n</urlset>"},
	{"one of two", "<sitemapindex><sitemap>\n <loc>http://a/</loc>\n <loc>http://b/</loc>\n</sitemap></sitemapindex>", "x, http://c/",
		"<sitemapindex><sitemap>\n <loc>http://c/</loc>\n</sitemap></sitemapindex>"},
	{"unfinished end", "<urlset>\n<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc><lastm", "x, x", "<urlset>\n<url><loc>http://b/</loc><lastm"},
	{"unclosed url", "<urlset><url><loc>http://a/</loc><url><loc>http://b/</loc></url><url><loc>http://c/</loc></url></urlset>", "x, x, x", "<urlset><url><loc>http://a/</loc><url><loc>http://b/</loc></url></urlset>"},
	{"links", `<urlset><url><loc>http://a/</loc><x:link rel="alternate" hreflang="de" href="http://a/&amp;"/><x:link href=' http://a/&amp; '/><x:link href="http://other/"/></url></urlset>`, "-",
		`<urlset><url><loc>http://a/</loc><x:link rel="alternate" hreflang="de" href="http://linked/?&apos;&amp;"/><x:link href=' http://linked/?&apos;&amp; '/><x:link href="http://other/"/></url></urlset>`},
	{"links of a dropped url", `<urlset><url><x:link href="http://a/&amp;"/><loc>http://a/</loc><x:link href="http://a/&amp;"/></url><url><x:link href="http://a/&amp;"/><loc>b</loc></url></urlset>`, "x, -",
		`<urlset><url><x:link href="http://linked/?&apos;&amp;"/><loc>b</loc></url></urlset>`},
	{"a link that is dropped", "<urlset><url><loc>http://a/</loc>\n <x:link hreflang='de' href='http://gone/'/>\n <x:link href='http://gone/' /><x:link href='http://b/'/>\n</url></urlset>", "-",
		"<urlset><url><loc>http://a/</loc>\n <x:link href='http://b/'/>\n</url></urlset>"},
	{"a dropped link with an end tag", "<urlset><url><loc>http://a/</loc><x:link href='http://gone/'> </x:link ><x:link href='http://gone/'>x</x:link><x:link href='http://gone/'></url></urlset>", "-",
		"<urlset><url><loc>http://a/</loc><x:link href='http://gone/'>x</x:link><x:link href='http://gone/'></url></urlset>"},
	{"BOM", "\uFEFF<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc></url>\n", "x, http://c/", "\uFEFF<url><loc>http://c/</loc></url>\n"},
	{"text", "http://a/\nhttp://b/\nhttp://c/?x&y\n", "-, x, http://d/?a&b", "http://a/\nhttp://d/?a&b\n"},
	{"text, CRLF and BOM", "\uFEFFhttp://a/\r\n\r\n http://b/ \r\nhttp://c/", "x, http://d/, x", "\uFEFF\r\n http://d/ \r\n"},
}

// edits returns the edits of a case; of the links, it replaces http://a/& and drops http://gone/
// where it can.
func edits(s string) Edits {
	list := strings.Split(s, ", ")
	return Edits{Links: testLinks, Entry: func(n int, _ []byte) (Edit, error) {
		switch {
		case n >= len(list) || list[n] == "-":
			return Edit{}, nil
		case list[n] == "x":
			return Edit{Action: Drop}, nil
		}
		return Edit{Action: Replace, Loc: list[n]}, nil
	}}
}

func testLinks(links []Link) ([]Edit, error) {
	out := make([]Edit, len(links))
	for i, l := range links {
		switch {
		case l.Href == "http://a/&":
			out[i] = Edit{Action: Replace, Loc: "http://linked/?'&"}
		case l.Href == "http://gone/" && !l.Bound:
			out[i] = Edit{Action: Drop}
		}
	}
	return out, nil
}

func mustRewrite(t testing.TB, in []byte, e Edits) ([]byte, Result) {
	t.Helper()
	var out bytes.Buffer
	res, err := Rewrite(bytes.NewReader(in), &out, e)
	if err != nil {
		t.Fatalf("Rewrite: %v", err)
	}
	return out.Bytes(), res
}

func TestRewrite(t *testing.T) {
	for _, c := range rewrites {
		got, _ := mustRewrite(t, []byte(c.in), edits(c.edits))
		if string(got) != c.want {
			t.Errorf("%s:\n   in %q\n  got %q\n want %q", c.name, c.in, got, c.want)
		}
	}
}

// unedited keeps all entries and links.
var unedited = Edits{Entry: func(int, []byte) (Edit, error) { return Edit{}, nil }}
