package sitemap

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/internal/cost"
)

const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// costly are kinds of files that took, or might take, more time than their size warrants.
var costly = []cost.Shape{
	cost.Repeat("CR alone", "http://h/\r", "\r", ""),
	cost.Repeat("URLs and CR", "", "http://h/\r", ""),
	cost.Repeat("LF alone", "http://h/\n", "\n", ""),
	cost.Repeat("CR in a sitemap", urlset+"<url><loc>http://h/</loc></url>", "\r", ""),
	cost.Repeat("CR and URLs in a sitemap", urlset, "\r<url>\r<loc>\rhttp://h/\r</loc>\r</url>\r", ""),
	cost.Repeat("comments in a list", "http://h/\n", "#\n", ""),
	cost.Repeat("no URL", "", "x\n", ""),
	cost.Repeat("references", urlset+"<url><loc>http://h/", "&amp;", "</loc></url>"),
	cost.Repeat("white space by reference", urlset+"<url><loc>", "&#32;", "http://h/</loc></url>"),
	cost.Repeat("white space behind", urlset+"<url><loc>http://h/", "&#32;", "</loc></url>"),
	cost.Repeat("empty URLs", urlset+"<url>", "<loc/>", "</url>"),
	cost.Repeat("URLs in one element", urlset+"<url>", "<loc>http://h/</loc>", "</url>"),
	cost.Repeat("sections in one URL", urlset+"<url><loc>http://h/", "<![CDATA[]]>", "</loc></url>"),
	cost.Repeat("comments in one URL", urlset+"<url><loc>http://h/", "<!---->", "</loc></url>"),
	cost.Repeat("unclosed elements", urlset, "<url><loc>http://h/", ""),
	cost.Repeat("deep", urlset, "<a>", ""),
	cost.Repeat("ends of nothing", urlset, "</a>", ""),
	cost.Repeat("deep, and ends of nothing", urlset+strings.Repeat("<a>", 500), "</b>", ""),
	cost.Repeat("less than", urlset, "<", ""),
	cost.Repeat("tags without end", urlset, "<a ", ""),
	cost.Repeat("quotes", urlset, `<a b="<`, ""),
	cost.Repeat("sections without end", urlset, "<![CDATA[", ""),
	cost.Repeat("attributes", urlset+"<url ", `a="" `, "/>"),
	cost.Repeat("attributes without value", urlset+"<url ", `a `, "/>"),
	cost.Repeat("namespaces", urlset, `<a xmlns:a="a" xmlns:b="b" xmlns:c="c"/>`, ""),
	cost.Repeat("links", urlset+"<url><loc>http://h/</loc>", `<x:link href="http://h/"/>`, "</url>"),
	cost.Repeat("zero bytes", urlset, "\x00", ""),
	cost.Repeat("no UTF-8", urlset, "\xff", ""),
	cost.Repeat("EUC-JP", `<?xml version="1.0" encoding="euc-jp"?>`+urlset, "<url><loc>http://h/\xa4\xa2\xa1\xa1</loc></url>", ""),
	cost.Repeat("EUC-JP, white space", `<?xml version="1.0" encoding="euc-jp"?>`+urlset+"<url><loc>http://h/", "\xa1\xa1", "</loc></url>"),
	cost.Repeat("Shift_JIS, white space", `<?xml version="1.0" encoding="shift_jis"?>`+urlset+"<url><loc>http://h/", "\x81\x40", "</loc></url>"),
	cost.Repeat("UTF-16", "\xff\xfeh\x00t\x00t\x00p\x00:\x00/\x00/\x00h\x00/\x00", "\r\x00", ""),
}

func readCostly(t testing.TB, data []byte) {
	t.Helper()
	var format *FormatError
	if _, err := Read(bytes.NewReader(data), Options{URL: "http://h/s.xml"}, func(Entry) error { return nil }); err != nil && !errors.As(err, &format) {
		t.Error(err)
	}
}

func rewriteCostly(t testing.TB, data []byte) {
	t.Helper()
	n := 0
	edit := func(int, []byte) (Edit, error) {
		n++
		return []Edit{{}, {Action: Drop}, {Action: Replace, Loc: "http://new/"}}[n%3], nil
	}
	var format *FormatError
	if _, err := Rewrite(bytes.NewReader(data), io.Discard, Edits{Entry: edit, Links: testLinks}); err != nil && !errors.As(err, &format) {
		t.Error(err)
	}
}

func BenchmarkReadCost(b *testing.B) { cost.Benchmark(b, time.Microsecond, readCostly, costly...) }
func BenchmarkRewriteCost(b *testing.B) {
	cost.Benchmark(b, time.Microsecond, rewriteCostly, costly...)
}

// An address costs its length once, and only its beginning is kept.
func TestCostOfReading(t *testing.T)   { cost.Test(t, 40, readCostly, costly...) }
func TestCostOfRewriting(t *testing.T) { cost.Test(t, 80, rewriteCostly, costly...) }

// droppedCostly are files of which every entry is dropped.
var droppedCostly = []cost.Shape{
	cost.Repeat("elements on one line", urlset+"\n", "<url><loc>http://h/</loc></url>", "<!-- end -->"),
	cost.Repeat("elements alone on one line", urlset+"\n", "<url><loc>http://h/</loc></url> ", "\n"),
	cost.Repeat("URLs of an element that stays", urlset+"\n<url><loc>http://h/</loc>\n", "<loc>http://h/</loc>", "\n</url>"),
}

func dropCostly(t testing.TB, data []byte) {
	t.Helper()
	drop := func(int, []byte) (Edit, error) { return Edit{Action: Drop}, nil }
	if _, err := Rewrite(bytes.NewReader(data), io.Discard, Edits{Entry: drop}); err != nil {
		t.Error(err)
	}
}

func BenchmarkDropCost(b *testing.B) {
	cost.Benchmark(b, time.Microsecond, dropCostly, droppedCostly...)
}
func TestCostOfDropping(t *testing.T) { cost.Test(t, 80, dropCostly, droppedCostly...) }
