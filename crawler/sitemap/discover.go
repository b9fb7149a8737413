package sitemap

import "github.com/jimsmart/grobotstxt"

// A RobotsLine is a Sitemap: line of a robots.txt.
type RobotsLine struct {
	URL  string // as written, relative or not
	Line int    // from 1
}

// robotsLimit is how much of a robots.txt Google reads (Google's robots.txt
// specification, "File size limit").
const robotsLimit = 500 << 10

// RobotsLines returns the Sitemap: lines of a robots.txt in their order, as
// Google's own parser reads them: in any group, in any case of letters, with
// comments removed. Lines without a value are left out.
func RobotsLines(robots []byte) []RobotsLine {
	var c robotsCollector
	body := robots[:min(len(robots), robotsLimit)]
	grobotstxt.Parse(string(body), &c)
	return c.lines
}

type robotsCollector struct{ lines []RobotsLine }

func (c *robotsCollector) HandleRobotsStart()                      {}
func (c *robotsCollector) HandleRobotsEnd()                        {}
func (c *robotsCollector) HandleUserAgent(int, string)             {}
func (c *robotsCollector) HandleAllow(int, string)                 {}
func (c *robotsCollector) HandleDisallow(int, string)              {}
func (c *robotsCollector) HandleUnknownAction(int, string, string) {}

func (c *robotsCollector) HandleSitemap(line int, value string) {
	if value != "" {
		c.lines = append(c.lines, RobotsLine{value, line})
	}
}

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
