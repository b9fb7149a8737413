package sitemap

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// In these inputs «…» marks the bytes of an entry's Addr, ‹…› those of its Element; an element
// without an end has ‹ only.
var marked = map[string]struct {
	in   string
	locs []string
}{
	"plain": {
		`<urlset>‹<url><loc>«http://a.example/»</loc></url>›</urlset>`, []string{"http://a.example/"}},
	"white space":   {"<urlset>‹<url>\n <loc>\n  «http://a.example/b»\r\n </loc></url>›</urlset>", []string{"http://a.example/b"}},
	"space by name": {"<urlset>‹<url><loc>&#32;&#xA;«http://a.example/b»&#x3000;</loc></url>›</urlset>", []string{"http://a.example/b"}},
	"entities":      {`<urlset>‹<url><loc>«http://a.example/?a=1&amp;b=&apos;&lt;&gt;&quot;»</loc></url>›</urlset>`, []string{`http://a.example/?a=1&b='<>"`}},
	"references":    {`<urlset>‹<url><loc>«http://a.example/&#12354;&#x3042;&#38;»</loc></url>›</urlset>`, []string{"http://a.example/ああ&"}},
	"no reference":  {`<urlset>‹<url><loc>«http://a.example/?a&b=&copy;&#0;&#xD800;&;»</loc></url>›</urlset>`, []string{"http://a.example/?a&b=&copy;&#0;&#xD800;&;"}},
	"cdata":         {`<urlset>‹<url><loc><![CDATA[«http://a.example/?a&amp;b»]]></loc></url>›</urlset>`, []string{"http://a.example/?a&amp;b"}},
	"partly cdata":  {`<urlset>‹<url><loc>«http://a.example/<![CDATA[?a&b»]]></loc></url>›</urlset>`, []string{"http://a.example/?a&b"}},
	"cdata, text":   {`<urlset>‹<url><loc><![CDATA[«http://a.example/]]>?a&amp;b»</loc></url>›</urlset>`, []string{"http://a.example/?a&b"}},
	"comment in it": {`<urlset>‹<url><loc>«http://a.example/<!-- <loc> -->b»</loc></url>›</urlset>`, []string{"http://a.example/b"}},
	"element in it": {`<urlset>‹<url><loc>«http://a.example/<b>x</b>y»</loc></url>›</urlset>`, []string{"http://a.example/y"}},
	"bare <":        {`<urlset>‹<url><loc>«http://a.example/?a<5&b<c»</loc></url>›</urlset>`, []string{"http://a.example/?a<5&b<c"}},
	"empty":         {`<urlset>‹<url><loc>«»</loc></url>›‹<url><loc>«»  </loc></url>›‹<url>«<loc/>»</url>›</urlset>`, []string{"", "", ""}},
	"prefixed":      {`<s:urlset xmlns:s="x">‹<s:url><s:loc>«http://a.example/»</s:loc></s:url>›<url><loc>http://no/</loc></url></s:urlset>`, []string{"http://a.example/"}},
	"image, video": {`<urlset>‹<url><image:image><image:loc>http://i/</image:loc><loc>http://i/</loc></image:image><loc>«http://a.example/»</loc>` +
		`<PageMap xmlns="p"><loc>http://p/</loc></PageMap><video:loc>http://v/</video:loc></url>›</urlset>`, []string{"http://a.example/"}},
	"comments":         {`<!-- <url><loc>no</loc></url> --><urlset><!--<-->‹<url><!-- x --><loc>«http://a/»</loc></url>›<!-- </urlset> --></urlset>`, []string{"http://a/"}},
	"> in quotes":      {`<urlset a="<" b='x>"y'>‹<url x="a>b" y='"'><loc z=">">«http://a/»</loc></url>›</urlset>`, []string{"http://a/"}},
	"two in one":       {`<sitemapindex>‹<sitemap><loc>«http://a/»</loc><loc>«http://b/»</loc></sitemap>›</sitemapindex>`, []string{"http://a/", "http://b/"}},
	"url not closed":   {`<urlset>‹<url><loc>«http://a/»</loc>‹<url><loc>«http://b/»</loc></url></urlset>`, []string{"http://a/", "http://b/"}},
	"loc not closed":   {`<urlset><url><loc>http://a/</url><url><loc>http://b/<loc>http://c/</loc></url></urlset>`, nil},
	"block not closed": {`<urlset>‹<url><loc>«http://a/»</loc><image:image></url>›‹<url><loc>«http://b/»</loc></url>›</urlset>`, []string{"http://a/", "http://b/"}},
	"cut in loc":       {`<urlset>‹<url><loc>«http://a/»</loc></url>›<url><loc>http://b`, []string{"http://a/"}},
	"cut after loc":    {`<urlset>‹<url><loc>«http://a/»</loc></url>›‹<url><loc>«http://b/»</loc><lastm`, []string{"http://a/", "http://b/"}},
	"cut in cdata":     {`<urlset>‹<url><loc>«http://a/»</loc></url>›<url><loc><![CDATA[http://b/</loc></url></urlset>`, []string{"http://a/"}},
	"PHP talks":        {"<br />\n<b>Warning</b>: x<br><urlset>‹<url><loc>«http://a/»</loc></url>›</urlset>", []string{"http://a/"}},

	"text":       {"‹«http://a/»›\n‹«http://b/?x&amp;y»›", []string{"http://a/", "http://b/?x&amp;y"}},
	"text, CRLF": {"\uFEFF‹ «http://a/» \t›\r\n\r\n‹«http://b/ c»›\r\n", []string{"http://a/", "http://b/ c"}},
	"text, CR":   {"‹«http://a/»›\r‹«b»›\r", []string{"http://a/", "b"}},
	"text, hash": {"# mine\n‹«https://a/#x»›\n  \n", []string{"https://a/#x"}},

	"rss": {`<rss><channel><link>http://no/</link><item>` + "\n" + `<title>t</title></item>‹<item><link>«http://a/?x&amp;y»</link><atom:link href="z"/><description><link>no</link></description></item>›</channel></rss>`, []string{"http://a/?x&y"}},
	"rdf": {`<rdf:RDF><channel><link>no</link></channel>‹<item rdf:about="x"><link>«http://a/»</link></item>›</rdf:RDF>`, []string{"http://a/"}},
	"atom": {`<feed><link href="no"/>‹<entry><link rel="self" href="no"/><link href=" «http://a/?x&amp;y» "/><link rel='alternate' href='no'/></entry>›` +
		`‹<entry><link rel='alternate' href='«http://b/»'></link></entry>›</feed>`, []string{"http://a/?x&y", "http://b/"}},
}

