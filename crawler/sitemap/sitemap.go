package sitemap

import (
	"io"
	"time"
)

// Kind is the format of a sitemap.
type Kind string

// The formats that Google reads (Search Central, "Build and submit a sitemap").
const (
	URLSet Kind = "urlset"
	Index  Kind = "index"
	Text   Kind = "text"
	RSS    Kind = "rss"  // RSS 2.0 and 0.9x, RSS 1.0
	Atom   Kind = "atom" // Atom 1.0 and 0.3
)

// A Span is a range of bytes of the unpacked text, End excluded. In a UTF-16
// file it counts in the file's text as UTF-8.
type Span struct{ Start, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Start }

// An Entry is one listed address.
type Entry struct {
	// Loc is the address: XML's five entities and character references
	// resolved, outer white space removed, otherwise as written. It may hold any
	// bytes. In a file that declares a legacy charset it is decoded to UTF-8.
	Loc string
	// TooLong is set where the address has more than audit.MaxAddress bytes: Loc is
	// its first audit.KeptAddress, which name nothing.
	TooLong bool
	// Line and Column are where the <loc> tag starts (Atom: the <link> tag;
	// text: the address), from 1; Column counts bytes.
	Line, Column int
	// Addr is what Rewrite replaces: the address without its outer white space.
	Addr Span
	// Element is the whole <url>, <sitemap>, <item> or <entry>; of a text file,
	// the line. It is zero where the element has no end, comes where the end of
	// the one before is missing, or has more than 1,000 addresses.
	Element Span
	// Bound is set where Rewrite does not drop the entry: where Element is zero
	// or longer than 16 MiB, or its <loc> comes where the end of another is missing.
	Bound bool
	// Ext is two hashes over the blocks of the element that are not the sitemap's
	// own (image:image, xhtml:link, ...), in their order, white space between
	// tags left out; 0 for none. The upper 32 bits are of the blocks as they stand;
	// for the lower ones each value that is the entry's own address, as it is
	// written in its <loc>, counts as equal: a page and its successor whose alternates
	// name themselves differ in the upper half alone. Neither half is 0.
	Ext uint64
	// Sole is set where Rewrite writes Edit.Lastmod of the entry; it and Lastmod are known with
	// Options.Lastmods.
	Sole bool
	// Lastmod is the lastmod of the entry's element as written, without outer white space, where
	// Sole is set; of several the first, "" for none.
	Lastmod string
	// Langs are the codes by which the element's xhtml:links name the entry's own address, as it
	// is written in a <loc> before them: in small letters, sorted, each once, with a space between
	// them, without x-default, which names no language; "" for none, and for an element with
	// several addresses.
	Langs string
	// Media is set where one of these blocks is an image, a video or news.
	Media bool
}

// A Fault is something wrong with a sitemap file.
type Fault struct {
	Line, Column int    // from 1, Column in bytes; 0 where the fault has no place
	Name         string // Search Console's name: "Too many URLs"
	Severity     string // "error" or "warning"
	Count        int    // how many places it stands for, where it is not one
	// Key names the sentence that says what is wrong (report/messages has it in each
	// language); Args are filled into it.
	Key  string
	Args []string
}

// Breaks reports whether a strict parser or unpacker may give up at f, whatever stands behind it
// (XML 1.0, section 1.2: a processor must not go on in the normal way after a fatal error).
func (f Fault) Breaks() bool {
	return f.Severity == severe && (f.Name == problemNames[parsingError] ||
		f.Name == problemNames[compressionError])
}

// The severities of a Fault.
const (
	severe = "error"
	mild   = "warning"
)

// Info is what is known of a sitemap when it was read.
type Info struct {
	Kind Kind // "" where it is no sitemap
	Gzip bool // it is packed, whatever its name says
	// Charset is the charset that the file is written in: "utf-8", "utf-16le",
	// "utf-16be", or the declared legacy one.
	Charset   string
	Links     bool   // it has xhtml:link elements
	Generator string // what wrote it, where the file says so, else ""
	Entries   int
	Size      int64 // of what was read, in bytes, unpacked
	Truncated bool  // a limit or damage ended the reading before the file's end
	// Faults are in the order of the file: at most 5 places of each name, then
	// one that counts the rest.
	Faults []Fault
}

// Options are the settings of Read. The zero Options reads a local file.
type Options struct {
	// URL is the address that answered with the file; entries on other hosts or
	// in higher directories are faults. "" for local input: no such faults.
	URL string
	// NamedBy is the robots.txt that names the file, "" for none: its entries may
	// be anywhere on that host (sitemaps.org, "Sitemaps & cross submits").
	NamedBy string
	// Anywhere is set where a robots.txt names an index on the file's host that
	// lists it: then its entries may be in any directory of that host.
	Anywhere bool
	// MaxSize is where reading stops, in bytes, unpacked; 0 is 1 GiB.
	MaxSize int64
	// Now is the time against which a lastmod lies in the future; zero: no
	// such faults.
	Now time.Time
	// Lastmods is set where Entry.Sole and Entry.Lastmod are wanted.
	Lastmods bool
	// Links is called for each element with xhtml:links, when it ends and its entries were visited;
	// nil for no such call. own are the entries, links the links, in the order of the file: those
	// up to the 1,001st xhtml:link, and up to the 5,001st of all. Both are valid during the call.
	// Its error ends the reading.
	Links func(own []Entry, links []Link) error
	// Assets is set where the addresses of images and videos are among the links; then Links is
	// called for each element with any of these.
	Assets bool
	// Text, where it is not nil, is written the file as it is read: unpacked, in its own
	// charset. Of a file that is not Truncated that is all of it.
	Text io.Writer

	scale scale // the zero scale is fullScale
}

// Limits of the sitemaps protocol, and of this package.
const (
	maxURLs    = 50_000     // sitemaps.org, "XML tag definitions"
	maxBytes   = 52_428_800 // the same
	maxAddress = 2_047      // the same: "less than 2,048 characters"

	defaultMaxSize = 1 << 30 // the stop for a file, unpacked
	maxDepth       = 512     // deeper elements are read past
	maxPending     = 1_000   // entries of one element that are kept until its end
)
