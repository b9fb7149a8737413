package audit

import "strconv"

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
	fault := func(c counted, name, key string) {
		if c.n > 0 {
			faults = append(faults, SitemapFault{Sitemap: sitemap, Line: c.line, Name: name, Severity: "warning", Count: c.n, Key: key,
				Args: []string{strconv.Itoa(c.n), strconv.Quote(c.loc)}})
		}
	}
	fault(f.blocked, "Sitemap contains URLs which are blocked by robots.txt", "blocked")
	fault(f.repeated, "Duplicate URL", "duplicates")
	return faults
}