// unmark returns the input without marks, and the spans that they name.
func unmark(in string) (text string, addr, element []Span) {
	var b strings.Builder
	for _, r := range in {
		at := int64(b.Len())
		switch r {
		case '«':
			addr = append(addr, Span{Start: at})
		case '»':
			addr[len(addr)-1].End = at
		case '‹':
			element = append(element, Span{Start: at})
		case '›':
			element[len(element)-1].End = at
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), addr, element
}

func mustRead(t testing.TB, r io.Reader, o Options) ([]Entry, Info) {
	t.Helper()
	entries, info, err := readAll(r, o)
	must(t, err)
	return entries, info
}

func TestReadSpans(t *testing.T) {
	for name, c := range marked {
		text, addr, element := unmark(c.in)
		for how, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		} {
			o := Options{}
			if how != "whole" {
				o.scale = windows(1)
			}
			entries, _ := mustRead(t, r, o)
			checkSpans(t, name+", "+how, text, entries, c.locs, addr, element)
		}
	}
}

func checkSpans(t *testing.T, name, text string, entries []Entry, locs []string, addr, element []Span) {
	t.Helper()
	if len(entries) != len(locs) || len(locs) != len(addr) {
		t.Errorf("%s: %d entries, want %d: %q", name, len(entries), len(locs), text)
		return
	}
	for i, e := range entries {
		if e.Loc != locs[i] || e.Addr != addr[i] {
			t.Errorf("%s: entry %d is %q at %v, want %q at %v in %q", name, i, e.Loc, e.Addr, locs[i], addr[i], text)
		}
		want := around(element, e.Addr)
		if e.Element != want {
			t.Errorf("%s: element of %q is %v, want %v in %q", name, e.Loc, e.Element, want, text)
		}
	}
}

