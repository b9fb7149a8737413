package sitemap

import "regexp"

// clues gathers what may tell the program that wrote a file: its first bytes and
// the comments and processing instructions around its entries.
type clues struct {
	head  []byte
	asked int
	name  string // told by a comment or a stylesheet
}

const (
	clueBytes = 8 << 10
	maxAsides = 200 // comments that are looked at
)

// see takes bytes of the file, in order.
func (c *clues) see(b []byte) {
	if room := clueBytes - len(c.head); room > 0 {
		c.head = append(c.head, b[:min(room, len(b))]...)
	}
}

// hear takes how a comment or a processing instruction begins.
func (c *clues) hear(intro []byte, depth int) {
	if c.name != "" || depth > 1 || c.asked >= maxAsides {
		return
	}
	c.asked++
	c.name = match(said, intro)
}

// generator returns the name of the program, "" where the file does not tell.
func (c *clues) generator(url string) string {
	if c.name != "" {
		return c.name
	}
	if name := match(shaped, c.head); name != "" {
		return name
	}
	if !sitemapJS.Match(c.head) {
		return ""
	}
	// The npm package "sitemap" writes this root for several programs.
	switch {
	case astroURL.MatchString(url) || astroURL.Match(c.head):
		return "astro"
	case docusaurusEntry.Match(c.head):
		return "docusaurus"
	}
	return ""
}

type mark struct {
	pattern *regexp.Regexp
	name    string
}

func marks(pairs ...string) []mark {
	var list []mark
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, mark{regexp.MustCompile("(?i)" + pairs[i]), pairs[i+1]})
	}
	return list
}

func match(list []mark, b []byte) string {
	for _, m := range list {
		if m.pattern.Match(b) {
			return m.name
		}
	}
	return ""
}

// said are names in comments and stylesheets.
var said = marks(
	`yoast|wordpress-seo`, "yoast",
	`rank ?math`, "rank math",
	`all[ -]in[ -]one[ -]seo|aioseo`, "aioseo",
	`wp-sitemap(-index)?\.xsl`, "wordpress core",
	`arnebrachhold|google-sitemap-generator|auctollo`, "google xml sitemaps",
	`the seo framework|autodescription`, "the seo framework",
	`generator=.?jetpack`, "jetpack",
	`ec-?cube`, "ec-cube",
	`movable ?type`, "movable type",
	`screaming ?frog`, "screaming frog",
	`xml-sitemaps\.com`, "xml-sitemaps.com",
	`simple xml sitemap|simple_sitemap`, "drupal",
	`shopify`, "shopify",
	`squarespace`, "squarespace",
	`\bwix\b`, "wix",
	`next-sitemap`, "next-sitemap",
	`docusaurus`, "docusaurus",
	`jekyll`, "jekyll",
	`hugo`, "hugo",
)

// shaped are addresses, and roots that only one program writes in this way.
var shaped = marks(
	`/wp-sitemap-[a-z]+-`, "wordpress core",
	`/sitemap_(products|collections|pages|blogs)_\d+\.xml\?from=|cdn\.shopify\.com|xmlns:image="[^"]*" xmlns:shopify`, "shopify",
	`static\.wixstatic\.com|/(store-products|blog-posts|dynamic-[a-z_-]+)-sitemap\.xml`, "wix",
	`images\.squarespace-cdn\.com|static1\.squarespace\.com`, "squarespace",
	`<generator[^>]*>[^<]*(movable ?type|movabletype)`, "movable type",
	`/products/detail(\.php\?product_id=|/)\d+|/sitemap_(product|category)_?\d*\.xml`, "ec-cube",
	`<urlset xmlns="[^"]*/0\.9" xmlns:news="[^"]*" xmlns:xhtml="[^"]*" xmlns:mobile="[^"]*" xmlns:image="[^"]*" xmlns:video="[^"]*">`, "next-sitemap",
	`standalone="yes"\s*\?>\s*<(urlset|sitemapindex) xmlns="[^"]*/0\.9"\n\s+xmlns:xhtml=`, "hugo",
	`<urlset xmlns:xsi="[^"]*" xsi:schemaLocation="[^"]*" xmlns="[^"]*/0\.9">\s*<url>\s*<loc>`, "jekyll",
)

var (
	sitemapJS       = regexp.MustCompile(`<(urlset|sitemapindex) xmlns="[^"]*/0\.9"( xmlns:news="[^"]*" xmlns:xhtml="[^"]*" xmlns:image="[^"]*" xmlns:video="[^"]*")?>`)
	astroURL        = regexp.MustCompile(`/sitemap-(\d+|index)\.xml`)
	docusaurusEntry = regexp.MustCompile(`xmlns:video="[^"]*"><url><loc>[^<]*</loc>(<lastmod>[^<]*</lastmod>)?<changefreq>weekly</changefreq><priority>0\.5</priority></url>`)
)
