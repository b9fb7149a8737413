package sitemap

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"sitemend/crawler/internal/cost"
)

// shop returns a sitemap as most generators write it.
func shop(entries int) []byte {
	b := bytes.NewBufferString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + urlset + "\n")
	for i := range entries {
		fmt.Fprintf(b, "  <url>\n    <loc>https://www.shop.example/category-%d/product-%d?ref=a&amp;id=%d</loc>\n    <lastmod>2026-11-%02dT08:00:00+00:00</lastmod>\n    <changefreq>weekly</changefreq>\n  </url>\n", i%300, i, i, 1+i%28)
	}
	return append(b.Bytes(), "</urlset>\n"...)
}

// BenchmarkScan reads a sitemap of 50,000 entries.
func BenchmarkScan(b *testing.B) {
	data := shop(50_000)
	cost.Rate(b, data, '<', func() error {
		_, err := Read(bytes.NewReader(data), Options{URL: "https://www.shop.example/sitemap.xml"}, func(Entry) error { return nil })
		return err
	})
}

// BenchmarkRewrite copies it, with every tenth entry replaced.
func BenchmarkRewrite(b *testing.B) {
	data := shop(50_000)
	edit := func(n int, _ []byte) (e Edit, _ error) {
		if n%10 == 0 {
			e = Edit{Action: Replace, Loc: "https://www.shop.example/new"}
		}
		return e, nil
	}
	cost.Rate(b, data, '<', func() error {
		_, err := Rewrite(bytes.NewReader(data), io.Discard, Edits{Entry: edit})
		return err
	})
}
