package audit

import (
	"fmt"
	"strconv"
)

// fileFaults are the faults of a sitemap file that only its rows show.
type fileFaults struct {
	blocked, repeated counted
}

// counted is how many rows have a fault, and the first of them.
type counted struct {
	n    int
	line int
	loc  string
}

func (c *counted) add(r *Row) {
	if c.n++; c.n == 1 {
		c.line, c.loc = r.Entry.Line, r.Entry.Loc
	}
}

func (f *fileFaults) add(r *Row) {
	if r.Verdict == Disallowed {
		f.blocked.add(r)
	}
	if r.Has(Duplicate) {
		f.repeated.add(r)
	}
}

// list returns the faults, in Search Console's words where it has them (Search
// Console Help, "Sitemap errors").
func (f *fileFaults) list(sitemap string) []SitemapFault {
	var faults []SitemapFault
	fault := func(c counted, name, key, format string) {
		if c.n > 0 {
			n, first := strconv.Itoa(c.n), strconv.Quote(c.loc)
			faults = append(faults, SitemapFault{Sitemap: sitemap, Line: c.line, Name: name, Severity: "warning", Count: c.n,
				Text: fmt.Sprintf(format, n, first), Key: key, Args: []string{n, first}})
		}
	}
	fault(f.blocked, "Sitemap contains URLs which are blocked by robots.txt", "blocked", "robots.txt forbids %s of its addresses, or where they redirect; the first is %s")
	fault(f.repeated, "Duplicate URL", "duplicates", "%s of its addresses are listed more than once; the first again is %s")
	return faults
}

// elsewhere is the fault of a file of which nothing would remain. One that moved has no
// fault: it is to stay.
func elsewhere(sitemap string) SitemapFault {
	return SitemapFault{Sitemap: sitemap, Name: DuplicateSitemap, Severity: "warning", Key: "all-elsewhere",
		Text: "All that it would list is listed in other sitemaps already, so it is left as it is: take it out of its index and of robots.txt."}
}
