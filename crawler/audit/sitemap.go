package audit

import (
	"slices"
	"time"
)

// A Sitemap is one sitemap file of an audit, in the order of reading.
type Sitemap struct {
	N   int    // index in the audit
	URL string // as named by robots.txt, its index or the user: a URL, a file path, or "-"
	// AnsweredAt is the wire form that answered with the file, after its own
	// redirects; "" for local input.
	AnsweredAt string
	Parent     int // index of the sitemap index that named it, -1 for none
	// Place and Line say where its index names it: as which address, from 0, and
	// on which line, from 1.
	Place, Line int
	// Status is the HTTP status that ended its fetching, 0 for local input and
	// where no answer came. Permanent is set where it was redirected, and each
	// redirect was permanent.
	Status    int
	Permanent bool
	// Bound is set where it cannot be taken out of its index, as an Entry.
	Bound bool
	// GoneTwice is set where a file that an index names was not there (404 or 410),
	// and not when it was asked for once more, as an ordinary browser.
	GoneTwice bool
	// NamedBy is the robots.txt that names the file or an index above it, "" for none: its
	// entries may be anywhere on that host (sitemaps.org, "Sitemaps & cross submits").
	NamedBy string
	// Strange is set where the user's headers and credentials are withheld from what
	// the file lists: a host that is not audited had a hand in it.
	Strange   bool
	Kind      string // "urlset", "index", "text", "rss", "atom"; that of a list which is no file (Listed); "" where it could not be read
	Gzip      bool   // the file is packed, whatever its name says
	Spool     string // file name in the spool, "" where nothing was fetched
	First     int    // N of its first entry
	Entries   int    // how many entries it has
	Links     bool   // it has xhtml:link elements
	Faults    []SitemapFault
	FetchedAt time.Time
	// Requests is how many it took, redirects and tries included.
	Requests int
}

// A SitemapFault is something wrong with a sitemap file, in Search Console's
// words where it has them.
type SitemapFault struct {
	Sitemap      string
	Line, Column int    // from 1, Column in bytes; 0 where the fault has no place
	Name         string // "Too many URLs"
	Severity     string // "error" or "warning"
	Count        int    // how many places the fault stands for, where it is not one
	// Mended is how many of its places the corrected copy does not have.
	Mended int
	// Key names the sentence that says what is wrong (report/messages has it in each
	// language); Args are filled into it.
	Key  string
	Args []string
	// NamedIn is the robots.txt or index that names the sitemap on line NamedAt,
	// where the sentence ends with it; "" for none.
	NamedIn string
	NamedAt int
}

// KindSearchConsole is the Kind of a list that is no file of the site: the
// addresses of an export of Search Console, by the name of that file. They are
// asked with the others; no count of entries and no sitemap knows of them.
const KindSearchConsole = "search-console"

// DuplicateSitemap is the name of the fault of a sitemap that is read already
// under another URL, or of which all is listed elsewhere, and of an index that names one twice. Search Console has none for
// it.
const DuplicateSitemap = "Duplicate sitemap"

// FaultAsSaid is the key of a fault whose sentence is its argument.
const FaultAsSaid = "as-said"

// Listed reports whether s is a file that lists entries, or an index of such: no
// list of ours.
func (s *Sitemap) Listed() bool {
	return s.Kind != KindSearchConsole && s.Kind != KindExpect && !alsoKind(s.Kind)
}

// again reports whether s is a second name of a sitemap that is read: it is no further file.
func (s *Sitemap) again() bool {
	return s.Kind == "" && slices.ContainsFunc(s.Faults, func(f SitemapFault) bool { return f.Name == DuplicateSitemap })
}

// Unread reports whether s could not be read, so that what it lists is not known.
// A second name of a sitemap that is read is not.
func (s *Sitemap) Unread() bool {
	_, ok := s.Error()
	return s.Listed() && s.Kind == "" && ok && !s.again()
}

// Error returns the first fault of s that is an error; false for none.
func (s *Sitemap) Error() (f SitemapFault, ok bool) {
	at := slices.IndexFunc(s.Faults, func(f SitemapFault) bool { return f.Severity == severityError })
	if at < 0 {
		return f, false
	}
	return s.Faults[at], true
}

// has reports whether s has a fault with one of some keys.
func (s *Sitemap) has(keys ...string) bool {
	return slices.ContainsFunc(s.Faults, func(f SitemapFault) bool { return slices.Contains(keys, f.Key) })
}

// InPart reports whether s was read only in part, so that not all of what it lists is known:
// not all of it came, it ends in the middle, or it is an index that was not followed to its
// end. It is written again, as far as it goes.
func (s *Sitemap) InPart() bool {
	return s.Kind != "" && s.has("cut-off", "first-bytes", "gzip-damaged", "too-deep", "first-came", "index-bound")
}

// Whole reports whether s was read to its end.
func (s *Sitemap) Whole() bool { return !s.InPart() && !s.Unread() }

// unclear reports whether URLs of s may be others than were read: they have entities that its own DTD
// declares, or its charset is not known.
func (s *Sitemap) unclear() bool { return s.has("dtd-unread", "unknown-charset") }

// Places is how many places the fault stands for.
func (f *SitemapFault) Places() int { return max(1, f.Count) }

// RowOf is a row of a sitemap in its index.
func (s *Sitemap) RowOf(fix Fix) Row {
	return Row{Entry: Entry{N: s.Place, Sitemap: s.Parent, Loc: s.URL, Line: s.Line}, Fix: fix}
}
