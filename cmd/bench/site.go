package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// perSitemap is how many URLs a sitemap file may list.
const perSitemap = 50_000

// path is an address of the site: 70 % of the entries answer directly, 19 % after one redirect, 10 %
// after two, and 1 % not at all.
func path(i int) string {
	kind := "ok"
	switch r := i % 100; {
	case r >= 99:
		kind = "gone"
	case r >= 89:
		kind = "twice"
	case r >= 70:
		kind = "once"
	}
	return fmt.Sprintf("/%s/an-article-about-something-%07d", kind, i)
}

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
)

// writeSite writes what the server serves, an index with its sitemaps, and the lists that curl and
// wget read.
func writeSite(dir, base string, entries int) error {
	var sitemap, index, curl, urls bytes.Buffer
	index.WriteString(xmlHead + "<sitemapindex" + namespace)
	for from := 0; from < entries; from += perSitemap {
		name := fmt.Sprintf("sitemap-%d.xml", from/perSitemap)
		sitemap.Reset()
		sitemap.WriteString(xmlHead + "<urlset" + namespace)
		for i := from; i < min(entries, from+perSitemap); i++ {
			url := base + path(i)
			fmt.Fprintf(&sitemap, "<url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>\n", url)
			fmt.Fprintf(&curl, "url = \"%s\"\noutput = %s\n", url, os.DevNull)
			fmt.Fprintln(&urls, url)
		}
		sitemap.WriteString("</urlset>\n")
		if err := os.WriteFile(filepath.Join(dir, name), sitemap.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&index, "<sitemap><loc>%s/%s</loc></sitemap>\n", base, name)
	}
	index.WriteString("</sitemapindex>\n")
	return errors.Join(os.WriteFile(filepath.Join(dir, "sitemap.xml"), index.Bytes(), 0o666),
		os.WriteFile(filepath.Join(dir, "curl.cfg"), curl.Bytes(), 0o666), os.WriteFile(filepath.Join(dir, "urls.txt"), urls.Bytes(), 0o666))
}

// get fetches a URL over a connection of its own.
func get(url string) (string, error) {
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
