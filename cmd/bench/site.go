package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perSitemap is how many URLs a sitemap file may list.
const perSitemap = 50_000

// A site is the list of addresses that all programs of a case request.
type site struct {
	base    string // "http://127.0.0.1:port"
	entries int
	path    func(i int) string
}

// mixed answers 70 % of the entries directly, 19 % after one redirect, 10 %
// after two, and 1 % not at all.
func mixed(i int) string {
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

// shared redirects all entries to one page.
func shared(i int) string { return fmt.Sprintf("/old/an-article-about-something-%07d", i) }

// rich answers all entries directly, each with its own page of pageOf.
func rich(i int) string { return fmt.Sprintf("/page/an-article-about-something-%07d", i) }

// requests returns how many requests it takes to crawl every address once, with redirects, but
// without robots.txt and second requests.
func (s *site) requests() int {
	n, shares := 0, false
	for i := range s.entries {
		switch kind, _, _ := strings.Cut(s.path(i)[1:], "/"); kind {
		case "once":
			n += 2
		case "twice":
			n += 3
		case "old":
			n, shares = n+1, true
		default:
			n++
		}
	}
	if shares {
		n++
	}
	return n
}

// write writes the files that the server serves, and the lists that curl and wget read: sitemap.xml
// (an index where there are too many entries for one file), links.html, curl.cfg and urls.txt.
func (s *site) write(dir string) error {
	files := (s.entries + perSitemap - 1) / perSitemap
	for f := range files {
		name := fmt.Sprintf("sitemap-%d.xml", f)
		if files == 1 {
			name = "sitemap.xml"
		}
		from, to := f*perSitemap, min(s.entries, (f+1)*perSitemap)
		if err := s.list(filepath.Join(dir, name), urlsetHead, "<url><loc>%s</loc><lastmod>2026-01-02</lastmod></url>\n", "</urlset>\n", from, to); err != nil {
			return err
		}
	}
	if files > 1 {
		if err := s.index(filepath.Join(dir, "sitemap.xml"), files); err != nil {
			return err
		}
	}
	for _, l := range []struct{ name, head, line, foot string }{
		{"links.html", "<!doctype html><title>links</title>\n", "<a href=\"%s\">x</a>\n", ""},
		{"curl.cfg", "", "url = \"%s\"\noutput = /dev/null\n", ""},
		{"urls.txt", "", "%s\n", ""},
	} {
		if err := s.list(filepath.Join(dir, l.name), l.head, l.line, l.foot, 0, s.entries); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "wrk.lua"), []byte(wrkScript), 0o666)
}

const (
	xmlHead    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	namespace  = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	urlsetHead = xmlHead + "<urlset " + namespace + ">\n"
	indexHead  = xmlHead + "<sitemapindex " + namespace + ">\n"

	// wrkScript requests a different page each time, as the other programs do.
	wrkScript = `local i = 0
request = function()
  i = i + 1
  return wrk.format("GET", string.format("/ok/an-article-about-something-%07d", i))
end
`
)

// list writes the addresses of the entries from <= i < to, each formatted by line.
func (s *site) list(name, head, line, foot string, from, to int) error {
	return writeFile(name, func(w *bufio.Writer) {
		w.WriteString(head)
		for i := from; i < to; i++ {
			fmt.Fprintf(w, line, s.base+s.path(i))
		}
		w.WriteString(foot)
	})
}

func (s *site) index(name string, files int) error {
	return writeFile(name, func(w *bufio.Writer) {
		w.WriteString(indexHead)
		for f := range files {
			fmt.Fprintf(w, "<sitemap><loc>%s/sitemap-%d.xml</loc></sitemap>\n", s.base, f)
		}
		w.WriteString("</sitemapindex>\n")
	})
}

func writeFile(name string, fill func(*bufio.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fill(w)
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
