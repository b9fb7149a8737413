package sitemap

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
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
	{"partly CDATA", `<urlset><url><loc>http://a/<![CDATA[?x&y ]]></loc></url></urlset>`, "http://b/?x&y",
		`<urlset><url><loc>http://b/?x&amp;y<![CDATA[ ]]></loc></url></urlset>`},
	{"CDATA, then text", `<urlset><url><loc><![CDATA[ http://a/]]>?x&amp;y </loc></url></urlset>`, "http://b/?x&y",
		`<urlset><url><loc><![CDATA[ http://b/?x&y]]> </loc></url></urlset>`},
	{"two CDATA sections", `<urlset><url><loc><![CDATA[http://a/]]><![CDATA[?x]]></loc></url></urlset>`, "http://b/",
		`<urlset><url><loc><![CDATA[http://b/]]></loc></url></urlset>`},
	{"empty", `<urlset><url><loc> </loc></url><url><s:loc/><loc x="1"/></url></urlset>`, "http://b/, http://c/?a&b",
		`<urlset><url><loc>http://b/ </loc></url><url><s:loc/><loc x="1">http://c/?a&amp;b</loc></url></urlset>`},
	{"drop with its line", "<urlset>\n  <url><loc>http://a/</loc></url>\n\t<url>\n <loc>http://b/</loc>\n</url> \r\n  <url><loc>http://c/</loc></url>\n</urlset>", "-, x, -",
		"<urlset>\n  <url><loc>http://a/</loc></url>\n  <url><loc>http://c/</loc></url>\n</urlset>"},
	{"drop all", "<urlset>\n<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc></url>\n</urlset>", "x, x", "<urlset>\n</urlset>"},
	{"drop all on a shared line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url><url><loc>http://c/</loc></url> \n</urlset>", "x, x, x", "<urlset>\n</urlset>"},
	{"drop the first ones of a line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url><!-- c -->\n</urlset>", "x, x", "<urlset>\n  <!-- c -->\n</urlset>"},
	{"drop on a shared line", "<urlset>\n <url><loc>http://a/</loc></url> <url><loc>http://b/</loc></url>\n <!-- c --><url><loc>http://c/</loc></url>\n</urlset>", "x, -, x",
		"<urlset>\n  <url><loc>http://b/</loc></url>\n <!-- c -->\n</urlset>"},
	{"drop in one line", "<urlset><url><loc>http://a/</loc></url><url><loc>http://b/</loc></url></urlset>", "x, -", "<urlset><url><loc>http://b/</loc></url></urlset>"},
	{"comments stay", "<urlset>\n<!-- a -->\n<url><loc>http://a/</loc></url>\n<!-- b -->\n</urlset>", "x", "<urlset>\n<!-- a -->\n<!-- b -->\n</urlset>"},
	{"first line", "<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc></url>", "x, -", "<url><loc>http://b/</loc></url>"},
	{"one of two", "<sitemapindex><sitemap>\n <loc>http://a/</loc>\n <loc>http://b/</loc>\n</sitemap></sitemapindex>", "x, http://c/",
		"<sitemapindex><sitemap>\n <loc>http://c/</loc>\n</sitemap></sitemapindex>"},
	{"both of two", "<sitemapindex><sitemap><loc>http://a/</loc><loc>http://b/</loc></sitemap></sitemapindex>", "x, x", "<sitemapindex></sitemapindex>"},
	{"unfinished end", "<urlset>\n<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc><lastm", "x, x", "<urlset>\n<url><loc>http://b/</loc><lastm"},
	{"cut off", "<urlset><url><loc>http://a/</loc></url><url><loc>http://b", "http://c/", "<urlset><url><loc>http://c/</loc></url><url><loc>http://b"},
	{"unclosed url", "<urlset><url><loc>http://a/</loc><url><loc>http://b/</loc></url><url><loc>http://c/</loc></url></urlset>", "x, x, x", "<urlset><url><loc>http://a/</loc><url><loc>http://b/</loc></url></urlset>"},
	{"links", `<urlset><url><loc>http://a/</loc><x:link rel="alternate" hreflang="de" href="http://a/&amp;"/><x:link href=' http://a/&amp; '/><x:link href="http://other/"/></url></urlset>`, "-",
		`<urlset><url><loc>http://a/</loc><x:link rel="alternate" hreflang="de" href="http://linked/?&apos;&amp;"/><x:link href=' http://linked/?&apos;&amp; '/><x:link href="http://other/"/></url></urlset>`},
	{"links of another namespace", `<urlset xmlns:f="urn:f" xmlns:x="https://www.w3.org/1999/xhtml"><url><loc>http://a/</loc><f:link href="http://a/&amp;"/><x:link href="http://a/&amp;"/></url></urlset>`, "-",
		`<urlset xmlns:f="urn:f" xmlns:x="https://www.w3.org/1999/xhtml"><url><loc>http://a/</loc><f:link href="http://a/&amp;"/><x:link href="http://linked/?&apos;&amp;"/></url></urlset>`},
	{"links of a dropped url", `<urlset><url><x:link href="http://a/&amp;"/><loc>http://a/</loc><x:link href="http://a/&amp;"/></url><url><x:link href="http://a/&amp;"/><loc>b</loc></url></urlset>`, "x, -",
		`<urlset><url><x:link href="http://linked/?&apos;&amp;"/><loc>b</loc></url></urlset>`},
	{"a link that is dropped", "<urlset><url><loc>http://a/</loc>\n <x:link hreflang='de' href='http://gone/'/>\n <x:link href='http://gone/' /><x:link href='http://b/'/>\n</url></urlset>", "-",
		"<urlset><url><loc>http://a/</loc>\n <x:link href='http://b/'/>\n</url></urlset>"},
	{"a dropped link with an end tag", "<urlset><url><loc>http://a/</loc><x:link href='http://gone/'> </x:link ><x:link href='http://gone/'>x</x:link><x:link href='http://gone/'></url></urlset>", "-",
		"<urlset><url><loc>http://a/</loc><x:link href='http://gone/'>x</x:link><x:link href='http://gone/'></url></urlset>"},
	{"BOM", "\uFEFF<url><loc>http://a/</loc></url>\n<url><loc>http://b/</loc></url>\n", "x, http://c/", "\uFEFF<url><loc>http://c/</loc></url>\n"},
	{"text", "http://a/\nhttp://b/\nhttp://c/?x&y\n", "-, x, http://d/?a&b", "http://a/\nhttp://d/?a&b\n"},
	{"text, CRLF and BOM", "\uFEFFhttp://a/\r\n\r\n http://b/ \r\nhttp://c/", "x, http://d/, x", "\uFEFF\r\n http://d/ \r\n"},
	{"text, CR", "http://a/\rhttp://b/\rhttp://c/", "-, x, -", "http://a/\rhttp://c/"},
	{"text, last", "http://a/\nhttp://b/", "-, x", "http://a/\n"},
	{"atom in a language", `<feed><entry><link hreflang="en" href='http://a/'/><title>t</title></entry> <entry><link hreflang="en" href="http://b/"/></entry></feed>`, "http://c/?a'b&c, x", `<feed><entry><link hreflang="en" href='http://c/?a&apos;b&amp;c'/><title>t</title></entry> </feed>`},
	{"atom", `<feed><entry><link href='http://a/'/></entry> <entry><link href="http://b/"/></entry></feed>`, "http://c/?a'b&c, x", `<feed><entry><link href='http://c/?a&apos;b&amp;c'/></entry> </feed>`},
	{"values without quotes", `<feed><entry><link href/><link href=>x</link></entry><entry><link href=&#32;http://a/ /></entry></feed>`, "http://b/, http://c/",
		`<feed><entry><link href/><link href="http://b/">x</link></entry><entry><link href="http://c/" /></entry></feed>`},
	{"rss", "<rss><channel>\n<item><link>http://a/</link></item>\n<item><link>http://b/</link></item></channel></rss>", "x, http://c/", "<rss><channel>\n<item><link>http://c/</link></item></channel></rss>"},
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

