package sitemap

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/internal/cost"
)

const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`

// costly are kinds of files that took, or might take, more time than their size warrants.
var costly = []cost.Shape{
	cost.Repeat("URLs and CR", "", "http://h/\r", ""),
	cost.Repeat("references", urlset+"<url><loc>http://h/", "&amp;", "</loc></url>"),
	cost.Repeat("white space by reference", urlset+"<url><loc>", "&#32;", "http://h/</loc></url>"),
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
	cost.Repeat("attributes", urlset+"<url ", `a="" `, "/>"),
	cost.Repeat("attributes without value", urlset+"<url ", `a `, "/>"),
	cost.Repeat("namespaces", urlset, `<a xmlns:a="a" xmlns:b="b" xmlns:c="c"/>`, ""),
	cost.Repeat("links", urlset+"<url><loc>http://h/</loc>", `<x:link href="http://h/"/>`, "</url>"),
	cost.Repeat("EUC-JP", `<?xml version="1.0" encoding="euc-jp"?>`+urlset, "<url><loc>http://h/\xa4\xa2\xa1\xa1</loc></url>", ""),
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

func TestCostOfDropping(t *testing.T) { cost.Test(t, 80, dropCostly, droppedCostly...) }
