package sitemap

import (
	"slices"
	"strings"
)

// candidates are where a sitemap is looked for when robots.txt names none.
var candidates = []string{
	"/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml",
	"/sitemap.xml.gz", "/sitemap.txt",
}

// Candidates returns the addresses to try for a site whose robots.txt names no
// sitemap, in their order. origin is scheme, host and port: "https://shop.example";
// a slash at its end does no harm.
func Candidates(origin string) []string {
	list := slices.Clone(candidates)
	for i, path := range list {
		list[i] = strings.TrimSuffix(origin, "/") + path
	}
	return list
}