// around returns the last element that begins before an address, zero where it
// has no end.
func around(elements []Span, addr Span) Span {
	var last Span
	for _, s := range elements {
		if s.Start <= addr.Start {
			last = s
		}
	}
	if last.End == 0 {
		return Span{}
	}
	return last
}

func TestReadExt(t *testing.T) {
	url := func(blocks string) string { return "<url><loc>http://a/</loc>" + blocks + "</url>" }
	in := "<urlset>" + strings.Join([]string{
		url("<lastmod>2026-01-01</lastmod>\n<priority>1</priority>"),
		url("<image:image><image:loc>http://i/</image:loc></image:image>"),
		url("\n<image:image>\n <image:loc>http://i/</image:loc>\n</image:image>\n<lastmod>2026</lastmod>"),
		url("<image:image><image:loc>http://j/</image:loc></image:image>"),
		url(`<xhtml:link href="x"/>`),
		url(`<PageMap xmlns="p"><![CDATA[x]]></PageMap>`),
		url(`<PageMap xmlns="p"><![CDATA[y]]></PageMap>`),
	}, "") + "</urlset>"
	for _, window := range []int{0, 1, 100} {
		e, info := mustRead(t, strings.NewReader(in), Options{scale: windows(window)})
		if e[0].Ext != 0 || e[1].Ext == 0 || e[1].Ext != e[2].Ext || e[1].Ext == e[3].Ext || e[4].Ext == 0 || e[5].Ext == e[6].Ext {
			t.Errorf("window %d: hashes are %v", window, e)
		}
		for i, x := range e {
			if want := i >= 1 && i <= 3; x.Media != want { // only images, videos and news count
				t.Errorf("window %d: entry %d has media: %v", window, i, x.Media)
			}
		}
		if !info.Links {
			t.Error("the xhtml:link was not seen")
		}
	}
}

func TestReadNoSitemap(t *testing.T) {
	for in, want := range map[string]*FormatError{
		"":                                       notEmpty,
		" \r\n\t":                                notEmpty,
		"\uFEFF\n":                               notEmpty,
		"<!DOCTYPE html><html></html>":           notHTML,
		"\n<HTML lang=ja>":                       notHTML,
		"<?xml version='1.0'?><!-- x --><html/>": notHTML,
		"<?xml version='1.0'?><!DOCTYPE HTML>":   notHTML,
		"<Error><Code>AccessDenied</Code></Error>":                                        notXML,
		"PK\x03\x04\x14" + strings.Repeat("\x00", 25) + "sitemap.xml" + one + "</urlset>": notBinary,
		string(packed(string(packed(string(packed("http://a/")))))):                       notBinary,
		"\x89PNG\r\n\x1a\n\x01\x02\x03\x04":                                               notBinary,
		"this is a bogus sitemap":                                                         notText,
		"www.example.com/\n/b":                                                            notText,
		"\x1f\x8b\x08":                                                                    notDamaged,
	} {
		info, err := Read(strings.NewReader(in), Options{}, func(Entry) error { return nil })
		var got *FormatError
		if !errors.As(err, &got) || *got != *want {
			t.Errorf("Read(%q) = %v, want %v", in, err, want)
		}
		if info.Kind != "" || len(info.Faults) != 1 {
			t.Errorf("Read(%q): kind %q, faults %v", in, info.Kind, info.Faults)
		}
		var out bytes.Buffer
		if _, err := Rewrite(strings.NewReader(in), &out, Edits{}); !errors.As(err, &got) || *got != *want {
			t.Errorf("Rewrite(%q) = %v, want %v", in, err, want)
		}
		if !strings.HasPrefix(in, "\x1f\x8b") && out.String() != in {
			t.Errorf("Rewrite(%q) wrote %q", in, out.String())
		}
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
