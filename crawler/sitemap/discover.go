package sitemap

// candidates are where a sitemap is looked for when robots.txt names none.
var candidates = []string{
	"/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz", "/sitemap.txt",
}

// Candidates returns the addresses to try for a site whose robots.txt names no
// sitemap, in their order. origin is scheme, host and port: "https://shop.example";
// a slash at its end does no harm.
func Candidates(origin string) []string {
	if n := len(origin); n > 0 && origin[n-1] == '/' {
		origin = origin[:n-1]
	}
	list := make([]string, len(candidates))
	for i, path := range candidates {
		list[i] = origin + path
	}
	return list
}