func keepLinks(links []Link) ([]Edit, error) { return make([]Edit, len(links)), nil }

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

func TestRewriteKeepsCharset(t *testing.T) {
	in := "\uFEFF<?xml version=\"1.0\"?>\n<urlset>\n<url><loc>http://a/あ𠮷</loc></url>\n<url><loc>http://b/</loc></url><!-- 日本 --></urlset>\n"
	want := "\uFEFF<?xml version=\"1.0\"?>\n<urlset>\n<url><loc>http://c/&amp;</loc></url>\n<url><loc>http://b/</loc></url><!-- 日本 --></urlset>\n"
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		e := unicode.UTF16(order, unicode.IgnoreBOM)
		file, _ := e.NewEncoder().Bytes([]byte(in))
		wanted, _ := e.NewEncoder().Bytes([]byte(want))
		for _, cut := range []int{0, 2} { // with and without a byte order mark
			entries, info := mustRead(t, bytes.NewReader(file[cut:]), Options{})
			if len(entries) != 2 || entries[0].Loc != "http://a/あ𠮷" || !strings.HasPrefix(info.Charset, "utf-16") {
				t.Fatalf("UTF-16 is read as %v, %+v", entries, info)
			}
			if got, _ := mustRewrite(t, file[cut:], edits("http://c/&, -")); !bytes.Equal(got, wanted[cut:]) {
				t.Errorf("UTF-16 is rewritten as % x\nwant % x", got, wanted[cut:])
			}
		}
	}
}

