package sitemap

// An item is an element that contains an address, such as a <url>; in a text file, a line. An
// element that is too long to be held comes in several parts; then it is not whole.
type item struct {
	open         bool
	start, end   int64
	line, column int
	whole        bool // it has an end tag of its own, ended no other item, and is held
	split        bool // parts of it were given before
	addresses    int  // in all of its parts
	locs         []found
	links        []found // xhtml:links, and images and videos where these are wanted
	alternates   int     // of links
	pieces       []piece // of the addresses
	lastmods     []value
	blocks       []byte // its blocks that are not the sitemap's own, where these are wanted
	media        bool   // one of these is an image, a video or news
	images       int    // how many are images
	version      bool   // its address is that of an Atom entry in one language
	// ends is set where the start of the item ended another one without an end tag: without the
	// item the file would read differently, so its element does not count as whole.
	ends bool
}

// A value is the place of the value of a <lastmod>: its content without outer white space, or a
// self-closing tag.
type value struct {
	Span
	empty bool
}

const (
	maxDepth     = 512   // the content of deeper elements is ignored
	maxAddresses = 1_000 // of one element are held
	maxLastmods  = 16    // of one element are held; there should be one
	maxLinks     = 1_000 // alternates of one element; Google names no limit
	maxAll       = 5_000 // the same for alternates, images and videos together
	maxLang      = 64    // bytes of a hreflang that are read: no code has half as many
	maxValue     = 64    // bytes of a value that are checked
)

// begin empties the item.
func (it *item) begin(start int64) {
	*it = item{open: true, start: start, locs: it.locs[:0], links: it.links[:0],
		pieces: it.pieces[:0], lastmods: it.lastmods[:0], blocks: it.blocks[:0]}
}

// tooMany reports whether there are more links than are held: the limit for alternates is the same
// with and without images and videos beside them.
func (it *item) tooMany() bool { return it.alternates > maxLinks || len(it.links) > maxAll }

// link adds a link, up to and including the first one too many.
func (it *item) link(f found) {
	if it.tooMany() {
		return
	}
	it.links = append(it.links, f)
	if f.kind == Alternate {
		it.alternates++
	}
}
