package sitemap

import (
	"slices"
	"strings"
)

// candidates are the paths of sitemaps to try where robots.txt names none.
var candidates = []string{
	"/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml",
	"/sitemap.xml.gz", "/sitemap.txt",
}

// Candidates returns the addresses to try, in order, for a site whose robots.txt names no sitemap.
// origin is scheme, host and port, as "https://shop.example", with or without a slash at its end.
func Candidates(origin string) []string {
	list := slices.Clone(candidates)
	for i, path := range list {
		list[i] = strings.TrimSuffix(origin, "/") + path
	}
	return list
}