func TestRewriteLegacyCharset(t *testing.T) {
	in := `<?xml version="1.0" encoding="Shift_JIS"?><urlset><url><loc> http://a/表ソ能 </loc></url><url><loc>http://b/&#12354;ソ</loc></url></urlset>`
	file, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	entries, info := mustRead(t, bytes.NewReader(file), Options{})
	if info.Charset != "shift_jis" || entries[0].Loc != "http://a/表ソ能" || entries[1].Loc != "http://b/あソ" {
		t.Fatalf("Shift_JIS is read as %+v %v", info, entries)
	}
	want, _ := japanese.ShiftJIS.NewEncoder().Bytes([]byte(strings.Replace(in, "http://a/表ソ能", "http://c/", 1)))
	if got, _ := mustRewrite(t, file, edits("http://c/, -")); !bytes.Equal(got, want) {
		t.Errorf("Shift_JIS is rewritten as %q, want %q", got, want)
	}
}

func TestDeclaredCharset(t *testing.T) {
	for declared, want := range map[string]string{
		"UTF-8": "utf-8", "utf8": "utf-8", "UTF-16": "utf-8", "CP932": "shift_jis", "x-sjis": "shift_jis", "eucJP": "euc-jp", "GB2312": "gbk",
		"windows-1251": "windows-1251", "iso-8859-1": "windows-1252", "klingon": "unknown", "viscii": "unknown",
		"cp437": "ibm437", "IBM850": "ibm850", "UTF-32": "utf-8", "ISO-10646-UCS-4": "utf-8", "IBM037": "unknown", "US-ASCII": "windows-1252",
	} {
		_, info := mustRead(t, strings.NewReader(`<?xml version="1.0" encoding="`+declared+`"?>`+locs("http://a/")), Options{})
		got := info.Charset
		if hasFault(info, "unknown-charset") {
			got = "unknown"
		}
		if got != want {
			t.Errorf("%s is read as %s, want %s", declared, got, want)
		}
	}
}

// A byte order mark of UTF-8 takes precedence over what the file declares, as in browsers (WHATWG
// Encoding, "decode") and in XML 1.0, F.1.
func TestMarkBeforeDeclaration(t *testing.T) {
	in := "\uFEFF" + `<?xml version="1.0" encoding="Shift_JIS"?><urlset><url><loc>http://a/能</loc></url></urlset>`
	entries, info := mustRead(t, strings.NewReader(in), Options{})
	if entries[0].Loc != "http://a/能" || info.Charset != "utf-8" {
		t.Errorf("the address is %q, in %s", entries[0].Loc, info.Charset)
	}
}

// The size of a UTF-16 file is that of the bytes that were served.
func TestSizeOfUTF16(t *testing.T) {
	file, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(locs("http://a/")))
	if _, info := mustRead(t, bytes.NewReader(file), Options{}); info.Size != int64(len(file)) {
		t.Errorf("%d bytes are told as %d", len(file), info.Size)
	}
}

func TestReadEUCJP(t *testing.T) {
	text := `<?xml version="1.0" encoding="EUC-JP"?><urlset><url><loc>http://a/?q=日本語</loc></url></urlset>`
	file, _ := japanese.EUCJP.NewEncoder().Bytes([]byte(text))
	entries, info := mustRead(t, bytes.NewReader(file), Options{})
	if entries[0].Loc != "http://a/?q=日本語" || info.Charset != "euc-jp" {
		t.Errorf("EUC-JP is read as %v, %+v", entries, info)
	}
	undeclared := bytes.Replace(file, []byte(` encoding="EUC-JP"`), nil, 1)
	entries, info = mustRead(t, bytes.NewReader(undeclared), Options{})
	if strings.Contains(entries[0].Loc, "日本語") || !hasFault(info, "not-utf8") {
		t.Errorf("EUC-JP without a declaration is read as %v, %v", entries, info.Faults)
	}
}

func TestRewriteErrors(t *testing.T) {
	in := "http://a/\nhttp://b/\n"
	stop := errors.New("no more")
	_, err := Rewrite(strings.NewReader(in), io.Discard, Edits{Entry: func(int, []byte) (Edit, error) { return Edit{}, stop }})
	if err != stop {
		t.Errorf("edit's error is %v, want %v", err, stop)
	}
	full := errors.New("disk full")
	big := bytes.NewReader(bigSitemap(2000))
	if _, err := Rewrite(big, failing{full}, edits("-")); !errors.Is(err, full) {
		t.Errorf("the writer's error is %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// unedited keeps all entries and links.
var unedited = Edits{Entry: func(int, []byte) (Edit, error) { return Edit{}, nil }}
