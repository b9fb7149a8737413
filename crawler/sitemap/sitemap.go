package sitemap

import (
	"io"
	"time"

	"sitemend/crawler/audit"
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

// A Span is a range of bytes of the unpacked text, without End. In a UTF-16 file it counts bytes of
// the text as UTF-8.
type Span struct{ Start, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Start }

// An Entry is one listed address.
type Entry struct {
	N int // place in the file, from 0
	// Loc is the address: XML's five entities and character references resolved, outer white space
	// removed, otherwise as written. It may contain any bytes. Where the file is in a legacy
	// charset it is decoded to UTF-8.
	Loc string
	// TooLong is set where the address has more than address.MaxLength bytes: Loc is its first
	// address.KeptLength bytes, which are no usable address.
	TooLong bool
	// Line is that of the <loc> tag (in Atom, of the <link> tag; in a text, of the address), from 1.
	Line int
	// Addr is what Rewrite replaces: the address without its outer white space.
	Addr Span
	// Element is the whole <url>, <sitemap>, <item> or <entry>; in a text file, the line. It is the
	// zero Span where the element has no end tag, or begins where the end tag of the one before is
	// missing: then Rewrite cannot drop the entry.
	Element Span
	// Ext is a hash over the blocks of the element that are not the sitemap's own (image:image,
	// xhtml:link, ...), in order, without white space between tags; 0 for none.
	Ext uint32
	// Media is set where one of these blocks is an image, a video or news.
	Media bool
	// Child is set where the file is an index, and the entry is a sitemap.
	Child bool
}

// Info is what Read found out about a sitemap.
type Info struct {
	Kind Kind // "" where the file is not a sitemap
	Gzip bool // the file is packed, whatever its name says
	// Charset is the charset of the file: "utf-8", "utf-16le", "utf-16be", or the declared legacy
	// one.
	Charset   string
	Links     bool // the file has xhtml:link elements
	Entries   int
	Size      int64 // bytes that were read, unpacked
	Truncated bool  // a limit or damage ended the reading before the end of the file
	// Faults are in the order of the file, then those of the file as a whole: at most 5 places for
	// each name and severity, and one that counts the rest.
	Faults []audit.SitemapFault
}

// Options are the settings of Read. The zero Options reads a local file.
type Options struct {
	// URL is the address that the file was read from; entries on other hosts or in higher
	// directories are faults. "" is for local input, without such faults.
	URL string
	// NamedBy is the robots.txt that names the file or an index above it, "" for none: the entries
	// may be anywhere on its host (sitemaps.org, "Sitemaps & cross submits").
	NamedBy string
	// Cut is set where it is known that not all of the file came: then the last line of a text, where
	// it has no end, is no entry.
	Cut bool
	// MaxSize is where reading stops, in unpacked bytes; 0 means 1 GiB.
	MaxSize int64
	// Now is the time after which a lastmod lies in the future; the zero Time turns such faults
	// off.
	Now time.Time
	// Links is called for each element with xhtml:links, when it ends and its entries were visited;
	// may be nil. own are the entries, and links the links in the order of the file, up to the
	// 5,000th. Both are valid during the call. Its error ends the reading.
	Links func(own []Entry, links []Link) error
	// Assets adds the addresses of images and videos to the links; then Links is called for each
	// element with any of these.
	Assets bool
	// Text, where it is not nil, receives the file as it is read: unpacked, in its own charset.
	// That is the whole file unless the file is Truncated.
	Text io.Writer

	scale scale // for tests; the zero scale is fullScale
}

// Limits of the sitemaps protocol, and of this package.
const (
	maxURLs    = 50_000     // sitemaps.org, "XML tag definitions"
	maxBytes   = 52_428_800 // the same
	maxAddress = 2_047      // the same: "less than 2,048 characters"

	defaultMaxSize = 1 << 30 // where reading stops, unpacked
	maxDepth       = 512     // of open elements; deeper ones stop the reading
	maxAddresses   = 1_000   // of one element; more stop the reading
	maxLinks       = 5_000   // of one element are held; Google names no limit
	maxLastmods    = 16      // of one element are held; there should be one
	maxLang        = 64      // bytes of a hreflang that are read: no code has half as many
	maxValue       = 64      // bytes of a value that are checked
)
