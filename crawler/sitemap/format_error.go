package sitemap

// A FormatError is the error for a file that is not a sitemap.
type FormatError struct {
	What string // what it is: "an HTML page"
	Hint string // what the user can do, in one clause; may be ""
}

// Error returns what the file is.
func (e *FormatError) Error() string { return "no sitemap: " + e.What }

// What a file may be that is no sitemap.
var (
	notEmpty   = &FormatError{"an empty file", "no byte stands in it: what writes the sitemap may have failed; look at the file, or open its URL in a browser"}
	notHTML    = &FormatError{"an HTML page", "an error page or a login may stand in place of the sitemap; name the site to audit all that it lists; sitemend probe URL looks at one page"}
	notBinary  = &FormatError{"binary data", "unpack it: a sitemap is XML or a text with one URL a line, packed with gzip or not; an export of Search Console goes with --search-console FILE"}
	notDamaged = &FormatError{"a damaged gzip file", "it ends or breaks before its first URL; pack it again, or fetch it again"}
	notText    = &FormatError{"a text without a URL", "a text sitemap has one absolute http(s) URL a line"}
	notXML     = &FormatError{"XML without urlset, sitemapindex, rss or feed", "look at its first element: it may be an error message of a server"}
)
