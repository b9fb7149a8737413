package sitemap

import (
	"bytes"
	"cmp"
	"io"
)

// A walk is one pass over a sitemap of any format: for its entries, their faults, or a copy with
// edits. It is lenient: an element that is not closed ends with the one around it, and an end tag
// that closes nothing is skipped; each is a fault.
type walk struct {
	tokens
	vocabulary
	item   item
	give   func(it *item) error // takes each item when it ends
	checks *checks              // nil where only addresses are wanted
	assets bool                 // images and videos are wanted

	source *source
	cutOff bool    // it is known that not all of the file came
	begin  int64   // the byte behind a byte order mark
	given  int     // addresses
	href   []byte  // of the latest link that was handed out
	stack  []level // the open elements, the innermost last
	names  []byte  // of these
	ends   bool    // the last start tag ended an item
	ended  bool    // the text ended within the open elements

	loc     found // the open address
	reading bool  // it is open
	inner   int64 // where its text begins
	lastmod openLastmod
	block   string // the open block, where it is an image, a video or news
	depth   int    // elements around it
}

// A level is one open element.
type level struct {
	el   element
	name int // where its name begins in walk.names
}

// An item is an element that contains an address, such as a <url>; in a text file, a line.
type item struct {
	open         bool
	start, end   int64
	line, column int
	whole        bool // it has an end tag of its own, and ended no other item
	locs         []found
	links        []found // xhtml:links, and images and videos where these are wanted
	pieces       []piece // of the addresses
	lastmods     []value
	blocks       []byte // its blocks that are not the sitemap's own, where these are wanted
	media        bool   // one of these is an image, a video or news
	// ends is set where the start of the item ended another one without an end tag: without the
	// item the file would read differently, so its element does not count as whole.
	ends bool
}

// begin empties the item.
func (it *item) begin(start int64) {
	*it = item{open: true, start: start, locs: it.locs[:0], links: it.links[:0],
		pieces: it.pieces[:0], lastmods: it.lastmods[:0], blocks: it.blocks[:0]}
}

// sole reports whether the lastmod of an item may be written, in a file of a kind.
func (it *item) sole(k Kind) bool {
	return it.whole && len(it.locs) == 1 && len(it.lastmods) <= maxLastmods && k.protocol()
}

// link adds a link.
func (it *item) link(f found) {
	if len(it.links) < maxLinks {
		it.links = append(it.links, f)
	}
}

func newWalk(s *source, size scale, max int64) *walk {
	x := &walk{tokens: tokens{window: newWindow(s, size, max)}, source: s}
	if s.charset != nil {
		x.valid = never // any bytes are
	}
	return x
}

// never is a place that no file reaches.
const never = int64(1<<63 - 1)

// run walks over the text. Its error is a *FormatError, or that of give.
func (x *walk) run() error {
	isXML, bad := x.source.xml()
	switch {
	case x.source.in.err != nil && len(x.source.head) == 0:
		return nil
	case bad != nil:
		return bad
	}
	if !isXML {
		x.kind, x.marks = Text, "\r\n"
	}
	if x.need(3) && bytes.HasPrefix(x.buf, utf8BOM) {
		x.pos, x.begin = 3, 3
	}
	if !isXML {
		return x.lines()
	}
	err := x.elements()
	if err == nil && !x.root && x.given == 0 {
		return x.source.noRoot()
	}
	return err
}

// broken returns why the text could not be read to its end or its limit; nil for no reason.
func (x *walk) broken() error {
	switch x.err {
	case nil, io.EOF, errTooLarge, errRun, errElement:
		return x.source.in.err
	}
	return cmp.Or(x.source.in.err, x.err)
}

// elements walks over XML.
func (x *walk) elements() error {
	for {
		kind := x.next()
		x.checks.bytesBefore(&x.window, x.end)
		if err := x.token(kind); err != nil || kind == tokEnd {
			return err
		}
		if len(x.stack) > maxDepth || x.item.open && (x.end-x.item.start > x.longest || len(x.item.locs) == maxAddresses) {
			x.err = errElement
			return x.token(tokEnd)
		}
	}
}

// token processes a token of XML.
func (x *walk) token(kind token) error {
	switch kind {
	case tokEnd:
		switch {
		case (len(x.stack) > 0 || x.cut) && x.err == io.EOF:
			x.checks.cutOff(x)
		case x.err == errElement:
			x.checks.at(x, "too-deep")
		}
		x.ended = true
		return x.abandon(len(x.stack))
	case tokText:
		x.text()
	case tokCDATA:
		x.cdata()
	case tokOpen, tokEmpty:
		return x.tag(kind == tokEmpty)
	case tokClose:
		return x.endTag()
	case tokOther:
		return x.aside()
	}
	return nil
}

func (x *walk) top() element {
	if len(x.stack) == 0 {
		return elOther
	}
	return x.stack[len(x.stack)-1].el
}

// inAddress reports whether the innermost element is that of the open address.
func (x *walk) inAddress() bool {
	return x.reading && (x.top() == elLoc || x.loc.kind != Alternate)
}

func (x *walk) text() {
	b := x.raw()
	if blank(b) && !x.reading && !x.lastmod.open {
		return
	}
	x.checks.text(x, b)
	if x.inAddress() {
		x.item.pieces = append(x.item.pieces, piece{Span{x.start, x.end}, false})
	}
	x.lastmod.add(b)
	if x.top() == elExt && !blank(b) {
		x.hash(b)
	}
}

func blank(b []byte) bool {
	for _, c := range b {
		if !asciiSpace(c) {
			return false
		}
	}
	return true
}

func (x *walk) cdata() {
	raw := x.raw()
	if raw == nil {
		return
	}
	if x.inAddress() {
		x.item.pieces = append(x.item.pieces, piece{Span{x.start + 9, x.end - 3}, true})
	}
	x.lastmod.add(raw[9 : len(raw)-3])
	if x.top() == elExt {
		x.hash(raw)
	}
}

// hash adds a part of a block of another namespace to the item.
func (x *walk) hash(b []byte) {
	if x.checks != nil {
		x.item.blocks = append(x.item.blocks, b...)
	}
}

// aside processes a comment, a processing instruction or a DOCTYPE.
func (x *walk) aside() error {
	if hasFold(x.intro, "<!DOCTYPE") && !x.root && hasFold(bytes.TrimSpace(x.intro[9:]), "html") {
		return notHTML
	}
	x.checks.aside(x)
	return nil
}
