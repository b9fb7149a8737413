package sitemap

// Candidates are the paths to try, in order, for a site whose robots.txt names no sitemap.
var Candidates = []string{"/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz", "/sitemap.txt"}
