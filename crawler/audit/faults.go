package audit

import (
	"cmp"
	"fmt"
	"strconv"
)

// fileFaults are the faults of a sitemap file that only its rows show.
type fileFaults struct {
	blocked, repeated, broken, named counted
	panicked                         string // the first of broken
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
	if r.Verdict == Noncanonical && r.Fix.Action == Merge {
		f.named.add(r)
	}
	if r.broken != "" {
		f.broken.add(r)
		f.panicked = cmp.Or(f.panicked, r.broken)
	}
	if r.Has(Duplicate) {
		f.repeated.add(r)
	}
}

// list returns the faults, in Search Console's words where it has them (Search
// Console Help, "Sitemap errors").
func (f *fileFaults) list(sitemap string, entries int) []SitemapFault {
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
	if 2*f.named.n > entries { // one canonical in a template takes all pages to one
		fault(f.named, "Canonical is another URL", "canonical-merged", "%s of its entries are taken out, for their pages name another address as canonical that is listed already; is that meant? The first is %s")
	}
	if f.broken.n > 0 {
		n, first := strconv.Itoa(f.broken.n), strconv.Quote(f.broken.loc)
		faults = append(faults, SitemapFault{Sitemap: sitemap, Line: f.broken.line, Name: "Not judged", Severity: "error", Count: f.broken.n, Key: "not-judged",
			Text: fmt.Sprintf("%s of its addresses could not be judged, a fault of sitemend; the first is %s: %s", n, first, f.panicked), Args: []string{n, first, f.panicked}})
	}
	return faults
}

// elsewhere is the fault of a file of which nothing would remain. One that moved has no
// fault: it is to stay.
func elsewhere(sitemap string) SitemapFault {
	return SitemapFault{Sitemap: sitemap, Name: DuplicateSitemap, Severity: "warning", Key: "all-elsewhere",
		Text: "All that it would list is listed in other sitemaps already, so it is left as it is: take it out of its index and of robots.txt."}
}
