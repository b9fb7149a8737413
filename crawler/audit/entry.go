package audit

import (
	"errors"
	"slices"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// An Entry is one listed address: one <loc> of a sitemap, one line of a list.
type Entry struct {
	N       int    // place in the audit, from 0: sitemap after sitemap, in file order
	Sitemap int    // index into the audit's sitemaps
	Loc     string // entities resolved, outer white space removed, else as written; may hold any octets
	Line    int    // of the <loc> tag, from 1
	Skip    Skip   // why the entry is not asked, or SkipNone
	Wire    bool   // Loc is known to be in wire form
	// TooLong is set where the address has more than address.MaxLength bytes. Loc is its
	// beginning, as Kept cuts it, and names nothing: it is not asked, and no other
	// entry is a repetition of it.
	TooLong bool
	// Ext is a hash over the entry's extension blocks (image:image, xhtml:link, ...), 0
	// where it has none. It decides merge-would-lose.
	Ext uint32
	// Media is set where it has images, videos or news: they describe its page.
	Media bool
	// Bound is set where the entry cannot be taken out of its file: its element has
	// no end of its own, or is too long.
	Bound bool
	// Earlier is set where the last audit of the same targets took the address
	// out of a sitemap.
	Earlier bool
	// WithoutSecrets is set where a stranger listed the address: a file that did not come
	// from an audited host. It is asked without the user's headers and credentials.
	WithoutSecrets bool
	// Reported is what a search engine says of the address, where the entry is
	// one of an export.
	Reported Reported
	// Expected is what a map says of the address, where the entry is a line of one.
	Expected Expected
	// Also is what names the address, where no sitemap lists it; nil for what one lists.
	Also *Also
}

// Listed reports whether a sitemap lists the entry, and not a list that is no file of the site.
func (e *Entry) Listed() bool { return e.Also == nil && !e.Reported.Is && !e.Expected.Is }

// as returns as whom the entry is asked for a purpose.
func (e *Entry) as(purpose answers.Purpose) answers.Purpose {
	switch {
	case purpose != answers.AsRobot || !e.Also.File():
	case e.Also.List == AlsoVideos:
		purpose = answers.AsVideo
	default:
		purpose = answers.AsImage
	}
	if e.WithoutSecrets {
		return purpose | answers.WithoutSecrets
	}
	return purpose
}

// Request returns the first question that the entry leads to, asked for a
// purpose; at is its address.
func (e *Entry) Request(at address.Address, purpose answers.Purpose, rules *Rules) answers.Request {
	as := e.as(purpose)
	return answers.Request{URL: at.String(), Purpose: rules.asked(as, at)}
}

// Begins returns the address that e lists, and reports whether its Request is all that an entry
// needs of which nothing is known. Judge says the same of such an entry, in more time.
func (e *Entry) Begins() (at address.Address, ok bool) {
	at, err := e.Parse()
	return at, err == nil && e.Skip == SkipNone && len(at.String()) <= address.MaxLength
}

// Parse returns the address that e lists, or why it lists none.
func (e *Entry) Parse() (address.Address, error) {
	switch {
	case e.TooLong:
		return address.Address{}, errTooLong
	case e.Wire:
		return address.Wire(e.Loc), nil
	}
	return address.Parse(e.Loc)
}

var errTooLong = errors.New("the URL has more than 8,000 bytes")

// KindSearchConsole is the Kind of a list that is no file of the site: the
// addresses of an export of Search Console, by the name of that file. They are
// asked with the others; no count of entries and no sitemap knows of them.
const KindSearchConsole = "search-console"

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

// Skip says why an entry is not asked.
type Skip uint8

// The reasons to skip.
const (
	SkipNone    Skip = iota
	SkipFilter       // --include, --exclude
	SkipSample       // --sample
	SkipFetch        // --no-fetch
	SkipSite         // an export's address of a site that is not audited
	SkipPattern      // a line of a map with *, which is no address
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

// Places is how many places the fault stands for.
func (f *SitemapFault) Places() int { return max(1, f.Count) }

// DuplicateSitemap is the name of the fault of a sitemap that is read already
// under another URL, or of which all is listed elsewhere, and of an index that names one twice. Search Console has none for
// it.
const DuplicateSitemap = "Duplicate sitemap"

// FaultAsSaid is the key of a fault whose sentence is its argument.
const FaultAsSaid = "as-said"

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
