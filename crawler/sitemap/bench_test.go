package sitemap

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"
)

// bigSitemap is a sitemap of about 28 MB with images and alternates.
func bigSitemap(entries int) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for i := range entries {
		fmt.Fprintf(&b, "  <url>\n    <loc>https://shop.example/products/item-%d?color=red&amp;size=%d</loc>\n    <lastmod>2026-10-%02dT10:20:30+09:00</lastmod>\n", i, i%40, i%28+1)
		for _, lang := range []string{"en", "ja"} {
			fmt.Fprintf(&b, "    <xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"https://shop.example/%s/products/item-%d?color=red&amp;size=%d\"/>\n", lang, lang, i, i%40)
		}
		fmt.Fprintf(&b, "    <image:image>\n      <image:loc>https://cdn.shop.example/images/item-%d.jpg</image:loc>\n      <image:title>Item %d in red</image:title>\n    </image:image>\n  </url>\n", i, i)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

const benchEntries = 50_000

func BenchmarkRead(b *testing.B) {
	file := bigSitemap(benchEntries)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		info, err := Read(bytes.NewReader(file), Options{URL: "https://shop.example/sitemap.xml", Now: time.Now()}, func(Entry) error { return nil })
		if err != nil || info.Entries != benchEntries {
			b.Fatal(info.Entries, err)
		}
	}
	reportPerEntry(b)
}

func BenchmarkRewrite(b *testing.B) {
	file := bigSitemap(benchEntries)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		res, err := Rewrite(bytes.NewReader(file), io.Discard, Edits{Entry: everyThird, Links: keepLinks})
		if err != nil || res.Entries != benchEntries {
			b.Fatal(res, err)
		}
	}
	reportPerEntry(b)
}

func everyThird(n int, _ []byte) (Edit, error) {
	switch n % 3 {
	case 1:
		return Edit{Action: Replace, Loc: "https://www.shop.example/new?a=1&b=2"}, nil
	case 2:
		return Edit{Action: Drop}, nil
	}
	return Edit{}, nil
}

func reportPerEntry(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEntries, "ns/entry")
}
